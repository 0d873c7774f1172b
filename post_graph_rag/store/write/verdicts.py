"""What a model says of two relations: which are asked about, what it is shown of them, and its verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from post_graph_rag.errors import RealmMoved
from post_graph_rag.moments import period_dates
from post_graph_rag.store.database import Session

Dates = tuple[str | None, str | None]
"""The first and the last date of a span; None where it is open."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Facts that came into belief since the last judging; stamp: no others did until then."""

    stamp: datetime
    facts: Sequence[int]


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A relation as a model is shown it. dates: the spans that sources state."""

    subject: str
    predicate: str
    object: str
    dates: tuple[Dates, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether two relations exclude one another, by the word of a model; `one` is the smaller id."""

    one: int
    other: int
    exclusive: bool
    model: str


async def unjudged_facts(session: Session) -> Unjudged:
    """What came since the last judging. Raises RealmMoved when the realm is no longer the one that was opened."""
    row = await session.row("unjudged_facts")
    if row is None:
        raise RealmMoved
    return Unjudged(row["stamp"], row["facts"])


async def rival_facts(session: Session, facts: Iterable[int], most: int) -> list[tuple[int, int]]:
    """Pairs of a fact and one that may contradict it: of each fact's `most` nearest those without a verdict."""
    return [(row["fact"], row["rival"]) for row in await session.rows("rival_facts", list(facts), most)]


async def shown_facts(session: Session, facts: Iterable[int]) -> dict[int, ShownFact]:
    """What a model is shown of these, by id; those that are gone are left out."""
    return {row["id"]: _shown(row) for row in await session.rows("shown_facts", sorted(facts))}


def _shown(row: dict[str, str]) -> ShownFact:
    dates = json.loads(row["dates"]) if row["dates"] else []
    return ShownFact(
        row["subject"], row["predicate"], row["object"], tuple(period_dates(start, end) for start, end in dates)
    )


async def put_verdicts(session: Session, verdicts: Iterable[Verdict], stamp: datetime) -> list[tuple[int, int, bool]]:
    """Write verdicts where there is none yet; returns the pairs that are new, and whether they exclude one another."""
    told = list(verdicts)
    columns = [[getattr(verdict, name) for verdict in told] for name in ("one", "other", "exclusive", "model")]
    rows = await session.rows("put_verdicts", *columns, stamp)
    return [(row["one"], row["other"], row["exclusive"]) for row in rows]


async def note_judged(session: Session, stamp: datetime) -> None:
    """Note that all facts that came into belief until `stamp` are judged."""
    await session.run("note_judged", stamp)
