"""A question sees the spaces it names and no other, in every channel."""

from __future__ import annotations

import pytest

from post_graph_rag.errors import SpaceNotFound
from post_graph_rag.records import Mode, QueryData, QueryParam
from post_graph_rag.retrieve.pipeline import Reader, retrieve
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm
from tests.integration.retrieve.conftest import reader_of


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


async def test_the_engines_own_space_is_refused_when_only_others_were_filled(world: Reader) -> None:
    reader = Reader(world.database, world.realm, world.embedding, world.tokenizer, space="mine")
    with pytest.raises(SpaceNotFound, match="'mine'"):
        await retrieve(reader, "who?")


async def test_the_engines_own_space_finds_nothing_in_an_empty_realm(store: Database, realm: Realm) -> None:
    data = await retrieve(reader_of(store, realm), "who?")
    assert (data.passages, data.entities, data.relations, data.context) == ((), (), (), "")


async def test_another_space_is_refused_in_an_empty_realm(store: Database, realm: Realm) -> None:
    with pytest.raises(SpaceNotFound):
        await retrieve(reader_of(store, realm), "who?", QueryParam(space="mine"))
