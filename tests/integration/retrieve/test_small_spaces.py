"""A small space beside a large one is found in full, although an index on vectors leads past it."""

from __future__ import annotations

import asyncpg
import numpy as np
import pytest

from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm, ensure_realm
from post_graph_rag.store.search import VectorChannel, nearest
from post_graph_rag.store.statements import render, sources

WIDTH = 8
LARGE, SMALL, MIDDLE = 4000, 60, 4100
"""Vectors of each space: the small one has less than one in a hundred, the middle one is not read whole."""
KINDS: tuple[VectorChannel, ...] = ("passage_vector", "entity_vector", "relation_vector")
SPACES = "INSERT INTO {record}.space (name) VALUES ('large'), ('small'), ('middle')"
FILL = f"""
INSERT INTO {{table}} (id, space, current, embedding)
SELECT n, CASE WHEN n <= {LARGE} THEN 1 WHEN n <= {LARGE + SMALL} THEN 2 ELSE 3 END, true,
       ARRAY(SELECT sin(n * k * k + k) FROM generate_series(1, {WIDTH}) k)::real[]::{{vector}}
FROM generate_series(1, {LARGE + SMALL + MIDDLE}) n;
ANALYZE {{table}}
"""


@pytest.fixture
async def crowded(store: Database, database: str) -> Realm:
    """A realm with a large, a small and a middle space, and indexes on the vectors of all."""
    realm = await ensure_realm(store, "crowded", "scripted-embedding", WIDTH, "none")
    connection = await asyncpg.connect(database)
    await connection.execute(render(SPACES, realm.names))
    for kind in KINDS:
        names = {**realm.names, "table": realm.names[kind], "index": f"{kind}_1_hnsw"}
        await connection.execute(render(FILL, names))
        await connection.execute(render(sources()["create_vector_indexes"], names))
    await connection.close()
    return realm


def vectors(first: int, count: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    numbers = np.arange(1, WIDTH + 1)
    return np.sin(np.outer(np.arange(first, first + count), numbers**2) + numbers).astype(np.float32)


async def found(store: Database, realm: Realm, space: int, most: int) -> dict[VectorChannel, list[int]]:
    async with store.transaction(realm.statements, read_only=True) as session:
        hits = await nearest(session, vectors(7, 1), [(kind, 0) for kind in KINDS], [space], most)
    return {kind: hits[kind].ids for kind in KINDS}


def exact(first: int, count: int, most: int) -> list[int]:
    rows = vectors(first, count)
    scores = rows @ vectors(7, 1)[0] / np.linalg.norm(rows, axis=1)
    return [first + int(place) for place in np.argsort(-scores)[:most]]


async def test_a_small_space_gives_all_that_is_asked_for_exactly(store: Database, crowded: Realm) -> None:
    wanted = exact(LARGE + 1, SMALL, 40)
    assert await found(store, crowded, 2, 40) == dict.fromkeys(KINDS, wanted)


async def test_a_space_that_is_not_small_gives_nearly_what_is_nearest(store: Database, crowded: Realm) -> None:
    wanted = set(exact(LARGE + SMALL + 1, MIDDLE, 40))
    hits = await found(store, crowded, 3, 40)
    assert {kind: len(wanted & set(ids)) >= 38 for kind, ids in hits.items()} == dict.fromkeys(KINDS, True)
