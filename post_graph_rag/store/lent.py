"""A pool or a connection that a caller lends: never closed, and one connection serves one of us at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakKeyDictionary

from post_graph_rag.errors import ConfigurationError
from post_graph_rag.store.driver_errors import database_errors


class _Turn:
    """Whose turn it is on one connection. `ours`: a transaction on it now is ours, not the caller's."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.ours = False


# By connection, since several engines may share one.
_turns: WeakKeyDictionary[Any, _Turn] = WeakKeyDictionary()


class Lent:
    """What the caller gave as `connection`. Raises ConfigurationError for what is neither pool nor connection."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._pooled = hasattr(connection, "acquire")
        if not self._pooled and not hasattr(connection, "fetchrow"):
            raise ConfigurationError(
                f"connection= takes an asyncpg pool or an asyncpg connection, not {type(connection).__name__}"
            )

    @property
    def inside_transaction(self) -> bool:
        """Whether this is one connection and in a transaction that the caller began."""
        return not self._pooled and not self._turn().ours and bool(self._connection.is_in_transaction())

    @property
    def one_connection(self) -> bool:
        """Whether this is one connection, which the caller uses too."""
        return not self._pooled

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Any]:
        """A connection to use until the block ends; on a single one others of us wait for their turn."""
        if self._pooled:
            with database_errors():
                connection = await self._connection.acquire()
            try:
                yield connection
            finally:
                await self._connection.release(connection)
            return
        turn = self._turn()
        async with turn.lock:
            turn.ours = not self._connection.is_in_transaction()
            try:
                yield self._connection
            finally:
                turn.ours = False

    def _turn(self) -> _Turn:
        # What a pool hands out is a stand-in that differs each time; the connection behind it is what is shared.
        real = getattr(self._connection, "_con", None) or self._connection
        return _turns.setdefault(real, _Turn())
