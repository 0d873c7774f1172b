"""A pool or connection of the caller's: used, never closed, left as it was."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import asyncpg
import pytest

from post_graph_rag import QueryParam
from post_graph_rag.errors import (
    ConfigurationError,
    DatabaseError,
    MigrationNeeded,
    RightMissing,
    ServerUnavailable,
    SpaceNotFound,
)
from post_graph_rag.store.local_settings import TOUCHED
from post_graph_rag.store.statements import sources
from tests.integration.foreign.engines import ACME, ELM, QUESTION, documents, engine, fill

MakeRole = Callable[[str], str]
OTHER_HABITS = {
    "search_path": '"$user"',
    "DateStyle": "SQL, DMY",
    "TimeZone": "Pacific/Kiritimati",
    "IntervalStyle": "sql_standard",
    "bytea_output": "escape",
    "extra_float_digits": "-10",
    "standard_conforming_strings": "off",
    "default_transaction_isolation": "serializable",
    "enable_indexscan": "off",
    "statement_timeout": "20s",
    "lock_timeout": "7s",
    "jit": "on",
    "array_nulls": "off",
    "quote_all_identifiers": "on",
}


@pytest.fixture
async def connection(database: str) -> AsyncIterator[asyncpg.Connection]:
    """The caller's own connection to a database whose realm holds one document."""
    await fill(database, ACME)
    opened = await asyncpg.connect(database)
    yield opened
    await opened.close()


async def settings_of(connection: Any) -> dict[str, str]:
    """Every setting of the session but those that libraries bring when they are loaded."""
    rows = await connection.fetch("SELECT name, setting FROM pg_settings WHERE name !~ '^(hnsw|ivfflat|age)\\.'")
    return dict(rows)


async def use_it_all(rag: Any) -> None:
    """One call of everything that reads and writes."""
    await rag.index_text(ELM, key="Elm")
    await rag.index_text(ACME + " Clara Voss knows Emil Falk.", key="Acme")
    await rag.complete_pending()
    await rag.query(QUESTION)
    await rag.cypher("MATCH (e:Entity) RETURN e.name", columns=["name"])
    await rag.realm_stats()
    await rag.doctor()


async def test_a_connection_serves_reading_and_writing_and_stays_open(
    connection: asyncpg.Connection, database: str
) -> None:
    async with engine(connection=connection) as rag:
        await use_it_all(rag)
        answer = await rag.query(QUESTION)
    assert [reference.document for reference in answer.references] == ["Acme"]
    assert await connection.fetchval("SELECT 1") == 1
    assert await documents(database) == 2


async def test_a_pool_serves_reading_and_writing_and_stays_open(database: str) -> None:
    async with asyncpg.create_pool(database, min_size=1, max_size=2) as pool:
        async with engine(connection=pool) as rag:
            await rag.index_text(ACME, key="Acme")
            await use_it_all(rag)
        assert await pool.fetchval("SELECT 1") == 1
    assert await documents(database) == 2


async def test_one_connection_of_a_pool_serves_too(database: str) -> None:
    await fill(database, ACME)
    async with (
        asyncpg.create_pool(database, min_size=1, max_size=1) as pool,
        pool.acquire() as connection,
        engine(connection=connection) as one,
        engine(connection=connection) as two,
    ):
        found = await asyncio.gather(*(rag.query_data(QUESTION) for rag in (one, two) * 4))
    assert all(data.passages for data in found)


async def test_calls_on_one_connection_queue(connection: asyncpg.Connection, database: str) -> None:
    async with engine(connection=connection) as one, engine(connection=connection) as two:
        await asyncio.gather(
            *(rag.query_data(QUESTION) for rag in (one, two) * 5),
            *(rag.index_text(f"{ELM} Part {n}.", key=f"{n}") for n in range(3) for rag in (one, two)),
            *(rag.realm_stats() for rag in (one, two)),
            one.cypher("MATCH (n) RETURN count(n)"),
        )
    assert await documents(database) == 4


@pytest.mark.parametrize("inside", [False, True], ids=["outside a transaction", "inside a transaction"])
async def test_a_session_with_other_habits_is_served_and_left_as_it_was(
    connection: asyncpg.Connection, inside: bool
) -> None:
    for name, value in OTHER_HABITS.items():
        await connection.execute("SELECT set_config($1, $2, false)", name, value)
    transaction = connection.transaction()
    if inside:
        await transaction.start()
    before = await settings_of(connection)
    async with engine(connection=connection) as rag:
        await use_it_all(rag)
        data = await rag.query_data(QUESTION)
    assert await settings_of(connection) == before
    if inside:
        await transaction.commit()
    sold = next(relation for relation in data.relations if relation.predicate == "acquired")
    assert [(period.start, period.end) for period in sold.periods] == [("2001", "2005")]


async def test_settings_are_put_back_after_an_error_too(connection: asyncpg.Connection) -> None:
    async with connection.transaction():
        before = await settings_of(connection)
        async with engine(connection=connection) as rag:
            with pytest.raises(DatabaseError):
                await rag.cypher("MATCH (n RETURN n")
            with pytest.raises(SpaceNotFound):
                await rag.query_data(QUESTION, QueryParam(space="nowhere"))
        assert await settings_of(connection) == before


