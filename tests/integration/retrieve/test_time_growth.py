"""What was visible at a time is found in full, however much came since and however much is past."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any

import asyncpg
import numpy as np
import pytest

from post_graph_rag.records import QueryParam
from post_graph_rag.retrieve.asked_time import asked_time
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm, ensure_realm, find_realm
from post_graph_rag.store.search import Hits, WalkBounds, nearest, walk
from post_graph_rag.store.statements import render, sources
from tests.servers import fresh_database

WIDTH = 16
LATER, EARLY, PAST = 3000, 30, 600
"""Relations that came later, that were there before, and that were superseded after the mark."""
MARK = "2021-06-01"
FILL = f"""
SET TimeZone = 'UTC';
INSERT INTO {{record}}.space (name) VALUES ('default');
INSERT INTO {{record}}.entity (space, key, canonical, current) SELECT 1, 'e' || n, n, true
FROM generate_series(1, {LATER + EARLY + PAST + 1}) n;
INSERT INTO {{record}}.relation (space, subject, predicate, object, negated, fact, current)
SELECT 1, 1, 'knows', n + 1, false, '', n <= {LATER + EARLY} FROM generate_series(1, {LATER + EARLY + PAST}) n;
INSERT INTO {{record}}.relation_period (relation, valid, dated, recorded)
SELECT id, '(,)', false, CASE WHEN id <= {LATER} THEN tstzrange('2022-01-01', NULL)
    WHEN id <= {LATER + EARLY} THEN tstzrange('2021-01-01', NULL) ELSE tstzrange('2021-01-01', '2022-01-01') END
FROM {{record}}.relation;
INSERT INTO {{relation_vector}} (id, space, current, embedding)
SELECT r.id, 1, r.current, ARRAY(SELECT sin(r.id * k * k + k) FROM generate_series(1, {WIDTH}) k)::real[]::{{vector}}
FROM {{record}}.relation r;
ANALYZE
"""


@pytest.fixture(scope="module")
def grown_dsn(server_dsn: str, template_database: str) -> Iterator[str]:
    """A database whose realms only are read: one without and one with an index on vectors, one with a last stamp."""
    with fresh_database(server_dsn, f"pgr_{uuid.uuid4().hex[:12]}", template_database) as dsn:
        asyncio.run(grow(dsn))
        yield dsn


async def grow(dsn: str) -> None:
    store = Database(dsn, pool_size=1)
    _, indexed, stamped = [await make(store, dsn, name) for name in ("exact", "indexed", "stamped")]
    names = {**indexed.names, "table": indexed.names["relation_vector"], "index": "relation_vector_1_hnsw"}
    await run(dsn, indexed, sources()["create_vector_indexes"], names)
    await run(dsn, stamped, "UPDATE {record}.clock SET stamp = '2022-01-01T00:00:00Z'")
    await store.close()


async def make(store: Database, dsn: str, name: str) -> Realm:
    """A realm in which one entity has many relations, few of them early."""
    realm = await ensure_realm(store, name, "scripted-embedding", WIDTH, "none")
    await run(dsn, realm, FILL)
    return realm


@pytest.fixture
async def store(grown_dsn: str) -> AsyncIterator[Database]:
    opened = Database(grown_dsn, pool_size=2)
    yield opened
    await opened.close()


@pytest.fixture
async def grown(store: Database) -> Realm:
    return await find_realm(store, "exact")


@pytest.fixture
async def stamped(store: Database) -> Realm:
    """The same, whose last commit was that of what came later."""
    return await find_realm(store, "stamped")


@pytest.fixture(params=["exact", "indexed"])
async def searched(request: pytest.FixtureRequest, store: Database) -> Realm:
    return await find_realm(store, request.param)


async def run(dsn: str, realm: Realm, script: str, names: Any = None) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute(render(script, names or realm.names))
    await connection.close()


def like(relation: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """The vector of a relation."""
    return np.array([[np.sin(relation * k * k + k) for k in range(1, WIDTH + 1)]], np.float32)


async def found(store: Database, realm: Realm, relation: int, most: int, **param: Any) -> Hits:
    async with store.transaction(realm.statements, read_only=True) as session:
        when = asked_time(QueryParam(**param))
        hits = await nearest(session, like(relation), [("relation_vector", 0)], [1], most, when)
    return hits["relation_vector"]


async def test_an_old_mark_finds_all_that_was_there(store: Database, searched: Realm) -> None:
    hits = await found(store, searched, 17, EARLY + PAST, as_believed_at=MARK)
    assert sorted(hits.ids) == list(range(LATER + 1, LATER + EARLY + PAST + 1))


async def test_the_nearest_of_what_is_past_comes_first(store: Database, searched: Realm) -> None:
    wanted = LATER + EARLY + 123
    hits = await found(store, searched, wanted, 5, as_believed_at=MARK)
    assert (hits.ids[0], round(hits.scores[0], 4)) == (wanted, 1.0)


async def test_the_nearest_of_what_is_current_comes_first_at_its_mark(store: Database, searched: Realm) -> None:
    hits = await found(store, searched, 1234, 5, as_believed_at="2022-06")
    assert (hits.ids[0], len(hits.ids)) == (1234, 5)


async def test_what_came_later_is_never_near_at_an_old_mark(store: Database, searched: Realm) -> None:
    hits = await found(store, searched, 1234, 5, as_believed_at=MARK)
    assert min(hits.ids) > LATER


async def test_a_walk_passes_by_what_came_later(store: Database, grown: Realm) -> None:
    async with store.transaction(grown.statements, read_only=True) as session:
        bounds = WalkBounds(steps=1, edges=700, entities=1000)
        area = await walk(session, [1], [], [], [1], bounds, asked_time(QueryParam(as_believed_at=MARK)))
    assert sorted(area.edges[:, 0].tolist()) == list(range(LATER + 1, LATER + EARLY + PAST + 1))


async def test_a_walk_at_a_mark_stays_within_its_bounds(store: Database, grown: Realm) -> None:
    async with store.transaction(grown.statements, read_only=True) as session:
        bounds = WalkBounds(steps=2, edges=7, entities=100)
        area = await walk(session, [1], [], [], [1], bounds, asked_time(QueryParam(as_believed_at=MARK)))
    assert (len(area.entities), len(area.edges)) == (8, 7)


async def test_the_last_stamp_as_a_mark_is_now(store: Database, stamped: Realm) -> None:
    hits = await found(store, stamped, 1234, EARLY + LATER + PAST, as_believed_at="2022-01-01T00:00:00.000000Z")
    assert sorted(hits.ids) == list(range(1, LATER + EARLY + 1))


async def test_one_moment_before_the_last_stamp_is_the_past(store: Database, stamped: Realm) -> None:
    hits = await found(store, stamped, 1234, EARLY + LATER + PAST, as_believed_at="2021-12-31T23:59:59.999999Z")
    assert sorted(hits.ids) == list(range(LATER + 1, LATER + EARLY + PAST + 1))
