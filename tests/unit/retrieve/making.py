"""Hits for unit tests."""

from __future__ import annotations

from collections.abc import Sequence

from post_graph_rag.records import PassageHit, Period, QueryData, RelationHit, Source
from post_graph_rag.retrieve.context import fitted, with_context
from post_graph_rag.retrieve.room import Room


def a_passage(number: int, text: str, *, document: str = "", title: str | None = None) -> PassageHit:
    where = Source(document=document or f"doc-{number}", title=title, ordinal=0, start=0, end=len(text))
    return PassageHit(id=number, text=text, space="default", score=1 / number, channels=(), sources=(where,))


def a_fact(
    number: int, fact: str, passages: Sequence[int] = (), *, negated: bool = False, periods: Sequence[Period] = ()
) -> RelationHit:
    return RelationHit(
        id=number,
        subject="Ada",
        predicate="works_at",
        object="Acme",
        negated=negated,
        fact=fact,
        periods=tuple(periods),
        space="default",
        score=1 / number,
        channels=(),
        passages=tuple(passages),
    )


def found(passages: Sequence[PassageHit] = (), facts: Sequence[RelationHit] = ()) -> QueryData:
    return QueryData(question="who?", mode="mix", passages=tuple(passages), relations=tuple(facts))


def write_context(room: Room, data: QueryData) -> QueryData:
    """With the context that fits into the room."""
    return with_context(room, data, fitted(room, data))
