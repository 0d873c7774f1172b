"""Each channel finds what it is there for, and every hit says which channels found it."""

from __future__ import annotations

import pytest

from post_graph_rag.records import Channel, ChannelRank, PassageHit, QueryData, QueryParam
from post_graph_rag.retrieve.pipeline import Reader, retrieve


def passage(data: QueryData, document: str) -> PassageHit:
    return next(hit for hit in data.passages if hit.sources[0].document == document)


def documents(data: QueryData) -> list[str]:
    return [hit.sources[0].document for hit in data.passages]


def rank(places: tuple[ChannelRank, ...], channel: Channel) -> int | None:
    return next((place.rank for place in places if place.channel == channel), None)


async def test_passage_vectors_rank_the_passage_nearest_in_meaning_first(world: Reader) -> None:
    data = await retrieve(world, "a long summer of talks", QueryParam(mode="naive"))
    assert rank(passage(data, "kestrel.md").channels, "passage_vector") == 1


@pytest.mark.parametrize("asked", ["INV-2024/07", "3f2b8c1e-9d4a-4c6b-8e21-5a7f0c9d1b2e", "what is inv-2024/07?"])
async def test_passage_words_find_identifiers(world: Reader, asked: str) -> None:
    data = await retrieve(world, asked)
    assert rank(passage(data, "invoice.md").channels, "passage_text") == 1


async def test_passage_words_find_scripts_without_blanks(world: Reader) -> None:
    data = await retrieve(world, "東京タワーはどこですか")
    assert rank(passage(data, "tokyo.md").channels, "passage_text") == 1


async def test_a_name_inside_a_question_in_a_script_without_blanks_is_found(world: Reader) -> None:
    data = await retrieve(world, "東京タワーはどこですか")
    assert rank(data.entities[0].channels, "entity_name") == 1
    assert data.entities[0].name == "東京タワー"


async def test_a_name_in_the_question_is_the_first_hit_of_the_name_channel(world: Reader) -> None:
    data = await retrieve(world, "what became of ORION FOUNDRY?")
    found = {hit.name: rank(hit.channels, "entity_name") for hit in data.entities}
    assert found["Orion Foundry"] == 1


async def test_an_alias_in_the_question_finds_the_entity_it_is_merged_into(world: Reader) -> None:
    data = await retrieve(world, "what became of OF Ltd?")
    found = {hit.name: rank(hit.channels, "entity_name") for hit in data.entities}
    assert found["Orion Foundry"] == 1


async def test_passages_of_a_merged_entity_are_reached_from_the_one_it_is_merged_into(world: Reader) -> None:
    data = await retrieve(world, "Orion Foundry", QueryParam(mode="local"))
    assert rank(passage(data, "alias.md").channels, "walk") is not None


async def test_entity_vectors_find_entities_without_their_whole_name(world: Reader) -> None:
    data = await retrieve(world, "which foundry?")
    found = {hit.name: rank(hit.channels, "entity_vector") for hit in data.entities}
    assert found["Orion Foundry"] == 1


@pytest.mark.parametrize("channel", ["relation_vector", "relation_text"])
async def test_relations_are_found_by_meaning_and_by_words(world: Reader, channel: Channel) -> None:
    data = await retrieve(world, "the mayor of Trieste")
    found = {(hit.subject, hit.predicate, hit.object): rank(hit.channels, channel) for hit in data.relations}
    assert found["Ada Vidal", "mayor_of", "Trieste"] == 1


async def test_the_walk_follows_facts_in_their_direction(world: Reader) -> None:
    data = await retrieve(world, "Kestrel Holdings", QueryParam(mode="local", max_hops=2))
    assert rank(passage(data, "orion.md").channels, "walk") is not None


async def test_the_walk_follows_facts_against_their_direction(world: Reader) -> None:
    data = await retrieve(world, "Trieste", QueryParam(mode="local", max_hops=2))
    assert rank(passage(data, "kestrel.md").channels, "walk") is not None


async def test_the_walk_stops_after_max_hops(world: Reader) -> None:
    data = await retrieve(world, "the cello", QueryParam(mode="local", max_hops=1, top_k=1))
    assert "orion.md" not in documents(data)


async def test_a_relation_brings_a_passage_that_states_it(world: Reader) -> None:
    data = await retrieve(world, "the mayor of Trieste", QueryParam(top_k=1))
    relation = data.relations[0]
    assert rank(passage(data, "trieste.md").channels, "evidence") == 1
    assert relation.passages == (passage(data, "trieste.md").id,)


async def test_weight_counts_passages_and_confidence_is_the_best(world: Reader) -> None:
    data = await retrieve(world, "Kestrel Holdings acquired Orion Foundry")
    fact = next(hit for hit in data.relations if hit.predicate == "acquired")
    assert (fact.weight, fact.confidence, len(fact.passages)) == (2, 1.0, 2)


async def test_a_fact_says_when_it_held(world: Reader) -> None:
    data = await retrieve(world, "Kestrel Holdings acquired Orion Foundry")
    fact = next(hit for hit in data.relations if hit.predicate == "acquired")
    assert [(period.start, period.end, period.dated) for period in fact.periods] == [("2019", "2021", True)]


async def test_a_passage_says_where_it_stands(world: Reader) -> None:
    hit = passage(await retrieve(world, "a long summer of talks"), "kestrel.md")
    assert (hit.sources[0].title, hit.metadata, hit.observed_at) == ("The sale", {"desk": "business"}, "2023-05")
    assert (hit.sources[0].start, hit.sources[0].end) == (0, len(hit.text))


async def test_an_entity_names_passages_that_mention_it(world: Reader) -> None:
    data = await retrieve(world, "Ada Vidal", QueryParam(mode="local"))
    entity = next(hit for hit in data.entities if hit.name == "Ada Vidal")
    assert {passage(data, "trieste.md").id, passage(data, "mayor.md").id} == set(entity.passages)


async def test_hits_come_best_first(world: Reader) -> None:
    data = await retrieve(world, "who bought Orion Foundry?")
    for hits in (data.passages, data.entities, data.relations):
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)


async def test_a_channel_of_weight_zero_adds_nothing(world: Reader) -> None:
    param = QueryParam(weights={"walk": 0, "passage_vector": 0, "evidence": 0}, top_k=1)
    data = await retrieve(world, "INV-2024/07", param)
    assert documents(data)[0] == "invoice.md"
    assert rank(data.passages[0].channels, "passage_text") == 1
