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
    """Write names that these passages are the first to give, end those nothing gives any more; returns both.

    A name that somebody gave stays.
    """
    return await session.rows("settle_names", sorted(passages), stamp)


async def put_given_name(session: Session, entity: int, name: str | None, key: str, stamp: datetime) -> list[Any]:
    """Give an entity a name in place of the one it was given before; None: texts name it again.

    Returns the names under which it is found from now on (live) and those under which it is not any more.
    """
    return await session.rows("put_given_name", entity, name, key, stamp)


async def apply_profiles(session: Session, profiles: Rows, stamp: datetime) -> None:
    """Write profiles, and which entities are current from now on."""
    await session.run("apply_profiles", as_json(profiles), stamp)
