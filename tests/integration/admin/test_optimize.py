"""Vector indexes are built where they pay, once, and never while readers wait."""

from __future__ import annotations

import asyncio

import psycopg
import pytest
from pydantic import SecretStr

from post_graph_rag import GraphRAG, Settings
from post_graph_rag.errors import Busy
from post_graph_rag.store import optimize as module
from post_graph_rag.store.database import Database
from post_graph_rag.store.optimize import optimize
from post_graph_rag.store.realms import Realm, ensure_realm
from post_graph_rag.store.tidy import tidy


@pytest.fixture
async def realm(store: Database, admin: psycopg.Connection) -> Realm:
    """A realm with twelve passage vectors of which ten are current, and nothing else."""
    made = await ensure_realm(store, "one", "model", 3)
    admin.execute(
        f"INSERT INTO {made.info.schema_name}.passage_vector_1 "
        "SELECT n, 1, n <= 10, ARRAY[n, 1, 1]::vector FROM generate_series(1, 12) AS n"
    )
    return made


def indexes(admin: psycopg.Connection, realm: Realm) -> list[str]:
    query = "SELECT indexdef FROM pg_indexes WHERE schemaname = %s AND indexname LIKE '%%hnsw'"
    return [row[0] for row in admin.execute(query, (realm.info.schema_name,))]


async def test_a_table_above_the_threshold_gets_an_index_of_what_is_current(
    store: Database, admin: psycopg.Connection, realm: Realm
) -> None:
    assert (await optimize(store, realm, threshold=9)).indexed == ("passage_vector_1",)
    (definition,) = indexes(admin, realm)
    assert definition.endswith("USING hnsw (embedding vector_cosine_ops) WHERE (current AND (NOT tail))")


async def test_a_table_at_the_threshold_gets_none(store: Database, admin: psycopg.Connection, realm: Realm) -> None:
    assert ((await optimize(store, realm, threshold=10)).indexed, indexes(admin, realm)) == ((), [])


async def test_what_is_indexed_is_not_indexed_again(store: Database, realm: Realm) -> None:
    await optimize(store, realm, threshold=1)
    assert (await optimize(store, realm, threshold=1)).indexed == ()


async def test_an_index_is_built_outside_the_pool_and_its_time_limit(store: Database, realm: Realm) -> None:
    single = Database(store._dsn, pool_size=1)
    async with single.transaction(realm.statements), asyncio.timeout(10):
        assert (await optimize(single, realm, threshold=9)).indexed == ("passage_vector_1",)
    await single.close()


async def test_every_table_of_the_realm_gets_fresh_statistics(
    store: Database, admin: psycopg.Connection, realm: Realm
) -> None:
    report = await optimize(store, realm)
    query = "SELECT count(*), count(last_analyze) FROM pg_stat_user_tables WHERE schemaname IN (%s, %s)"
    counted = admin.execute(query, (realm.info.schema_name, realm.info.graph_name)).fetchone()
    assert counted == (report.analyzed, report.analyzed)


async def test_two_at_once_build_one_index_and_one_says_that_the_other_is_at_it(
    store: Database, admin: psycopg.Connection, database: str, realm: Realm
) -> None:
    with psycopg.connect(database) as other:
        other.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"{realm.info.schema_name} optimize",))
        assert (await optimize(store, realm, threshold=1)).busy
    assert not (await optimize(store, realm, threshold=1)).busy


async def test_readers_go_on_while_an_index_waits_to_be_built(
    store: Database, admin: psycopg.Connection, database: str, realm: Realm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WAIT", "1s")
    with psycopg.connect(database) as writer:
        writer.execute(f"UPDATE {realm.info.schema_name}.passage_vector_1 SET current = current")
        waiting = asyncio.create_task(optimize(store, realm, threshold=1))
        await asyncio.sleep(0.3)
        admin.execute("SET statement_timeout = '300ms'")
        query = f"SELECT count(*) FROM {realm.info.schema_name}.passage_vector_1"
        assert admin.execute(query).fetchone() == (12,)
        with pytest.raises(Busy):
            await waiting


async def test_the_front_door_puts_rows_right_and_says_how_many(database: str, realm: Realm) -> None:
    async with GraphRAG(Settings(dsn=SecretStr(database), realm="one")) as rag:
        reports = [await rag.optimize(), await rag.optimize()]
    assert [report.tidied for report in reports] == [12, 0]
    assert reports[0].analyzed > 0


async def test_tidying_removes_vectors_that_stand_for_nothing(store: Database, realm: Realm) -> None:
    assert [await tidy(store, realm), await tidy(store, realm)] == [12, 0]
