"""Stored replies and vectors that are kept no longer, and what calls took long ago."""

from __future__ import annotations

from dataclasses import dataclass

from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm

DAY = 86_400.0
_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Keeping:
    """What is kept: no reply older than so many days, at least one, and of the rest the newest, up to so many MB.

    What was stored in the last day is kept whatever it takes: an indexing call that runs, or was killed, needs it.
    ledger_days: the same for lines of the ledger.
    """

    days: float
    megabytes: int
    ledger_days: float


async def prune(database: Database, realm: Realm, keeping: Keeping) -> int:
    """Take away the rest; returns how many replies and vectors went, which are paid for again where they are needed.

    How much each takes is looked at only where all their files together are larger than what may be kept.
    """
    most = keeping.megabytes * _MB
    async with database.transaction(realm.statements) as session:
        ages = [max(days, 1.0) * DAY for days in (keeping.days, keeping.ledger_days)]
        pruned: int = await session.value("prune_by_age", *ages)
        if await session.value("stored_bytes") > most:
            pruned += await session.value("prune_by_size", most, DAY)
    return pruned
