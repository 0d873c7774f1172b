"""Reading needs only read rights, and leaves a caller's session as it was."""

from __future__ import annotations

import asyncpg
import pytest

from post_graph_rag.records import Mode, QueryParam
from post_graph_rag.retrieve.pipeline import Library, retrieve
from post_graph_rag.store.database import Database
from post_graph_rag.store.identifiers import quoted
from tests.integration.retrieve.conftest import reader_of

SETTINGS = ("search_path", "plan_cache_mode", "enable_seqscan", "jit", "hnsw.ef_search")


@pytest.mark.parametrize("mode", ["mix", "local", "naive", "bypass"])
async def test_every_mode_works_for_a_role_that_may_only_select(shelves: Library, world_dsn: str, mode: Mode) -> None:
    connection = await asyncpg.connect(world_dsn)
    schema = quoted(shelves.realm.info.schema_name)
    try:
        await connection.execute("CREATE ROLE pgr_only_reads NOLOGIN")
        await connection.execute(f"GRANT USAGE ON SCHEMA {schema} TO pgr_only_reads")
        await connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO pgr_only_reads")
        await connection.execute("SET ROLE pgr_only_reads")
        reader = reader_of(Database(connection=connection), shelves.realm)
        found = await retrieve(reader, "who bought Orion Foundry?", QueryParam(mode=mode))
        assert bool(found.passages) == (mode != "bypass")
    finally:
        await connection.execute("RESET ROLE; DROP OWNED BY pgr_only_reads; DROP ROLE pgr_only_reads")
        await connection.close()


async def test_a_callers_transaction_keeps_its_settings(shelves: Library, world_dsn: str) -> None:
    connection = await asyncpg.connect(world_dsn)
    reader = reader_of(Database(connection=connection), shelves.realm)
    async with connection.transaction():
        await connection.execute("SET LOCAL enable_seqscan = on; SET LOCAL plan_cache_mode = force_custom_plan")
        before = [await connection.fetchval("SELECT current_setting($1, true)", name) for name in SETTINGS]
        assert (await retrieve(reader, "who bought Orion Foundry?")).passages
        after = [await connection.fetchval("SELECT current_setting($1, true)", name) for name in SETTINGS]
    await connection.close()
    assert after[:4] == before[:4]


async def test_a_caller_without_a_statement_cache_is_served(shelves: Library, world_dsn: str) -> None:
    connection = await asyncpg.connect(world_dsn, statement_cache_size=0)
    reader = reader_of(Database(connection=connection), shelves.realm)
    assert (await retrieve(reader, "who bought Orion Foundry?")).passages
    await connection.close()
