"""Transactions that met another one are tried again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from post_graph_rag.errors import Conflict
from post_graph_rag.store.database import Database

TRIES = 3

T = TypeVar("T")


async def tried_again(database: Database, transaction: Callable[[], Awaitable[T]]) -> T:
    """What `transaction` gives, begun anew after a Conflict, three times at most.

    Inside a transaction of the caller's a conflict has ended that one too, so it is raised at once.
    """
    for _ in range(TRIES - 1):
        try:
            return await transaction()
        except Conflict:
            if database.inside_transaction:
                raise
    return await transaction()
