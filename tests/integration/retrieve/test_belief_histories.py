"""Whatever a realm went through, each past mark shows what was shown then."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import DocumentNotFound, EntityNotFound, InputError
from post_graph_rag.records import PredicateRule, QueryParam
from tests.integration.retrieve.beliefs import Seen, see
from tests.integration.writing.support import Place, document, faults

# Aliases learned early and late, claimed twice and withdrawn; dates that overlap, lie apart or are missing; denials;
# facts of which only one can hold at a time.
WORLD = {
    "a": ("Acme hired Cora Doe since 2001.", "Acme hired Cora Doe from 1990 until 1992.\nAcme sued Delta."),
    "b": ("Acme Corporation also known as Acme bought Cedar Inc.", "Acme Corporation bought Cedar Inc since 2010."),
    "c": ("Acme Labs also known as Cedar sold Delta Inc until 2010.", "Zenith also known as Acme sold Delta Inc."),
    "d": ("Acme never hired Cora Doe.\nCedar hired Cora Doe.", "Acme hired Cora Doe.\nAcme sued Delta."),
    "e": ("Delta Inc also known as Delta sued Cedar.", "Delta also known as Delta Inc sued Cedar until 1999."),
}
WRITTEN = {"a": "2004", "b": "2012-03", "c": None, "d": "2015-06-01", "e": None}
RULES = (
    (PredicateRule(predicate="hired", per="object"),),
    (PredicateRule(predicate="bought", per="subject", exclusive="deal"),
     PredicateRule(predicate="sold", per="subject", exclusive="deal")),
)  # fmt: skip
NAMES = ("Acme", "Acme Corporation", "Acme Labs", "Cedar", "Cedar Inc", "Delta", "Delta Inc", "Cora Doe")
GIVEN = ("Acme of Ohio", "Somebody", None)
QUESTION = "What did Acme, Cedar and Delta do?"
VIEWS: Sequence[Mapping[str, Any]] = (
    {},
    {"include_superseded": True},
    {"as_of": "2002"},
    {"observed_before": "2013"},
    {"include_dormant": True},
)

Step: TypeAlias = tuple[str, int, int]
INDEX = st.tuples(st.just("index"), st.integers(0, len(WORLD) - 1), st.integers(0, 1))
STEP = st.one_of(
    INDEX,
    INDEX,
    INDEX,
    st.tuples(st.just("delete"), st.integers(0, len(WORLD) - 1), st.just(0)),
    st.tuples(st.just("rules"), st.just(0), st.integers(0, len(RULES) - 1)),
    st.tuples(st.just("close"), st.integers(0, 5), st.integers(0, 1)),
    st.tuples(st.just("reopen"), st.integers(0, 5), st.just(0)),
    st.tuples(st.just("merge"), st.integers(0, len(NAMES) - 1), st.integers(0, len(NAMES) - 1)),
    st.tuples(st.just("split"), st.integers(0, len(NAMES) - 1), st.just(0)),
    st.tuples(st.just("rename"), st.integers(0, len(NAMES) - 1), st.integers(0, len(GIVEN) - 1)),
)
STEPS = st.tuples(st.lists(INDEX, min_size=2, max_size=3), st.lists(STEP, min_size=3, max_size=7)).map(
    lambda parts: [*parts[0], *parts[1]]
)
TAKEN_BACK_WHILE_DORMANT = [("index", 0, 0), ("rename", 0, 1), ("delete", 0, 0), ("rename", 0, 2), ("index", 1, 0)]


async def index(rag: GraphRAG, number: int, version: int) -> None:
    key = sorted(WORLD)[number]
    await rag.index_documents([document(key, *WORLD[key][version].splitlines(), observed_at=WRITTEN[key])])


async def delete(rag: GraphRAG, number: int, _: int) -> None:
    await rag.delete_document(sorted(WORLD)[number])


async def rules(rag: GraphRAG, _: int, which: int) -> None:
    await rag.set_rules(RULES[which])


async def close(rag: GraphRAG, number: int, wholly: int) -> None:
    if known := await facts(rag):
        await rag.close_relation(known[number % len(known)], at=None if wholly else "2011", reason="Somebody knows.")


async def reopen(rag: GraphRAG, number: int, _: int) -> None:
    if known := await facts(rag):
        await rag.reopen_relation(known[number % len(known)], reason="Somebody knows better.")


async def merge(rag: GraphRAG, source: int, target: int) -> None:
    await rag.merge_entities([NAMES[source]], NAMES[target])


async def split(rag: GraphRAG, source: int, _: int) -> None:
    await rag.split_entity(NAMES[source])


async def rename(rag: GraphRAG, entity: int, name: int) -> None:
    await rag.rename_entity(NAMES[entity], GIVEN[name])


async def facts(rag: GraphRAG) -> list[int]:
    """Ids of all facts, superseded ones too, in an order that follows from what they say."""
    found = await rag.query_data(QUESTION, QueryParam(top_k=500, include_superseded=True))
    ordered = sorted(found.relations, key=lambda hit: (hit.subject, hit.predicate, hit.object, hit.negated))
    return [hit.id for hit in ordered]


TAKE: Mapping[str, Callable[[GraphRAG, int, int], Awaitable[None]]] = {
    "index": index,
    "delete": delete,
    "rules": rules,
    "close": close,
    "reopen": reopen,
    "merge": merge,
    "split": split,
    "rename": rename,
}


Shown = dict[str, list[Seen]]


async def views(rag: GraphRAG, **param: Any) -> list[Seen]:
    return [await see(rag, QUESTION, **view, **param) for view in VIEWS]


async def lead_through(dsn: str, steps: Sequence[Step]) -> tuple[Shown, Shown, object]:
    """What was shown at each mark, then and in the end, and what is wrong with the realm."""
    place = Place(dsn)
    rag = place.engine()
    then: Shown = {}
    for name, *which in steps:
        with suppress(
            DocumentNotFound, EntityNotFound, InputError
        ):  # not every word fits every state; a refused one changes nothing
            await TAKE[name](rag, *which)
        then[await rag.watermark()] = await views(rag)
    later = {mark: await views(rag, as_believed_at=mark) for mark in then}
    wrong = await faults(rag)
    await place.close()
    return then, later, wrong


@settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS)
@example(steps=TAKEN_BACK_WHILE_DORMANT)
def test_every_past_mark_shows_what_was_shown_then(belief_dsn: str, steps: list[Step]) -> None:
    then, later, wrong = asyncio.run(lead_through(belief_dsn, steps))
    assert later == then
    assert wrong == []


@pytest.mark.extended
@pytest.mark.timeout(1800)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS)
def test_every_past_mark_shows_what_was_shown_then_in_many_histories(belief_dsn: str, steps: list[Step]) -> None:
    then, later, wrong = asyncio.run(lead_through(belief_dsn, steps))
    assert later == then
    assert wrong == []
