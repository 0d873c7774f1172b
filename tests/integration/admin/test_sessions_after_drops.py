"""Connections stay usable after a graph was dropped, whatever other sessions do meanwhile."""

from __future__ import annotations

import psycopg
import pytest

from post_graph_rag.store.database import Database
from post_graph_rag.store.projection import rebuild_graph
from post_graph_rag.store.realms import drop_realm, ensure_realm, list_realms
from tests.servers import unpacked_server

# More catalog changes than the server's invalidation queue holds, so that every other session resets its caches.
TABLES = 400


def overflow_invalidations(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        for number in range(TABLES):
            connection.execute(f"CREATE TEMP TABLE t{number} (id integer PRIMARY KEY, text text)")


async def drop_and_go_on(dsn: str) -> list[str]:
    """The realms that one pooled connection sees after it dropped a realm, rebuilt a graph and reset its caches."""
    store = Database(dsn, pool_size=1)
    realm = await ensure_realm(store, "kept", "model", 8)
    await ensure_realm(store, "dropped", "model", 8)
    await rebuild_graph(store, realm)
    await drop_realm(store, "dropped")
    overflow_invalidations(dsn)
    names = [realm.name for realm in await list_realms(store)]
    await store.close()
    return names


async def test_a_pool_outlives_the_graphs_it_dropped(database: str) -> None:
    assert await drop_and_go_on(database) == ["kept"]


@pytest.mark.extended
async def test_a_pool_outlives_the_graphs_it_dropped_on_age_1_5() -> None:
    with unpacked_server("trixie") as dsn:
        assert await drop_and_go_on(dsn) == ["kept"]
