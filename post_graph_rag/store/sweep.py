"""Flags of words whose thing is not current any more, taken down in bulk: a commit only notes whose they are."""

from __future__ import annotations

from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.write import hold_writes

_BATCH = 200
"""Things whose words are marked under one hold of the write lock: some thousands of rows, a tenth of a second."""


async def sweep_words(database: Database, realm: Realm) -> int:
    """Take down the flags of all that was noted; returns of how many things. A run that breaks off is gone on with."""
    swept = 0
    while done := await _batch(database, realm):
        swept += done
    return swept


async def _batch(database: Database, realm: Realm) -> int:
    async with database.transaction(realm.statements) as session:
        await hold_writes(session)
        done: int = await session.value("sweep_words", _BATCH)
        return done
