"""A question explains itself: every candidate of every channel is returned or has a reason why it is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from benchmarks.sqlcount import counting
from post_graph_rag.records import Explanation, Mode, QueryData, QueryParam
from post_graph_rag.retrieve.pipeline import Reader, retrieve

ASKED = "Who is the mayor of the town where Orion Foundry, bought by Kestrel Holdings, casts propellers?"


async def explained(reader: Reader, **param: Any) -> tuple[QueryData, Explanation]:
    data = await retrieve(reader, ASKED, QueryParam(explain=True, **param))
    assert data.explain is not None
    return data, data.explain


def returned(data: QueryData, kind: str, channel: str) -> int:
    """How many of what is returned name this channel."""
    hits: Any = {"passage": data.passages, "entity": data.entities, "relation": data.relations}[kind]
    return sum(channel in {place.channel for place in hit.channels} for hit in hits)


class LastFirst:
    """A reranker that turns the order round."""

    async def rerank(self, question: str, passages: list[str]) -> list[float]:
        return [float(place) for place, _ in enumerate(passages)]


CASES: dict[str, Any] = {
    "all channels": {},
    "few": {"top_k": 1},
    "variety": {"top_k": 2, "mmr": 0.5},
    "folding": {"top_k": 3, "fold": 0.1},
    "floors": {"min_similarity": 0.3, "min_score": 0.03},
    "distance": {"top_k": 2, "node_distance": True},
    "turns": {"top_k": 2, "fusion": "quota"},
    "weights": {"top_k": 4, "weights": {"passage_text": 0, "walk": 0}},
    "a filter": {"top_k": 2, "documents": ("kestrel.md", "orion.md")},
    "another time": {"top_k": 2, "as_of": "2020"},
    "local": {"mode": "local", "top_k": 2},
    "naive": {"mode": "naive", "top_k": 2},
}


@pytest.mark.parametrize("param", CASES.values(), ids=list(CASES))
async def test_candidates_less_what_was_dropped_are_what_is_returned(world: Reader, param: Any) -> None:
    data, told = await explained(world, **param)
    left = {(f.kind, f.channel): len(f.candidates) - sum(f.dropped.values()) for f in told.funnels}
    assert left == {(kind, channel): returned(data, kind, channel) for kind, channel in left}


@pytest.mark.parametrize("param", CASES.values(), ids=list(CASES))
async def test_every_channel_of_a_hit_has_a_funnel(world: Reader, param: Any) -> None:
    data, told = await explained(world, **param)
    named = {place.channel for hit in (*data.passages, *data.entities, *data.relations) for place in hit.channels}
    assert named <= {funnel.channel for funnel in told.funnels}


@pytest.mark.parametrize(
    ("param", "reason"),
    [
        ({"top_k": 1}, "top_k"),
        ({"top_k": 2, "mmr": 0.5}, "mmr"),
        ({"min_similarity": 0.9}, "similarity"),
        ({"min_score": 1.0}, "score"),
        ({"mode": "naive", "weights": {"passage_vector": 0}}, "weight"),
    ],
)
async def test_what_is_dropped_says_why(world: Reader, param: Any, reason: str) -> None:
    _, told = await explained(world, **param)
    assert reason in {why for funnel in told.funnels for why in funnel.dropped}


async def test_a_reranker_is_named_where_it_dropped_something(world: Reader) -> None:
    data, told = await explained(replace(world, reranker=LastFirst()), top_k=2)
    (funnel,) = [one for one in told.funnels if one.channel == "passage_vector"]
    assert funnel.dropped["reranked"] == len(funnel.candidates) - returned(data, "passage", "passage_vector")


async def test_what_the_context_has_no_room_for_is_counted(world: Reader) -> None:
    _, told = await explained(world, max_total_tokens=450)
    (funnel,) = [one for one in told.funnels if one.channel == "passage_vector"]
    assert funnel.budget == sum(one.lost is None and not one.in_context for one in funnel.candidates) > 0


async def test_candidates_carry_rank_and_score_as_the_hits_do(world: Reader) -> None:
    data, told = await explained(world)
    ranks = {(f.channel, f.kind, one.id): (one.rank, one.score) for f in told.funnels for one in f.candidates}
    places = {(place.channel, "passage", hit.id): (place.rank, place.score) for hit in data.passages
              for place in hit.channels}  # fmt: skip
    assert places.items() <= ranks.items()


async def test_steps_name_the_statements_that_were_sent(world: Reader) -> None:
    await explained(world)
    with counting() as count:
        _, told = await explained(world)
    assert (sum(step.statements for step in told.steps), [step.name for step in told.steps if step.statements]) == (
        count.statements,
        ["spaces", "vectors", "words", "walk", "record"],
    )


async def test_an_explanation_holds_no_words_of_the_question_or_of_sources(world: Reader) -> None:
    _, told = await explained(world)
    assert not any(word in told.model_dump_json() for word in ("Kestrel", "Orion", "mayor", "kestrel.md"))


@pytest.mark.parametrize("mode", ["mix", "bypass"])
async def test_nothing_is_explained_unasked(world: Reader, mode: Mode) -> None:
    assert (await retrieve(world, ASKED, QueryParam(mode=mode))).explain is None
