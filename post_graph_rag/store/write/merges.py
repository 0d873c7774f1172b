"""Which entities are one: claims, merges, and for whom each entity stands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from post_graph_rag.store.database import Session


@dataclass(frozen=True, slots=True)
class Claim:
    """Live passages say that `target` is also called by the key of `source`; with the types either is given.

    stands: for whom `target` stands, where no claim that is being looked at bears on that; else `target` itself.
    said: no passage says so, but the two were merged by somebody, or for being alike, and that is the only claim on
    `source` which counts. namesake: nor does one say so here, but `source` is of no known kind, and `target` the only
    thing of its name that is of one; that too is the only claim.
    """

    source: int
    source_key: str
    target: int
    target_key: str
    stands: int
    source_types: tuple[str, ...]
    target_types: tuple[str, ...]
    said: bool = False
    namesake: bool = False


@dataclass(frozen=True, slots=True)
class Ties:
    """What decides which entities are one.

    apart: pairs, source and target, that somebody took apart; similar: merges, source -> target, of entities that are
    alike, which hold. open: entities of no known kind that several things of their name may be.
    """

    claims: list[Claim]
    apart: frozenset[tuple[int, int]]
    similar: Mapping[int, int]
    open: frozenset[int]

    @property
    def sources(self) -> set[int]:
        """All whose merges are settled by these."""
        return {claim.source for claim in self.claims} | self.open

    @property
    def namesakes(self) -> set[int]:
        """Those that are merged, if at all, into the only thing of their name."""
        return {claim.source for claim in self.claims if claim.namesake}


async def touched_claims(session: Session, entities: Iterable[int]) -> Ties:
    """What may depend on these entities: claims on their keys, on those they claim, and so on, and people's words."""
    rows = await session.rows("touched_claims", sorted(entities))
    return Ties(
        [_claim(row) for row in rows if row["cause"] not in ("apart", "open")],
        frozenset((row["source"], row["target"]) for row in rows if row["cause"] == "apart"),
        {row["source"]: row["target"] for row in rows if row["cause"] == "similar"},
        frozenset(row["source"] for row in rows if row["cause"] == "open"),
    )


def _claim(row: Mapping[str, Any]) -> Claim:
    return Claim(
        **{name: row[name] for name in ("source", "source_key", "target", "target_key", "stands")},
        source_types=tuple(row["source_types"] or ()),
        target_types=tuple(row["target_types"] or ()),
        said=row["cause"] in ("user", "similar"),
        namesake=row["cause"] == "sense",
    )


async def live_merges(session: Session, entities: Iterable[int], sources: Iterable[int]) -> dict[int, int]:
    """Merges that are nobody's word, source -> target: those of `sources`, and those in which `entities` take part."""
    rows = await session.rows("live_merges", sorted(entities), sorted(sources))
    return {row["source"]: row["target"] for row in rows}


async def put_merges(
    session: Session, ended: Iterable[int], made: Mapping[int, int], namesakes: Collection[int], stamp: datetime
) -> None:
    """End merges by their source, and make new ones: `namesakes` as the only one so called, others by their aliases."""
    sources = sorted(made)
    causes = ["sense" if source in namesakes else "alias" for source in sources]
    await session.run("put_merges", sorted(ended), sources, [made[source] for source in sources], causes, stamp)


async def put_user_merges(session: Session, sources: Iterable[int], target: int, stamp: datetime) -> None:
    """Merge entities by somebody's word, in place of other merges; they must have no such merge yet."""
    await session.run("put_user_merges", sorted(sources), target, stamp)


async def end_merge(session: Session, source: int, stamp: datetime) -> tuple[int, str] | None:
    """End the live merge of an entity: its target and cause, as `Member` has it; None when it has none."""
    row = await session.row("end_merge", source, stamp)
    return None if row is None else (row["target"], row["cause"])


async def put_apart(session: Session, source: int, target: int, stamp: datetime) -> None:
    """Note that neither aliases nor likeness make these two one; somebody's word still does."""
    await session.run("put_apart", source, target, stamp)


@dataclass(frozen=True, slots=True)
class Member:
    """An entity in a component of merges; `target` is what its own leads to.

    cause: 'alias', 'sense', 'user' or 'similar'.
    """

    id: int
    key: str
    sense: int
    canonical: int
    target: int | None
    cause: str | None = None


async def merge_component(session: Session, entities: Iterable[int]) -> list[Member]:
    """All entities that merges tie to these."""
    rows = await session.rows("merge_component", sorted(entities))
    names = ("id", "key", "sense", "canonical", "target", "cause")
    return [Member(**{name: row[name] for name in names}) for row in rows]


async def put_canonical(session: Session, canonical: Mapping[int, int], stamp: datetime) -> None:
    """Note for whom entities stand from now on."""
    ids = sorted(canonical)
    await session.run("put_canonical", ids, [canonical[id] for id in ids], stamp)


async def mentioning_passages(session: Session, entities: Iterable[int]) -> set[int]:
    """Live passages that mention any of these."""
    return {row["passage"] for row in await session.rows("mentioning_passages", sorted(entities))}
