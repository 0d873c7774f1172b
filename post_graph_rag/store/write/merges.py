"""Which entities are one: claims, merges, and for whom each entity stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from post_graph_rag.store.database import Session


@dataclass(frozen=True, slots=True)
class Claim:
    """Live passages say that `target` is also called by the key of `source`; with the types either is given.

    stands: for whom `target` stands, where no claim that is being looked at bears on that; else `target` itself.
    """

    source: int
    target: int
    target_key: str
    stands: int
    source_types: tuple[str, ...]
    target_types: tuple[str, ...]


async def touched_claims(session: Session, entities: Iterable[int]) -> list[Claim]:
    """Claims whose outcome may depend on these entities: on their own keys, on those they claim, and so on."""
    rows = await session.rows("touched_claims", sorted(entities))
    return [
        Claim(
            **{name: row[name] for name in ("source", "target", "target_key", "stands")},
            source_types=tuple(row["source_types"] or ()),
            target_types=tuple(row["target_types"] or ()),
        )
        for row in rows
    ]


async def live_merges(session: Session, entities: Iterable[int], sources: Iterable[int]) -> dict[int, int]:
    """Merges by alias, source -> target: those of `sources`, and those in which `entities` take part."""
    rows = await session.rows("live_merges", sorted(entities), sorted(sources))
    return {row["source"]: row["target"] for row in rows}


async def put_merges(session: Session, ended: Iterable[int], made: Mapping[int, int], stamp: datetime) -> None:
    """End merges by their source, and make new ones."""
    sources = sorted(made)
    await session.run("put_merges", sorted(ended), sources, [made[source] for source in sources], stamp)


@dataclass(frozen=True, slots=True)
class Member:
    """An entity in a component of merges; `target` is what its own merge leads to."""

    id: int
    key: str
    sense: int
    canonical: int
    target: int | None


async def merge_component(session: Session, entities: Iterable[int]) -> list[Member]:
    """All entities that merges tie to these."""
    rows = await session.rows("merge_component", sorted(entities))
    return [Member(row["id"], row["key"], row["sense"], row["canonical"], row["target"]) for row in rows]


async def put_canonical(session: Session, canonical: Mapping[int, int], stamp: datetime) -> None:
    """Note for whom entities stand from now on."""
    ids = sorted(canonical)
    await session.run("put_canonical", ids, [canonical[id] for id in ids], stamp)


async def mentioning_passages(session: Session, entities: Iterable[int]) -> set[int]:
    """Live passages that mention any of these."""
    return {row["passage"] for row in await session.rows("mentioning_passages", sorted(entities))}
