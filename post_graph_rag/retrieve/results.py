"""Turns what was fused, and what the record says of it, into the records a user gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from post_graph_rag.moments import period_dates
from post_graph_rag.records import ChannelRank, Closing, EntityHit, PassageHit, Period, RelationHit, Source
from post_graph_rag.retrieve.channels import Found, Fused
from post_graph_rag.store.hydrate import Shown

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is kept after fusion, best first.

    found: all that the channels found. duplicates: passages that were folded into another, by the one that stays.
    settled: whether the order is one that was asked for, which what passages state does not change.
    """

    passages: Sequence[Fused]
    entities: Sequence[Fused]
    relations: Sequence[Fused]
    found: Found = field(default_factory=Found)
    duplicates: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    settled: bool = False

    def carriers(self) -> dict[int, int]:
        """Which passage stands for one that is kept or was folded."""
        return {one: kept.id for kept in self.passages for one in (kept.id, *self.duplicates.get(kept.id, ()))}


def passage_hits(
    chosen: Chosen, shown: Shown, spaces: Mapping[int, str], rrf_k: int, weight: float
) -> tuple[PassageHit, ...]:
    """The chosen passages and, of each chosen relation that none of them states, one that does; best first.

    Stating a chosen relation is a channel of its own ("evidence"), whose rank is that of the best such relation.
    weight: of that channel in the fused score. Equals, and all where their order is settled, stay as they were chosen.
    """
    ranks = _evidence_ranks(chosen, shown)
    fused = {one.id: one for one in chosen.passages}
    uncovered = _uncovered(chosen, shown)
    places = chosen.found.places("passage", uncovered)
    fused |= {number: Fused(number, 0.0, tuple(places[number])) for number in uncovered}
    carried = [_carried(one, ranks.get(one.id), rrf_k, weight) for one in fused.values() if one.id in shown.passages]
    return tuple(
        _passage(one, shown, spaces, chosen.duplicates.get(one.id, ()))
        for one in (carried if chosen.settled else sorted(carried, key=lambda one: -one.score))
    )


def _evidence_ranks(chosen: Chosen, shown: Shown) -> dict[int, int]:
    """For each passage the rank of the best chosen relation it states."""
    ranks: dict[int, int] = {}
    carriers = chosen.carriers()
    for rank, relation in enumerate(chosen.relations, 1):
        for passage in _stating(relation, shown):
            ranks.setdefault(carriers.get(passage, passage), rank)
    return ranks


def _uncovered(chosen: Chosen, shown: Shown) -> list[int]:
    there = chosen.carriers()
    first = {passages[0]: passages for relation in chosen.relations if (passages := _stating(relation, shown))}
    return [number for number, passages in first.items() if there.keys().isdisjoint(passages)]


def _stating(relation: Fused, shown: Shown) -> list[int]:
    return list(shown.relations.get(relation.id, {}).get("passages") or ())


def _carried(one: Fused, rank: int | None, rrf_k: int, weight: float) -> Fused:
    if rank is None:
        return one
    score = weight / (rrf_k + rank)
    return Fused(one.id, one.score + score, (*one.channels, ChannelRank(channel="evidence", rank=rank, score=score)))


def _passage(one: Fused, shown: Shown, spaces: Mapping[int, str], duplicates: tuple[int, ...]) -> PassageHit:
    row = shown.passages[one.id]
    first = row["sources"][0]
    places = [place for number in (one.id, *duplicates) for place in shown.passages[number]["sources"]]
    return PassageHit(
        id=one.id,
        text=row["text"],
        space=spaces[row["space"]],
        score=one.score,
        channels=one.channels,
        sources=tuple(map(_source, places)),
        metadata=first["metadata"],
        observed_at=first["observed"],
        duplicates=duplicates,
    )


def _source(place: Row) -> Source:
    return Source(**{key: place[key] for key in Source.model_fields})


def entity_hits(chosen: Chosen, shown: Shown, spaces: Mapping[int, str]) -> tuple[EntityHit, ...]:
    """The chosen entities."""
    return tuple(
        EntityHit(
            id=one.id,
            name=row["name"],
            type=row["type"],
            description=row["description"],
            space=spaces[row["space"]],
            score=one.score,
            channels=one.channels,
            passages=tuple(row["passages"] or ()),
        )
        for one in chosen.entities
        if (row := shown.entities.get(one.id)) is not None
    )


def relation_hits(chosen: Chosen, shown: Shown, spaces: Mapping[int, str]) -> tuple[RelationHit, ...]:
    """The chosen relations; one that no live passage states is left out."""
    return tuple(
        _relation(one, row, spaces)
        for one in chosen.relations
        if (row := shown.relations.get(one.id)) is not None and row["passages"]
    )


def _relation(one: Fused, row: Row, spaces: Mapping[int, str]) -> RelationHit:
    periods = tuple(_period(period) for period in row["periods"] or ())
    return RelationHit(
        id=one.id,
        subject=row["subject"],
        predicate=row["predicate"],
        object=row["object"],
        negated=row["negated"],
        fact=row["fact"],
        periods=periods,
        superseded=bool(periods) and all(period.closed_by is not None for period in periods),
        confidence=row["confidence"],
        weight=row["weight"],
        space=spaces[row["space"]],
        score=one.score,
        channels=one.channels,
        passages=tuple(row["passages"]),
    )


def _period(row: Row) -> Period:
    start, end = period_dates(row["start"], row["end"])
    return Period(
        start=start,
        end=end,
        dated=row["dated"],
        closed_by=_closing(row.get("closed_by")),
        retracted=row.get("retracted", False),
    )


def _closing(row: Row | None) -> Closing | None:
    if row is None:
        return None
    return Closing(cause=row["cause"], relations=tuple(row.get("relations") or ()), reason=row.get("reason") or "")
