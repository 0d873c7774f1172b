"""After a call that wrote much, an owner's realm has fresh statistics and the indexes that pay; no other call tries."""

from __future__ import annotations

from collections.abc import Callable

import asyncpg
import psycopg
import pytest

from post_graph_rag import Document, GraphRAG
from post_graph_rag.store.identifiers import schema_name
from tests.integration.foreign.engines import ACME, REALM, engine, fill
from tests.servers import with_user

RECORD = schema_name(REALM)
DOCUMENTS = [Document(text=f"Acme{n} Corp acquired Birch{n} Labs.", key=f"{n}") for n in range(6)]


@pytest.fixture(autouse=True)
def six_are_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("post_graph_rag.store.optimize.MUCH", 6)
    monkeypatch.setattr("post_graph_rag.store.optimize.THRESHOLD", 4)


@pytest.fixture
async def unkept(database: str, admin: psycopg.Connection) -> None:
    """A realm that nobody analyzes but us."""
    await fill(database, ACME)
    tables = admin.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", (RECORD,)).fetchall()
    for (table,) in tables:
        admin.execute(f"ALTER TABLE {RECORD}.{table} SET (autovacuum_enabled = off)")


def kept(admin: psycopg.Connection) -> tuple[bool, int]:
    """Whether passages were analyzed, and how many vector tables have their index."""
    query = (
        "SELECT (SELECT last_analyze IS NOT NULL FROM pg_stat_user_tables WHERE schemaname = %s "
        "AND relname = 'passage'), (SELECT count(*) FROM pg_indexes WHERE schemaname = %s AND indexname LIKE '%%hnsw')"
    )
    row = admin.execute(query, (RECORD, RECORD)).fetchone()
    assert row is not None
    return bool(row[0]), int(row[1])


async def index(rag: GraphRAG, documents: list[Document] = DOCUMENTS) -> None:
    async with rag:
        assert {report.status for report in await rag.index_documents(documents)} == {"new"}


@pytest.mark.usefixtures("unkept")
async def test_a_call_that_wrote_much_leaves_statistics_and_indexes(database: str, admin: psycopg.Connection) -> None:
    await index(engine(database))
    assert kept(admin) == (True, 3)
    async with engine(database) as rag:
        assert [finding for finding in await rag.doctor() if not finding.ok] == []


@pytest.mark.usefixtures("unkept")
async def test_a_call_that_wrote_little_leaves_them(database: str, admin: psycopg.Connection) -> None:
    await index(engine(database), DOCUMENTS[:5])
    assert kept(admin) == (False, 0)


@pytest.mark.usefixtures("unkept")
async def test_switched_off_it_leaves_them(database: str, admin: psycopg.Connection) -> None:
    await index(engine(database, optimize=False))
    assert kept(admin) == (False, 0)


@pytest.mark.usefixtures("unkept")
async def test_on_a_callers_connection_it_leaves_them(database: str, admin: psycopg.Connection) -> None:
    connection = await asyncpg.connect(database)
    await index(engine(connection=connection))
    await connection.close()
    assert kept(admin) == (False, 0)


@pytest.mark.usefixtures("unkept")
async def test_a_role_that_owns_nothing_leaves_them(
    database: str, admin: psycopg.Connection, make_role: Callable[[str], str]
) -> None:
    writer = make_role("pgr_test_writer")
    async with engine(database) as owner:
        await owner.grant(writer, "write")
    await index(engine(with_user(database, writer)))
    assert kept(admin) == (False, 0)


@pytest.mark.usefixtures("unkept")
async def test_what_waits_after_a_call_of_another_role_goes_into_the_index_with_the_owners_next_call(
    database: str, admin: psycopg.Connection, make_role: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("post_graph_rag.store.tail._LONG", 0)
    await index(engine(database))
    async with engine(database) as owner:
        await owner.grant(writer := make_role("pgr_test_writer"), "write")
    waiting = f"SELECT count(*) FROM {RECORD}.passage_vector_1 WHERE tail"
    counts = []
    for number, dsn in enumerate((with_user(database, writer), database)):
        await index(engine(dsn), [Document(text=f"Cedar{number} Corp acquired Birch Labs.", key=f"more {number}")])
        counts.append(admin.execute(waiting).fetchone())
    assert counts == [(1,), (0,)]
