"""The realm's write lock, which all that is written here is written under."""

from __future__ import annotations

from datetime import datetime

from post_graph_rag.errors import RealmMoved
from post_graph_rag.store.database import Session


async def take_stamp(session: Session) -> datetime:
    """Take the realm's write lock until the transaction ends; returns the belief time of this commit.

    Raises RealmMoved when the realm is no longer the one that was opened.
    """
    stamp: datetime | None = await session.value("take_stamp")
    if stamp is None:
        raise RealmMoved
    return stamp


async def hold_writes(session: Session) -> None:
    """Take the realm's write lock without a stamp: for what is derived and no part of belief."""
    if await session.value("hold_writes") is None:
        raise RealmMoved
