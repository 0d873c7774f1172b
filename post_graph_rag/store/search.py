"""What a question asks of the record: which spaces, who is near, which words, what can be reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from post_graph_rag.errors import HistoryPurged, RealmMoved
from post_graph_rag.records import Channel
from post_graph_rag.store.database import Session
from post_graph_rag.store.when import NOW, When

VectorChannel = Literal["passage_vector", "entity_vector", "relation_vector"]
WordChannel = Literal["passage_text", "entity_name", "relation_text"]

_KINDS: Mapping[WordChannel, int] = {"passage_text": 1, "entity_name": 2, "relation_text": 3}


@dataclass(frozen=True, slots=True)
class Scope:
    """The spaces of a question by id, whether the realm holds none at all, and upper bounds of what it holds.

    stated: relations that passages state, one that several state as often.
    """

    spaces: Mapping[int, str]
    nothing: bool
    totals: Mapping[WordChannel, int]
    stated: int

    @property
    def ids(self) -> list[int]:
        return list(self.spaces)


@dataclass(frozen=True, slots=True)
class Hits:
    """What one channel found, best first, with its own scores (larger is better)."""

    ids: list[int]
    scores: list[float]


NO_HITS = Hits([], [])


@dataclass(frozen=True, slots=True)
class WalkBounds:
    """How far a walk goes: steps, edges followed per entity and direction, entities and passages of one at most."""

    steps: int = 2
    edges: int = 12
    entities: int = 100
    passages: int = 10


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What a walk reached: entities by id; relation, subject, object of each edge; passage, entity of each mention."""

    entities: NDArray[np.int64]
    edges: NDArray[np.int64]
    mentions: NDArray[np.int64]


async def find_scope(session: Session, names: Sequence[str] | None, when: When = NOW) -> Scope:
    """The spaces of these names, all for None; names that do not exist are left out.

    Raises RealmMoved when the realm is no longer the one that was opened, HistoryPurged when it keeps no beliefs of
    that time any more.
    """
    row = await session.row("search_scope", None if names is None else list(names), when.mark)
    if not row["same"]:
        raise RealmMoved
    if row["horizon"] is not None:
        raise HistoryPurged(
            f"what was believed before {row['horizon']} is kept no longer: ask for that time or a later one, or leave"
            " as_believed_at out"
        )
    return Scope(
        spaces=dict(zip(row["ids"], row["names"], strict=True)),
        nothing=row["nothing"],
        totals={
            "passage_text": row["passages"],
            "entity_name": row["entity_names"],
            "relation_text": row["relations"],
        },
        stated=row["assertions"],
    )


async def nearest(
    session: Session,
    vectors: NDArray[np.float32],
    queries: Sequence[tuple[VectorChannel, int]],
    spaces: Sequence[int],
    most: int,
    when: When = NOW,
) -> dict[Channel, Hits]:
    """The nearest by cosine in each channel, of what is visible then.

    vectors: one row per query text; queries: which channel is searched with which row, several rows give their union.
    most: hits of each channel and row.
    """
    rows = await _rows(
        session,
        "vectors",
        when,
        vectors.ravel().tolist(),
        vectors.shape[1],
        [channel for channel, _ in queries],
        [number for _, number in queries],
        spaces,
        most,
    )
    return _hits(rows)


async def by_words(
    session: Session,
    terms: Sequence[str],
    channels: Mapping[WordChannel, tuple[int, int]],
    keys: Sequence[str],
    spaces: Sequence[int],
    most: int,
    when: When = NOW,
    doubtful: Sequence[tuple[str, bool, str]] = (),
) -> dict[Channel, Hits]:
    """What holds the terms, by BM25, and the entities of which a name has one of the keys; of what is visible then.

    channels: for each, how many things it has and how many postings of one term are read at most.
    most: hits of each channel. doubtful: terms that may be a name's but for one slip, whether each is written as a
    name, and the letters that a slip may bring in.
    """
    kinds = [_KINDS[channel] for channel in channels]
    totals, limits = [total for total, _ in channels.values()], [limit for _, limit in channels.values()]
    slips = [list(column) for column in zip(*doubtful, strict=True)] or [[], [], []]
    return _hits(await _rows(session, "words", when, terms, kinds, totals, limits, keys, spaces, most, *slips))


async def walk(
    session: Session,
    entities: Sequence[int],
    relations: Sequence[int],
    passages: Sequence[int],
    spaces: Sequence[int],
    bounds: WalkBounds,
    when: When = NOW,
) -> Neighbourhood:
    """What can be reached from entities and from the ends of relations, and which passages mention it.

    entities, relations: visible at that time. passages: some whose mentions are wanted in any case.
    """
    rows = await _rows(
        session,
        "walk",
        when,
        entities,
        relations,
        bounds.steps,
        spaces,
        bounds.edges,
        bounds.entities,
        bounds.passages,
        passages,
    )
    reached = np.sort(_column(rows, "entities"))
    edges = np.stack([_column(rows, name) for name in ("relations", "subjects", "objects")], axis=1)
    mentions = np.stack([_column(rows, name) for name in ("passages", "mentioned")], axis=1)
    inside = np.isin(edges[:, 1:], reached).all(axis=1)
    return Neighbourhood(reached, _once(edges[inside]), _once(mentions))


async def _rows(session: Session, search: str, when: When, *values: Any) -> Sequence[Mapping[str, Any]]:
    """Rows of a search, whose statement for another time than now takes that time first."""
    return await session.rows(when.statement(search), *(() if when.plain else when.values), *values)


def _hits(rows: Sequence[Mapping[str, Any]]) -> dict[Channel, Hits]:
    return {row["channel"]: Hits(row["ids"], row["scores"]) for row in rows}


def _column(rows: Sequence[Mapping[str, Any]], name: str) -> NDArray[np.int64]:
    return np.array([number for row in rows for number in row[name] or ()], np.int64)


def _once(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows that differ in their first or last number, sorted by these."""
    last = rows[:, -1]
    _, first = np.unique(rows[:, 0] * (last.max(initial=0) + 1) + last, return_index=True)
    return rows[first]
