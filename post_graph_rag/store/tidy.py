"""Puts derived rows right where they no longer follow from the record."""

from __future__ import annotations

from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.write import take_stamp

_DERIVED = ("tidy_lone", "tidy_vectors", "tidy_words")


async def tidy(database: Database, realm: Realm) -> int:
    """Set flags, and what is kept of them, to what the record says; remove vectors and words without a row.

    Vectors that are missing are marked as pending.

    One transaction under the realm's write lock; it reads every derived row, so it is made by hand only.
    Returns how many rows were put right.
    """
    async with database.transaction(realm.statements) as session:
        stamp = await take_stamp(session)
        rows = [await session.value("tidy_rows"), await session.value("tidy_beliefs", stamp)]
        return sum([*rows, *[await session.value(step) for step in _DERIVED]])
