"""The realm's write lock, which all that is written here is written under; vectors may do with less."""

from __future__ import annotations

from collections.abc import Iterable
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


async def hold_unwritten(
    session: Session, entities: Iterable[int], relations: Iterable[int]
) -> tuple[frozenset[int], frozenset[int]]:
    """Lock those entities and relations that no commit is writing, and return them; never waits.

    Whether they are current cannot change until the transaction ends, so their vectors can be written.
    """
    row = await session.row("hold_unwritten", sorted(entities), sorted(relations))
    if row is None:
        raise RealmMoved
    return frozenset(row["entities"]), frozenset(row["relations"])


async def hold_rows(session: Session, entities: Iterable[int], relations: Iterable[int]) -> None:
    """Under the realm's write lock: wait for those who hold some of these with `hold_unwritten`, and hold all."""
    await session.run("hold_rows", sorted(entities), sorted(relations))
