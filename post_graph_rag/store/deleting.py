"""Documents that are deleted: looked up by key and closed, under the realm's write lock."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from post_graph_rag.clean import key_digest
from post_graph_rag.store.database import Session


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """A document that is or was there. live: it has a version that is not deleted."""

    id: int
    key: str
    live: bool


async def named_documents(session: Session, space: str, keys: Sequence[str]) -> list[KnownDocument]:
    """Documents of a space by their keys, as these are stored; those that were never there are left out."""
    rows = await session.rows("named_documents", space, [key_digest(key) for key in keys])
    return [KnownDocument(row["id"], keys[row["n"]], row["live"]) for row in rows]


async def close_documents(session: Session, documents: Iterable[int], stamp: datetime) -> frozenset[int]:
    """End the live versions of documents; returns the passages that no live document holds any more."""
    rows = await session.rows("close_documents", sorted(documents), stamp)
    return frozenset(row["passage"] for row in rows)


@dataclass(frozen=True, slots=True)
class Ended:
    """How many relations and entities ceased to be current."""

    relations: int
    entities: int


async def ended_at(session: Session, stamp: datetime) -> Ended:
    """What ceased to be current with the commit of this stamp."""
    row = await session.row("ended_at", stamp)
    return Ended(row["relations"], row["entities"])
