"""Relations, read as groups of assertions and written as differences."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from post_graph_rag.periods import Holding, Span
from post_graph_rag.store.database import Session
from post_graph_rag.store.rows import Rows, as_json


@dataclass(frozen=True, slots=True)
class Stated:
    """One live assertion of a relation."""

    id: int
    passage: int
    span: Span | None
    fact: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Group:
    """A relation with all that is asserted of it and what is written down of it now."""

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
    assertions: tuple[Stated, ...]
    periods: Mapping[Holding, int]
    evidence: frozenset[int]


async def fetch_groups(session: Session, passages: Iterable[int], moved: Iterable[int]) -> list[Group]:
    """Relations touched by changed passages and by entities that were merged or taken apart."""
    rows = await session.rows("fetch_groups", sorted(passages), sorted(moved))
    return [_group(row) for row in rows]


def _group(row: Mapping[str, Any]) -> Group:
    return Group(
        **{name: row[name] for name in ("space", "subject", "predicate", "object", "negated", "relation", "fact")},
        current=bool(row["current"]),
        pending=bool(row["pending"]),
        **{name: row[name] for name in ("subject_name", "object_name", "subject_key", "object_key")},
        assertions=tuple(
            Stated(id, passage, Span(starts, ends) if dated else None, fact, confidence)
            for id, passage, dated, starts, ends, fact, confidence in json.loads(row["assertions"] or "[]")
        ),
        periods={
            Holding(Span(starts, ends), dated): id for id, dated, starts, ends in json.loads(row["periods"] or "[]")
        },
        evidence=frozenset(json.loads(row["evidence"] or "[]")),
    )


@dataclass(frozen=True, slots=True)
class GroupChanges:
    """What is to be written of relations; rows refer to one another by n."""

    relations: Rows
    periods: Rows
    evidence: Rows
    ended_periods: Sequence[int]
    ended_evidence: Sequence[tuple[int, int]]


async def apply_groups(session: Session, changes: GroupChanges, stamp: datetime) -> dict[int, int]:
    """Write the difference; returns the relation's id for each n."""
    given = {"relations": changes.relations, "periods": changes.periods, "evidence": changes.evidence}
    ended = changes.ended_evidence
    rows = await session.rows(
        "apply_groups",
        as_json(given),
        list(changes.ended_periods),
        [relation for relation, _ in ended],
        [assertion for _, assertion in ended],
        stamp,
    )
    return {row["n"]: row["relation"] for row in rows}
