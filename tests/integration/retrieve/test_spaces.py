"""A question sees the spaces it names and no other, in every channel."""

from __future__ import annotations

import asyncpg
import pytest

from post_graph_rag.errors import SpaceNotFound
from post_graph_rag.records import Channel, Mode, QueryData, QueryParam
from post_graph_rag.retrieve.pipeline import Library, Reader, retrieve
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm
from tests.integration.retrieve.conftest import reader_of
from tests.integration.retrieve.filling import Fact, Filler


def spaces(data: QueryData) -> set[str]:
    return {hit.space for hits in (data.passages, data.entities, data.relations) for hit in hits}


@pytest.mark.parametrize("mode", ["mix", "local", "naive"])
@pytest.mark.parametrize("space", ["default", "other"])
async def test_one_space_does_not_see_another(world: Reader, mode: Mode, space: str) -> None:
    data = await retrieve(world, "Orion Foundry casts bells", QueryParam(mode=mode, space=space, top_k=50))
    assert spaces(data) == {space}


async def test_no_space_means_the_engines_own(world: Reader) -> None:
    assert spaces(await retrieve(world, "Orion Foundry casts bells")) == {"default"}


@pytest.mark.parametrize("space", ["*", ("default", "other"), ("other", "*")])
async def test_several_spaces_are_searched_together(world: Reader, space: str | tuple[str, ...]) -> None:
    data = await retrieve(world, "Orion Foundry casts bells", QueryParam(space=space))
    assert spaces(data) == {"default", "other"}


@pytest.mark.parametrize("space", ["nowhere", ("default", "nowhere"), "x'; DROP TABLE space; --"])
async def test_an_unknown_space_is_refused(world: Reader, space: str | tuple[str, ...]) -> None:
    with pytest.raises(SpaceNotFound, match="index into it first"):
        await retrieve(world, "who?", QueryParam(space=space))


async def test_the_engines_own_space_is_refused_when_only_others_were_filled(shelves: Library) -> None:
    reader = reader_of(shelves.database, shelves.realm, space="mine")
    with pytest.raises(SpaceNotFound, match="'mine'"):
        await retrieve(reader, "who?")


async def test_the_engines_own_space_finds_nothing_in_an_empty_realm(store: Database, realm: Realm) -> None:
    data = await retrieve(reader_of(store, realm), "who?")
    assert (data.passages, data.entities, data.relations, data.context) == ((), (), (), "")


async def test_another_space_is_refused_in_an_empty_realm(store: Database, realm: Realm) -> None:
    with pytest.raises(SpaceNotFound):
        await retrieve(reader_of(store, realm), "who?", QueryParam(space="mine"))


@pytest.mark.parametrize("channel", ["passage_vector", "entity_vector", "relation_vector"])
async def test_a_small_space_beside_a_large_one_gets_all_its_hits(
    filler: Filler, database: str, channel: Channel
) -> None:
    for number in range(400):
        filler.document(f"large-{number}", f"lamp {number}", [Fact(f"lamp {number}", "is", f"thing {number}")])
    for number in range(6):
        small = [Fact(f"kettle {number}", "holds", f"litre {number}")]
        filler.document(f"small-{number}", f"our kettle {number}", small, space="small")
    await filler.flush(database)
    connection = await asyncpg.connect(database)
    for name in ("passage_vector", "entity_vector", "relation_vector"):
        table = filler.realm.names[name]
        index = f"CREATE INDEX ON {table} USING hnsw (embedding vector_cosine_ops) WHERE current AND NOT tail"
        await connection.execute(index)
    # A scan of the index that gives up long before it meets the small space.
    await connection.execute("SET hnsw.max_scan_tuples = 1; SET hnsw.scan_mem_multiplier = 1")
    reader = reader_of(Database(connection=connection), filler.realm)
    data = await retrieve(reader, "lamp", QueryParam(space="small", top_k=6))
    await connection.close()
    hits = {"passage_vector": data.passages, "entity_vector": data.entities, "relation_vector": data.relations}[channel]
    ranks = sorted(place.rank for hit in hits for place in hit.channels if place.channel == channel)
    assert ranks == [1, 2, 3, 4, 5, 6]
