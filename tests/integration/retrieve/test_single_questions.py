"""Each question stands for itself, and says what its hits rest on."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from post_graph_rag.records import QueryData, QueryParam
from post_graph_rag.retrieve.pipeline import Reader, retrieve

FOUNDRY, MAYOR = "Who bought Orion Foundry?", "What does the mayor of Trieste play?"
PARAM = QueryParam(top_k=3, ll_keywords=("Orion Foundry",), fold=0.9, mmr=0.7, explain=True)


def told(data: QueryData) -> QueryData:
    """All but the times that steps took."""
    assert data.explain is not None
    return data.model_copy(update={"explain": data.explain.model_copy(update={"steps": ()})})


async def test_a_parameter_object_used_again_answers_as_a_new_one_does(world: Reader) -> None:
    alone = await retrieve(world, MAYOR, PARAM.model_copy())
    await retrieve(world, FOUNDRY, PARAM)
    assert told(await retrieve(world, MAYOR, PARAM)) == told(alone)


async def test_questions_asked_together_are_answered_as_alone(world: Reader) -> None:
    alone = [told(await retrieve(world, question, PARAM)) for question in (FOUNDRY, MAYOR)]
    together = await asyncio.gather(*(retrieve(world, question, PARAM) for question in (FOUNDRY, MAYOR) * 4))
    assert [told(data) for data in together] == alone * 4


async def test_hits_are_in_the_order_of_their_scores(world: Reader) -> None:
    data = await retrieve(world, FOUNDRY)
    orders = [[hit.score for hit in hits] for hits in (data.passages, data.entities, data.relations)]
    assert all(one >= other for scores in orders for one, other in pairwise(scores))


@pytest.mark.parametrize("param", [QueryParam(), QueryParam(top_k=1), QueryParam(mode="local", top_k=1, mmr=0.2)])
async def test_each_relation_rests_on_a_passage_that_is_returned_and_cited(world: Reader, param: QueryParam) -> None:
    data = await retrieve(world, FOUNDRY, param)
    cited = {reference.passage for reference in data.references}
    assert [relation for relation in data.relations if cited.isdisjoint(relation.passages)] == []


async def test_a_passage_that_carries_a_relation_still_names_the_channels_that_found_it(world: Reader) -> None:
    every = await retrieve(world, FOUNDRY, QueryParam(top_k=50))
    few = await retrieve(world, FOUNDRY, QueryParam(top_k=1))
    places = {hit.id: {one.channel for one in hit.channels if one.channel != "evidence"} for hit in every.passages}
    carried = [hit for hit in few.passages if "evidence" in {one.channel for one in hit.channels}]
    assert [places[hit.id] - {one.channel for one in hit.channels} for hit in carried] == [set()] * len(carried)
