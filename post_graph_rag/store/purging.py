"""History that is kept no longer, under the realm's write lock."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from post_graph_rag.store.database import Session


@dataclass(frozen=True, slots=True)
class Purged:
    """What went of the history. horizon: from when on it is kept; rows: how many went.

    passages, documents, relations, entities: ids of those that lost some.
    """

    horizon: datetime
    rows: int
    passages: frozenset[int]
    documents: frozenset[int]
    relations: frozenset[int]
    entities: frozenset[int]


async def purge_spans(session: Session, before: str, stamp: datetime) -> Purged:
    """Take away all rows that ended at a moment, given as a timestamptz literal, or before."""
    row = await session.row("purge_spans", before, stamp)
    kinds = ("passages", "documents", "relations", "entities")
    return Purged(row["horizon"], row["rows"], **{kind: frozenset(row[kind]) for kind in kinds})


@dataclass(frozen=True, slots=True)
class Unheld:
    """Passages that no version of a document holds, documents without a version.

    hashes, texts: of the passages whose text is held nowhere else.
    """

    passages: frozenset[int]
    documents: frozenset[int]
    hashes: frozenset[bytes]
    texts: frozenset[str]


async def unheld(session: Session, purged: Purged) -> Unheld:
    """Which passages and documents lost all that referred to them."""
    rows = await session.rows("unheld", sorted(purged.passages), sorted(purged.documents))
    passages = [row for row in rows if row["kind"] == "passage"]
    only_here = [row for row in passages if not row["elsewhere"]]
    return Unheld(
        frozenset(row["id"] for row in passages),
        frozenset(row["id"] for row in rows if row["kind"] == "document"),
        frozenset(row["text_hash"] for row in only_here),
        frozenset(row["text"] for row in only_here),
    )


async def unmentioned(session: Session, entities: Iterable[int]) -> frozenset[int]:
    """Which of these entities nothing refers to any more, nor anybody's word."""
    return frozenset(row["id"] for row in await session.rows("unmentioned", sorted(entities)))
