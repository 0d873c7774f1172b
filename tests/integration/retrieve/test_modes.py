"""Each mode does only the work it uses, in a number of statements that does not depend on what is found."""

from __future__ import annotations

import pytest

from benchmarks.sqlcount import counting
from post_graph_rag.errors import InputError, NoCommunities, WidthMismatch
from post_graph_rag.records import Channel, ChannelRank, Message, Mode, QueryData, QueryParam
from post_graph_rag.retrieve.pipeline import Library, Reader, prepare, retrieve
from post_graph_rag.store.database import Database
from post_graph_rag.testing import ScriptedEmbedding
from tests.integration.retrieve.conftest import reader_of
from tests.integration.retrieve.filling import Fact, Filler


def channels(data: QueryData) -> set[str]:
    return {
        place.channel
        for hits in (data.passages, data.entities, data.relations)
        for hit in hits
        for place in hit.channels
    }


def top(channel: Channel, score: float) -> ChannelRank:
    return ChannelRank(channel=channel, rank=1, score=score)


async def test_mix_uses_every_channel(world: Reader) -> None:
    assert channels(await retrieve(world, "who bought Orion Foundry?")) == {
        "passage_vector",
        "passage_text",
        "entity_vector",
        "entity_name",
        "relation_vector",
        "relation_text",
        "walk",
        "evidence",
    }


async def test_local_starts_from_entities_and_walks(world: Reader) -> None:
    data = await retrieve(world, "who bought Orion Foundry?", QueryParam(mode="local"))
    assert channels(data) == {"entity_vector", "entity_name", "walk", "evidence"}
    assert data.passages
    assert data.relations


async def test_naive_is_passages_by_vector_alone(world: Reader) -> None:
    data = await retrieve(world, "who bought Orion Foundry?", QueryParam(mode="naive"))
    assert channels(data) == {"passage_vector"}
    assert (data.entities, data.relations) == ((), ())


async def test_bypass_finds_nothing_and_asks_no_model_for_vectors(world: Reader, shelves: Library) -> None:
    data = await retrieve(world, "who bought Orion Foundry?", QueryParam(mode="bypass"))
    assert (data.passages, data.entities, data.relations, data.context) == ((), (), (), "")
    assert isinstance(shelves.embedding, ScriptedEmbedding)
    assert shelves.embedding.requests == 0


@pytest.mark.parametrize("mode", ["global", "hybrid"])
async def test_modes_over_communities_are_refused_while_there_are_none(world: Reader, mode: Mode) -> None:
    with pytest.raises(NoCommunities, match="mix"):
        await retrieve(world, "who?", QueryParam(mode=mode))


@pytest.mark.parametrize(("mode", "statements"), [("mix", 5), ("local", 5), ("naive", 3), ("bypass", 0)])
@pytest.mark.parametrize("asked", ["who bought Orion Foundry?", "zzz"])
async def test_statements_are_constant(world: Reader, mode: Mode, statements: int, asked: str) -> None:
    with counting() as count:
        await retrieve(world, asked, QueryParam(mode=mode, top_k=50))
    assert count.statements == statements


async def test_all_texts_of_a_question_are_embedded_in_one_request(world: Reader, shelves: Library) -> None:
    param = QueryParam(
        subqueries=("who buys?", "what is cast?"), hl_keywords=("sale",), ll_keywords=("Kestrel", "Orion")
    )
    await retrieve(world, "who bought Orion Foundry?", param)
    assert isinstance(shelves.embedding, ScriptedEmbedding)
    assert shelves.embedding.requests == 1
    assert shelves.embedding.texts == [
        "who bought Orion Foundry?",
        "who buys?",
        "what is cast?",
        "Kestrel, Orion",
        "sale",
    ]


async def test_a_search_query_is_searched_and_the_question_is_kept(world: Reader) -> None:
    data = await retrieve(world, "and then?", QueryParam(mode="naive", search_query="a long summer of talks", top_k=1))
    assert data.passages[0].sources[0].document == "kestrel.md"
    assert data.question == "and then?"


async def test_a_parameter_object_leaves_nothing_behind(world: Reader) -> None:
    param = QueryParam(mode="naive", top_k=1)
    await retrieve(world, "a long summer of talks", param)
    data = await retrieve(world, "who plays the cello", param)
    assert data.passages[0].sources[0].document == "mayor.md"


@pytest.mark.parametrize("asked", ["", "   \n\t"])
async def test_an_empty_question_is_refused(world: Reader, asked: str) -> None:
    with pytest.raises(InputError, match="empty"):
        await retrieve(world, asked)


@pytest.mark.parametrize(
    "asked",
    [
        '& | ! : * ( "',
        "it's \\ $$ ; DROP TABLE passage; --",
        "a\x00b \ud800 c",
        "x" * 600,
        "word " * 5000,
        "%s {record} $1 :name",
        "the of and is it who",
        "🙂",
        "𝒜𝓃 ﬁne ½",
    ],
)
async def test_any_question_is_data(world: Reader, asked: str) -> None:
    data = await retrieve(world, asked, QueryParam(max_total_tokens=50_000))
    assert data.passages
    assert "\x00" not in data.question


async def test_every_text_of_a_parameter_is_data(world: Reader) -> None:
    hostile = "'; $$ \\ \x00 \ud800 {record} $1 " + "x" * 600
    param = QueryParam(
        search_query=hostile,
        hl_keywords=(hostile,),
        ll_keywords=(hostile,),
        subqueries=(hostile,),
        conversation_history=(Message(role="user", content=hostile),),
        response_type=hostile,
    )
    data, request = await prepare(world, hostile, param)
    assert data.passages
    assert all(message.content.encode() for message in request.messages)


@pytest.mark.parametrize("mark", ["&", "!c", "d*", '"e"', '( "e"'])
async def test_marks_of_query_languages_are_searched_as_they_stand(world: Reader, mark: str) -> None:
    data = await retrieve(world, f"parser {mark}")
    first = next(hit for hit in data.passages for place in hit.channels if place == top("passage_text", place.score))
    assert first.sources[0].document == "odd.md"


async def test_a_question_of_common_words_finds_what_the_other_channels_find(world: Reader) -> None:
    data = await retrieve(world, "is it the", QueryParam(top_k=50))
    by_vector = await retrieve(world, "is it the", QueryParam(mode="naive", top_k=50))
    assert {hit.id for hit in by_vector.passages} <= {hit.id for hit in data.passages}


async def test_vectors_of_another_width_are_refused(shelves: Library) -> None:
    other = reader_of(shelves.database, shelves.realm, ScriptedEmbedding(32))
    with pytest.raises(WidthMismatch, match="256"):
        await retrieve(other, "who?")


async def test_what_is_retired_is_not_found(filler: Filler, store: Database, database: str) -> None:
    filler.document("kept.md", "The kept lamp is green.", [Fact("lamp", "is", "green")])
    filler.document("gone.md", "The gone lamp is red.", [Fact("old lamp", "is", "red")])
    await filler.flush(database)
    await filler.retire(database, passage=2, relation=2, entities=(3, 4))
    data = await retrieve(reader_of(store, filler.realm), "the gone old lamp is red", QueryParam(top_k=50))
    assert [hit.sources[0].document for hit in data.passages] == ["kept.md"]
    assert [hit.fact for hit in data.relations] == ["lamp is green"]
    assert {hit.name for hit in data.entities} == {"lamp", "green"}
