"""One more document costs the server the same in a small realm and in one that has grown."""

from __future__ import annotations

import psycopg

from post_graph_rag import Document
from post_graph_rag.store.identifiers import graph_name, schema_name
from tests.integration.foreign.engines import REALM, engine

RECORD = schema_name(REALM)
READ = """
    SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_user_tables
    WHERE schemaname = ANY (%s)"""


def of(number: int) -> Document:
    """Facts about things of its own, and one about a thing that many documents name."""
    own = "\n".join(f"Acme{number}x{n} Corp acquired Birch{number}x{n} Labs since {1990 + n}." for n in range(10))
    return Document(text=f"{own}\nHub{number % 20} Group hired Cora{number} Doe.", key=f"{number}.md")


async def index(database: str, *numbers: int) -> None:
    async with engine(database) as rag:
        reports = await rag.index_documents([of(number) for number in numbers])
    assert {report.status for report in reports} == {"new"}


async def rows_read(database: str, admin: psycopg.Connection, number: int) -> int:
    """How many rows of the realm the server touches while one document is written."""
    before = _read(admin)
    await index(database, number)
    return _read(admin) - before


def _read(admin: psycopg.Connection) -> int:
    # sessions that are gone have handed in their counts
    while admin.execute(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    ).fetchone():
        pass
    row = admin.execute(READ, ([RECORD, graph_name(RECORD)],)).fetchone()
    assert row is not None
    return int(row[0])


async def test_writing_reads_no_more_rows_of_a_realm_that_has_grown(database: str, admin: psycopg.Connection) -> None:
    await index(database, *range(40))
    early = [await rows_read(database, admin, number) for number in (1000, 1001, 1002)]
    await index(database, *range(40, 400))
    late = [await rows_read(database, admin, number) for number in (2000, 2001, 2002)]
    assert min(late) <= 2 * min(early) + 200, (early, late)
