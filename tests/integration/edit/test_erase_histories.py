"""Random histories in which one document takes part, against the same without it: once it is erased, both are one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from post_graph_rag.engine import GraphRAG
from post_graph_rag.records import PredicateRule
from tests.integration.edit.forgetting import where_it_stands
from tests.integration.writing.support import Place, differences, document, faults

SECRET = "secret"
OWN = "Zyxquark leads Acme Corp since 2008-03."
LINES = [
    "Acme Corp acquired Birch Labs from 2001 until 2005.",
    "Acme Corp acquired Birch Labs from 2004 until 2009.",
    "Acme Corp acquired Birch Labs.",
    "Acme Corp never acquired Birch Labs.",
    "Ann Lee leads Acme Corp since 1990.",
    "Bob Ray leads Acme Corp since 2011.",
    "Cid Sun leads Acme Corp since 2003-05.",
    "Acme also known as Acme Corp hired Ann Lee.",
    "Acme Corp also known as Acme sued Dale Co.",
    "Birch Labs also known as Dale Co sold Elm Oil.",
    "Dale Co sued Elm Oil.",
    "Acme sold Elm Oil.",
]
NAMES = """
    SELECT e.key, n.name, n.alias FROM {r}.entity_name n JOIN {r}.entity e ON e.id = n.entity
    WHERE n.recorded @> $1::text::timestamptz"""
Steps = list[tuple[str, tuple[str, ...]]]


def history(chance: random.Random) -> Steps:
    """Steps: a document and its lines; without lines it is deleted. The secret document has a line of its own."""
    steps: Steps = []
    for _ in range(chance.randint(5, 9)):
        key = chance.choice(["a", "b", SECRET])
        lines = chance.sample(LINES, chance.randint(1, 3))
        lines += [OWN] if key == SECRET else []
        steps.append((key, () if chance.random() < 0.2 else tuple(lines)))
    return steps


async def live(rag: GraphRAG, steps: Steps, without: str | None = None) -> list[str]:
    """Live through a history, one document left out of it; gives the mark after each step."""
    marks, there = [], set()
    for key, lines in steps:
        if lines and key != without:
            await rag.index_document(document(key, *lines))
            there.add(key)
        elif key in there:
            await rag.delete_document(key)
            there.remove(key)
        marks.append(await rag.watermark())
    return marks


async def names_at(place: Place, marks: Sequence[str]) -> list[frozenset[tuple[Any, ...]]]:
    """The names that were known at each mark."""
    return [frozenset(await place.rows(NAMES, mark)) for mark in marks]


@pytest.mark.parametrize("seed", range(6))
async def test_once_erased_a_document_has_never_been_there(place: Place, seed: int) -> None:
    other = Place(place.dsn)
    rag, plain = place.engine(), other.engine()
    for engine in (rag, plain):
        await engine.index_document(document("z", "Elm Oil hired Fay Orr."))
        await engine.set_rules([PredicateRule(predicate="leads", per="object")])
    steps = [("a", (LINES[seed],)), *history(random.Random(seed)), (SECRET, (OWN,))]
    marks, others = await live(rag, steps), await live(plain, steps, without=SECRET)
    await rag.erase_document(SECRET)
    assert differences(await place.content(), await other.content()) == {}
    assert await names_at(place, marks) == await names_at(other, others)
    assert await where_it_stands(place, "zyxquark", "2008-03", SECRET) == set()
    assert await faults(rag) == []
    await other.close()