async def test_every_setting_that_a_statement_makes_is_put_back() -> None:
    made = {name for text in sources().values() for name in re.findall(r"set_config\('([^']+)'", text)}
    assert made - set(TOUCHED) == set()


async def test_no_parameter_is_json_to_the_driver_which_a_callers_codec_would_encode_again() -> None:
    direct = {name for name, text in sources().items() if re.search(r"\$\d+::jsonb?\b", text)}
    assert direct == set()


async def test_a_callers_own_codecs_do_no_harm(connection: asyncpg.Connection, database: str) -> None:
    for kind in ("json", "jsonb"):
        await connection.set_type_codec(kind, schema="pg_catalog", encoder=json.dumps, decoder=json.loads)
    for kind in ("timestamptz", "date", "numeric"):
        await connection.set_type_codec(kind, schema="pg_catalog", encoder=str, decoder=str, format="text")
    await connection.set_type_codec("vector", schema="public", encoder=str, decoder=list, format="text")
    await connection.set_type_codec("agtype", schema="ag_catalog", encoder=str, decoder=repr, format="text")
    async with engine(connection=connection) as rag:
        await use_it_all(rag)
        rows = await rag.cypher("MATCH (e:Entity {name: $name}) RETURN e.name", {"name": "Dora Lind"}, ["name"])
    assert rows == [{"name": "Dora Lind"}]
    assert await connection.fetchval("SELECT '1'::ag_catalog.agtype") == repr("1")


async def test_a_cancelled_call_leaves_the_connection_usable(connection: asyncpg.Connection) -> None:
    before = await settings_of(connection)
    async with engine(connection=connection) as rag:
        await rag.query_data(QUESTION)
        for moment in (0.0, 0.001, 0.003, 0.006):
            call = asyncio.create_task(rag.query_data(QUESTION))
            await asyncio.sleep(moment)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
        assert (await rag.query_data(QUESTION)).passages
    assert await settings_of(connection) == before


async def test_roles_that_were_set_are_obeyed(
    connection: asyncpg.Connection, database: str, make_role: MakeRole
) -> None:
    reader, writer = make_role("pgr_test_lent_reader"), make_role("pgr_test_lent_writer")
    async with engine(database) as owner:
        await owner.grant(reader, "read")
        await owner.grant(writer, "write")
    async with engine(connection=connection) as rag:
        await connection.execute(f"SET ROLE {writer}")
        assert (await rag.index_text(ELM, key="Elm")).status == "new"
        await connection.execute(f"SET ROLE {reader}")
        assert (await rag.query_data(QUESTION)).passages
        with pytest.raises(RightMissing, match="grant --write"):
            await rag.index_text(ELM + " More.", key="Elm")
        assert await connection.fetchval("SELECT current_user") == reader
        await connection.execute("RESET ROLE")
        assert (await rag.index_text(ELM + " More.", key="Elm")).status == "changed"


async def test_a_realm_is_made_on_a_callers_connection_by_the_first_indexing(database: str) -> None:
    connection = await asyncpg.connect(database)
    async with engine(connection=connection) as rag:
        assert (await rag.index_text(ACME)).status == "new"
    await connection.close()


async def test_nothing_is_migrated_on_a_callers_connection(connection: asyncpg.Connection) -> None:
    await connection.execute("DELETE FROM post_graph_rag.migration WHERE scope <> 'catalog'")
    rag = engine(connection=connection)
    with pytest.raises(MigrationNeeded):
        await rag.index_text(ELM)


async def test_a_connection_in_use_by_its_owner_is_said_to_be_so(connection: asyncpg.Connection) -> None:
    rag = engine(connection=connection)
    await rag.initialize()
    busy = asyncio.create_task(connection.execute("SELECT pg_sleep(0.3)"))
    await asyncio.sleep(0.05)
    with pytest.raises(DatabaseError, match="busy"):
        await rag.realm_stats()
    await busy
    assert (await rag.realm_stats()).documents == 1


async def test_a_connection_that_its_owner_closed_is_said_to_be_so(connection: asyncpg.Connection) -> None:
    rag = engine(connection=connection)
    await rag.initialize()
    await connection.close()
    with pytest.raises(ServerUnavailable, match="not open"):
        await rag.query_data(QUESTION)


async def test_what_is_no_asyncpg_connection_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="asyncpg"):
        await engine(connection="postgresql://localhost/db").initialize()


async def test_a_tighter_time_limit_of_the_callers_binds_cypher_too(connection: asyncpg.Connection) -> None:
    await connection.execute("SET statement_timeout = '200ms'")
    async with engine(connection=connection) as rag:
        with pytest.raises(DatabaseError, match="statement_timeout"):
            await rag.cypher("UNWIND range(1, 5000) AS x UNWIND range(1, 5000) AS y RETURN sum(x + y)")
        assert (await rag.query_data(QUESTION)).passages
