"""Relations, read as groups of assertions and written as differences."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from post_graph_rag.periods import Closing, Holding, Override, Span, Testimony
from post_graph_rag.store.database import Session
from post_graph_rag.store.rows import Rows, as_json


@dataclass(frozen=True, slots=True)
class Rule:
    """Of the facts of an exclusive group only one holds at a time, per subject, object or pair of the two."""

    per: str
    exclusive: str


@dataclass(frozen=True, slots=True)
class Carrier:
    """A live assertion that carries a relation, and what it says of when; new: it is no evidence of it yet."""

    id: int
    passage: int
    new: bool
    testimony: Testimony


@dataclass(frozen=True, slots=True)
class Group:
    """A relation with what is live of it and what is written down of it now.

    best: the best wording among its live assertions; None where it has none. carried: live assertions that are no
    evidence of it yet, or all. gone: its evidence that is live no more.
    rules: which it falls under. verdicts: pairs of relations, itself one of them, that exclude one another,
    and the model that says so.
    """

    space: int
    subject: int
    predicate: str
    object: int
    negated: bool
    relation: int | None
    fact: str | None
    current: bool
    pending: bool
    subject_name: str
    object_name: str
    subject_key: str
    object_key: str
    said: frozenset[Testimony]
    best: str | None
    carried: tuple[Carrier, ...]
    gone: tuple[int, ...]
    periods: Mapping[Holding, int]
    rules: tuple[Rule, ...]
    verdicts: tuple[tuple[int, int, str], ...]
    word: Override | None


async def fetch_groups(
    session: Session,
    passages: Iterable[int] = (),
    moved: Iterable[int] = (),
    relations: Iterable[int] = (),
    *,
    evidence: Literal["new", "every", "none"] = "new",
) -> list[Group]:
    """Relations touched by changed passages, by entities that were merged or taken apart, and others by id.

    evidence: what of their evidence is told: what is new and gone, all of it, or nothing.
    """
    rows = await session.rows("fetch_groups", sorted(passages), sorted(moved), sorted(relations), evidence)
    return [_group(row) for row in rows]


def _group(row: Mapping[str, Any]) -> Group:
    return Group(
        space=row["space"],
        subject=row["subject"],
        predicate=row["predicate"],
        object=row["object"],
        negated=row["negated"],
        relation=row["relation"],
        fact=row["fact"],
        current=bool(row["current"]),
        pending=bool(row["pending"]),
        subject_name=row["subject_name"],
        object_name=row["object_name"],
        subject_key=row["subject_key"],
        object_key=row["object_key"],
        best=row["best"],
        said=frozenset(_testimony(*item) for item in _items(row["said"])),
        carried=tuple(_carrier(*item) for item in _items(row["carried"])),
        gone=tuple(row["gone"] or ()),
        periods={_holding(*item): id for id, *item in _items(row["periods"])},
        rules=tuple(Rule(*item) for item in _items(row["rules"])),
        verdicts=tuple((one, other, model) for one, other, model in _items(row["verdicts"])),
        word=Override(*json.loads(row["word"])) if row["word"] else None,
    )


def _items(text: str | None) -> list[Any]:
    return json.loads(text) or [] if text else []


def _carrier(id: int, passage: int, new: bool, *when: Any) -> Carrier:
    return Carrier(id, passage, new, _testimony(*when))


def _testimony(dated: bool, starts: int | None, ends: int | None, at: int | None) -> Testimony:
    return Testimony(Span(starts, ends) if dated else None, at)


def _holding(
    dated: bool, starts: int | None, ends: int | None, closed_by: Mapping[str, Any] | None, retracted: bool
) -> Holding:
    closing = closed_by and Closing(closed_by["cause"], frozenset(closed_by["relations"]), closed_by["reason"])
    return Holding(Span(starts, ends), dated, closing or None, retracted)


Points = Sequence[tuple[int, int]]
"""Of one slot: moments, each with a relation that is said to hold then; one may come twice."""


async def fetch_slots(session: Session, slots: Iterable[str]) -> dict[str, Points]:
    """The points of slots, by name; those without any are left out."""
    if not (wanted := sorted(slots)):
        return {}
    rows = await session.rows("fetch_slots", wanted)
    return {row["slot"]: list(zip(row["moments"], row["relations"], strict=True)) for row in rows}


@dataclass(frozen=True, slots=True)
class GroupChanges:
    """What is to be written of relations; rows refer to one another by n.

    renewed: relations all of whose points are among those to be written.
    """

    relations: Rows
    periods: Rows
    evidence: Rows
    points: Rows
    ended_periods: Sequence[int]
    ended_evidence: Sequence[tuple[int, int]]
    renewed: Sequence[int]


async def apply_groups(session: Session, changes: GroupChanges, stamp: datetime) -> dict[int, int]:
    """Write the difference; returns the relation's id for each n."""
    names = ("relations", "periods", "evidence", "points")
    ended = changes.ended_evidence
    rows = await session.rows(
        "apply_groups",
        as_json({name: getattr(changes, name) for name in names}),
        list(changes.ended_periods),
        [relation for relation, _ in ended],
        [assertion for _, assertion in ended],
        list(changes.renewed),
        stamp,
    )
    return {row["n"]: row["relation"] for row in rows}
