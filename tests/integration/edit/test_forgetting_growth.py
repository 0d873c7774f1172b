"""One document more or less costs the server the same in a small realm and in one that has grown."""

from __future__ import annotations

import psycopg

from tests.integration.faults.test_growth import _read, index
from tests.integration.foreign.engines import engine


async def rows_read(database: str, admin: psycopg.Connection, number: int, erase: bool) -> int:
    """How many rows of the realm the server touches while one document is forgotten."""
    await index(database, number)
    before = _read(admin)
    async with engine(database) as rag:
        await (rag.erase_document if erase else rag.delete_document)(f"{number}.md")
    return _read(admin) - before


async def test_forgetting_reads_no_more_rows_of_a_realm_that_has_grown(
    database: str, admin: psycopg.Connection
) -> None:
    await index(database, *range(20))
    early = {erase: [await rows_read(database, admin, 1000 + n, erase) for n in range(2)] for erase in (False, True)}
    await index(database, *range(20, 240))
    late = {erase: [await rows_read(database, admin, 2000 + n, erase) for n in range(2)] for erase in (False, True)}
    for erase in (False, True):
        assert min(late[erase]) <= 2 * min(early[erase]) + 200, (early, late)
