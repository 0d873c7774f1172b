"""How much a realm holds now, and how much of it each document carries."""

from __future__ import annotations

import json
from collections.abc import Sequence

from post_graph_rag.clean import key_digest
from post_graph_rag.marks import mark_of
from post_graph_rag.records import DocumentGraph, DocumentStats, RealmStats
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.realms import Realm


async def realm_stats(database: Database, realm: Realm) -> RealmStats:
    """Count what is current in the realm, what is pending, and the bytes on disk of record, indexes and graph."""
    async with database.transaction(realm.statements, read_only=True) as session:
        row = await session.row("realm_stats", realm.info.schema_name, realm.info.graph_name)
    return RealmStats(realm=realm.info, **dict(row))


async def document_stats(session: Session, spaces: Sequence[int], keys: Sequence[str] | None) -> list[DocumentStats]:
    """What documents carry, those indexed first in front; keys: None for all. Those that are not there are left out."""
    digests = None if keys is None else [key_digest(key) for key in keys]
    return [
        DocumentStats.model_validate(
            {
                **{name: value or 0 for name, value in row.items()},
                "first_recorded": mark_of(row["first_recorded"]),
                "last_recorded": mark_of(row["last_recorded"]),
            }
        )
        for row in await session.rows("document_stats", spaces, digests)
    ]


async def document_graph(session: Session, spaces: Sequence[int], key: str, limit: int) -> DocumentGraph | None:
    """What a document mentions and states, `limit` entities and relations at most; None where it is not there."""
    text = await session.value("document_graph", spaces, key_digest(key), limit)
    return None if text is None else DocumentGraph(**json.loads(text))
