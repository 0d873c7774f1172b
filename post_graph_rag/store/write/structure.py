"""What passages say: entities, mentions, observations, claims and assertions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from post_graph_rag.store.database import Session
from post_graph_rag.store.rows import Rows, as_json

EntityKey = tuple[int, str, int]
"""Space, key and sense of an entity: namesakes differ in the sense alone."""


async def put_entities(session: Session, keys: Sequence[EntityKey]) -> dict[EntityKey, int]:
    """Ids of entities by (space, key, sense); made where new."""
    wanted = [{"n": n, "space": space, "key": key, "sense": sense} for n, (space, key, sense) in enumerate(keys)]
    rows = await session.rows("put_entities", as_json(wanted))
    return {keys[row["n"]]: row["id"] for row in rows}


async def put_structure(session: Session, structure: Mapping[str, Rows], stamp: datetime) -> None:
    """Write mentions, observations, claims and assertions of passages."""
    await session.run("put_structure", as_json(structure), stamp)


async def close_structure(session: Session, passages: Iterable[int], stamp: datetime) -> None:
    """These passages say nothing any more."""
    await session.run("close_structure", sorted(passages), stamp)


async def reopen_structure(session: Session, passages: Iterable[int], stamp: datetime) -> None:
    """These passages, held again by a document, say again what they said."""
    await session.run("reopen_structure", sorted(passages), stamp)


async def touched_entities(session: Session, passages: Iterable[int]) -> set[int]:
    """Entities that these passages ever mentioned."""
    return {row["entity"] for row in await session.rows("touched_entities", sorted(passages))}
