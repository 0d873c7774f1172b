"""A few documents among many are searched in full: what they hold is found as exactly as if nothing else were there."""

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
from post_graph_rag.store.search import VectorChannel, nearest
from post_graph_rag.store.statements import render, sources
from tests.servers import fresh_database

WIDTH = 16
MANY, SHELVES = 2000, 100
"""Documents, each of one passage, one entity and one relation, and how many shelves they stand on."""
FEW = list(range(7, MANY + 1, SHELVES))
NUMBERS = f"generate_series(1, {MANY}) n"
VECTOR = f"ARRAY(SELECT sin(n * k * k + k) FROM generate_series(1, {WIDTH}) k)::real[]::{{vector}}"
FILL = f"""
INSERT INTO {{record}}.space (name) VALUES ('default');
INSERT INTO {{record}}.document (space, digest, key)
SELECT 1, sha256(convert_to('d' || n, 'UTF8')), 'd' || n FROM {NUMBERS};
INSERT INTO {{record}}.document_version
    (document, text_hash, context_hash, metadata_hash, source, context, metadata, recorded)
SELECT n, '', '', '', 's' || n % {SHELVES}, '{{}}', jsonb_build_object('shelf', n % {SHELVES}), tstzrange(now(), NULL)
FROM {NUMBERS};
INSERT INTO {{record}}.passage (space, text_hash, context_hash, text, tokens, extractor)
SELECT 1, convert_to('p' || n, 'UTF8'), '', 'p' || n, 1, 'test' FROM {NUMBERS};
INSERT INTO {{record}}.document_passage (version, passage, ordinal, starts, ends, recorded)
SELECT n, n, 0, 0, 1, tstzrange(now(), NULL) FROM {NUMBERS};
INSERT INTO {{record}}.entity (space, key, canonical, current) SELECT 1, 'e' || n, n, true FROM {NUMBERS};
INSERT INTO {{record}}.entity_presence (entity, recorded) SELECT n, tstzrange(now(), NULL) FROM {NUMBERS};
INSERT INTO {{record}}.mention (passage, entity, recorded) SELECT n, n, tstzrange(now(), NULL)
FROM {NUMBERS};
INSERT INTO {{record}}.relation (space, subject, predicate, object, negated, fact, current)
SELECT 1, n, 'knows', n % {MANY} + 1, false, '', true FROM {NUMBERS};
INSERT INTO {{record}}.relation_period (relation, valid, dated, recorded)
SELECT n, '(,)', false, tstzrange(now(), NULL) FROM {NUMBERS};
INSERT INTO {{record}}.assertion (passage, subject, predicate, object, negated, fact, confidence, recorded)
SELECT n, n, 'knows', n % {MANY} + 1, false, '', 1, tstzrange(now(), NULL) FROM {NUMBERS};
INSERT INTO {{record}}.relation_evidence (relation, assertion, passage, recorded)
SELECT n, n, n, tstzrange(now(), NULL) FROM {NUMBERS};
INSERT INTO {{passage_vector}} (id, space, current, embedding) SELECT n, 1, true, {VECTOR} FROM {NUMBERS};
INSERT INTO {{entity_vector}} (id, space, current, embedding) SELECT n, 1, true, {VECTOR} FROM {NUMBERS};
INSERT INTO {{relation_vector}} (id, space, current, embedding) SELECT n, 1, true, {VECTOR} FROM {NUMBERS};
ANALYZE
"""
CHANNELS: tuple[VectorChannel, ...] = ("passage_vector", "entity_vector", "relation_vector")


@pytest.fixture(scope="module")
def indexed_dsn(server_dsn: str, template_database: str) -> Iterator[str]:
    """A database whose realm has an index on each kind of vectors; tests only read it."""
    with fresh_database(server_dsn, f"pgr_{uuid.uuid4().hex[:12]}", template_database) as dsn:
        asyncio.run(grow(dsn))
        yield dsn


async def grow(dsn: str) -> None:
    store = Database(dsn, pool_size=1)
    realm = await ensure_realm(store, "shelves", "scripted-embedding", WIDTH, "none")
    connection = await asyncpg.connect(dsn)
    await connection.execute(render(FILL, realm.names))
    for kind in CHANNELS:
        names = {**realm.names, "table": realm.names[kind], "index": f"{kind}_1_hnsw"}
        await connection.execute(render(sources()["create_vector_indexes"], names))
    await connection.close()
    await store.close()


@pytest.fixture
async def store(indexed_dsn: str) -> AsyncIterator[Database]:
    opened = Database(indexed_dsn, pool_size=1)
    yield opened
    await opened.close()


@pytest.fixture
async def shelves(store: Database) -> Realm:
    return await find_realm(store, "shelves")


def vectors_of(numbers: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.array([[np.sin(n * k * k + k) for k in range(1, WIDTH + 1)] for n in numbers], np.float32)


def exactly(asked: int, among: list[int], most: int) -> list[int]:
    """The nearest of these by cosine, computed here."""
    units = vectors_of(among) / np.linalg.norm(vectors_of(among), axis=1, keepdims=True)
    return [among[place] for place in np.argsort(-(units @ vectors_of([asked])[0]))[:most].tolist()]


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize(
    ("asked", "few"),
    [
        ({"metadata": {"shelf": 7}}, FEW),
        ({"sources": ("s7",)}, FEW),
        ({"documents": tuple(f"d{n}" for n in FEW[:12])}, FEW[:12]),
        ({"documents": tuple(f"d{n}" for n in range(1, 151))}, list(range(1, 151))),
    ],
    ids=["metadata", "source", "keys", "many keys"],
)
async def test_a_small_group_is_found_in_full_behind_an_index_on_vectors(
    store: Database, shelves: Realm, channel: VectorChannel, asked: Any, few: list[int]
) -> None:
    async with store.transaction(shelves.statements, read_only=True) as session:
        hits = await nearest(session, vectors_of([1234]), [(channel, 0)], [1], 10, asked_time(QueryParam(**asked)))
    assert hits[channel].ids == exactly(1234, few, 10)


async def test_all_that_a_small_group_has_is_found_where_more_is_asked_for(store: Database, shelves: Realm) -> None:
    when = asked_time(QueryParam(metadata={"shelf": 7}))
    async with store.transaction(shelves.statements, read_only=True) as session:
        hits = await nearest(session, vectors_of([1234]), [("passage_vector", 0)], [1], 100, when)
    assert sorted(hits["passage_vector"].ids) == FEW
