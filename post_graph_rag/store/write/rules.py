"""What people say of relations: which exclude one another, and which were closed or reopened."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from post_graph_rag.periods import Override
from post_graph_rag.store.database import Session
from post_graph_rag.store.write.named import BEYOND


async def live_rules(session: Session) -> list[tuple[str, str, str]]:
    """Predicate, per what, and exclusive group of each rule."""
    rows = await session.rows("live_rules")
    return [(row["predicate"], row["per"], row["exclusive"]) for row in rows]


async def put_rules(session: Session, rules: Iterable[tuple[str, str, str]], stamp: datetime) -> list[str]:
    """Put these in the place of all rules there are; returns the predicates whose rules changed."""
    columns = [list(column) for column in zip(*sorted(set(rules)), strict=True)] or [[], [], []]
    return [row["predicate"] for row in await session.rows("put_rules", *columns, stamp)]


async def relations_with(session: Session, predicates: Iterable[str]) -> list[int]:
    """Ids of all relations with these predicates."""
    return [row["id"] for row in await session.rows("relations_with_predicates", sorted(predicates))]


async def put_override(session: Session, relation: int, word: Override, stamp: datetime) -> bool:
    """Note a person's word on a relation, in the place of an earlier one; False when there is no such relation."""
    if abs(relation) >= BEYOND:
        return False
    row = await session.row("put_override", relation, word.action, word.at, word.reason, stamp)
    return row is not None
