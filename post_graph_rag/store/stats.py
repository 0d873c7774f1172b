"""How much a realm holds now."""

from __future__ import annotations

from post_graph_rag.records import RealmStats
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm


async def realm_stats(database: Database, realm: Realm) -> RealmStats:
    """Count what is current in the realm, what is pending, and the bytes on disk of record, indexes and graph."""
    async with database.transaction(realm.statements, read_only=True) as session:
        row = await session.row("realm_stats", realm.info.schema_name, realm.info.graph_name)
    return RealmStats(realm=realm.info, **dict(row))
