"""What entities are called and said to be."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from post_graph_rag.store.database import Session
from post_graph_rag.store.rows import Rows, as_json


async def fetch_profiles(session: Session, entities: Iterable[int]) -> list[Any]:
    """What live passages say of entities and of those they are merged into, beside their profile as it is."""
    return await session.rows("fetch_profiles", sorted(entities))


async def settle_names(session: Session, passages: Iterable[int], stamp: datetime) -> list[Any]:
    """Write names that these passages are the first to give, end those nothing gives any more; returns both."""
    return await session.rows("settle_names", sorted(passages), stamp)


async def apply_profiles(session: Session, profiles: Rows, stamp: datetime) -> None:
    """Write profiles, and which entities are current from now on."""
    await session.run("apply_profiles", as_json(profiles), stamp)
