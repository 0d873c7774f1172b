"""Puts derived rows right where they no longer follow from the record."""

from __future__ import annotations

from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.write import hold_writes

_STEPS = ("tidy_rows", "tidy_vectors", "tidy_words")


async def tidy(database: Database, realm: Realm) -> int:
    """Set flags to what the record says, remove vectors and words without a row, mark missing vectors as pending.

    One transaction under the realm's write lock; it reads every derived row, so it is made by hand only.
    Returns how many rows were put right.
    """
    async with database.transaction(realm.statements) as session:
        await hold_writes(session)
        return sum([await session.value(step) for step in _STEPS])
