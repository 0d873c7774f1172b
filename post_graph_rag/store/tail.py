"""Vectors that wait to be put into their HNSW index, put in many at once and under no lock that a commit waits for."""

from __future__ import annotations

from collections.abc import Mapping

from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.realms import Realm

_LONG, _LONG_WIDE = 2_000, 500
"""Vectors of a kind that may wait: to compare them all takes one or two milliseconds, five where they are wide."""
_WIDE = 480
"""Dimensions beyond which a vector is kept beside its row, and takes ten times as long to be fetched."""
_BATCH = 100
"""Vectors put in by one transaction, some milliseconds each; a commit that changes one of them waits for it."""


async def merge_tails(database: Database, realm: Realm, waiting: Mapping[str, int]) -> int:
    """Put into its index what waits; returns how many. waiting: how many vectors, by kind, as `long_tails` gives it.

    What others are writing meanwhile is left to the next time. A run that breaks off is gone on with by the next.
    Raises DatabaseError when this role may not write.
    """
    return sum([await _merge(database, realm, kind, vectors) for kind, vectors in waiting.items()])


def may_wait(realm: Realm) -> int:
    """How many vectors of a kind are few enough to wait."""
    return _LONG_WIDE if realm.info.dimensions > _WIDE else _LONG


async def long_tails(session: Session, longer_than: int) -> dict[str, int]:
    """How many vectors wait, by kind, of each of which more than that do."""
    rows = await session.rows("tails")
    return {row["kind"]: row["vectors"] for row in rows if row["vectors"] > longer_than}


async def _merge(database: Database, realm: Realm, kind: str, waiting: int) -> int:
    """No more than waited at first, so that it ends however much comes meanwhile."""
    merged = 0
    while merged < waiting and (done := await _batch(database, realm, kind, min(_BATCH, waiting - merged))):
        merged += done
    return merged


async def _batch(database: Database, realm: Realm, kind: str, most: int) -> int:
    async with database.transaction(realm.statements) as session:
        done: int = await session.value("merge_tail", kind, most)
        return done
