"""The way to the database: our own pool, or a pool or connection that the caller owns.

Nothing of a session is relied on: settings are made in each transaction, so a pooler in transaction mode will do.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Literal

import asyncpg

from post_graph_rag.errors import ConfigurationError
from post_graph_rag.loops import LoopLock
from post_graph_rag.store import local_settings
from post_graph_rag.store.driver_errors import connecting_errors, database_errors
from post_graph_rag.store.lent import Lent
from post_graph_rag.store.statements import Statements

Isolation = Literal["read_committed", "repeatable_read"]


class Session:
    """One transaction on one connection; statements are asked for by name. sent: how many were."""

    def __init__(self, connection: Any, statements: Statements) -> None:
        self.connection = connection
        self._statements = statements
        self.sent = 0

    async def rows(self, name: str, *values: Any) -> list[Any]:
        """All rows of a named statement."""
        self.sent += 1
        with database_errors():
            return list(await self.connection.fetch(self._statements[name], *values))

    async def row(self, name: str, *values: Any) -> Any:
        """The first row of a named statement, or None."""
        self.sent += 1
        with database_errors():
            return await self.connection.fetchrow(self._statements[name], *values)

    async def value(self, name: str, *values: Any) -> Any:
        """The first column of the first row, or None."""
        self.sent += 1
        with database_errors():
            return await self.connection.fetchval(self._statements[name], *values)

    async def run(self, name: str, *values: Any) -> None:
        """A named statement whose rows nobody wants."""
        self.sent += 1
        with database_errors():
            await self.connection.execute(self._statements[name], *values)

    async def script(self, text: str) -> None:
        """Several statements of a migration at once, without parameters."""
        with database_errors():
            await self.connection.execute(text)

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        """What fails in the block is undone and spoils no more than itself."""
        async with _savepoint(self.connection):
            yield


class Database:
    """Connections, from our own pool (opened lazily in the running loop) or from what the caller gave.

    dsn: where the server is, when no `connection` is given.
    connection: an asyncpg pool or one connection, owned by the caller: it is never closed here.
    pool_size: connections at most; statement_cache_size: 0 behind a pooler that keeps no prepared statements.
    """

    def __init__(
        self, dsn: str | None = None, connection: Any = None, *, pool_size: int = 8, statement_cache_size: int = 200
    ) -> None:
        if (dsn is None) == (connection is None):
            raise ConfigurationError("give either a dsn or a connection")
        self._dsn = dsn
        self._lent = Lent(connection) if connection is not None else None
        self._pool_size = pool_size
        self._cache = statement_cache_size
        self._pool: Any = None
        self._opened: AsyncGenerator[Any, None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening = LoopLock()

    @property
    def owned(self) -> bool:
        """Whether the connections are ours; on a caller's nothing is migrated."""
        return self._lent is None

    @property
    def one_connection(self) -> bool:
        """Whether there is but one connection, which the caller uses between our calls."""
        return self._lent is not None and self._lent.one_connection

    @property
    def inside_transaction(self) -> bool:
        """Whether the caller's connection is in a transaction of theirs, which then decides what is kept."""
        return self._lent is not None and self._lent.inside_transaction

    @asynccontextmanager
    async def transaction(
        self,
        statements: Statements,
        *,
        read_only: bool = False,
        isolation: Isolation = "read_committed",
        fresh: bool = False,
    ) -> AsyncIterator[Session]:
        """A transaction with our settings in it; inside a caller's transaction a savepoint, settings put back after.

        fresh: on a connection of its own where the DSN is ours, closed afterwards. A session that dropped a graph
        must not go back to the pool: AGE 1.5 ends it at the next reset of its caches.
        """
        async with self._fresh() if fresh else self._connection() as connection:
            inside = connection.is_in_transaction()
            path = statements.search_path
            how = _inside(connection, path) if inside else _transaction(connection, path, _BEGIN[isolation, read_only])
            with database_errors():
                async with how:
                    yield Session(connection, statements)

    @asynccontextmanager
    async def rehearsal(self, statements: Statements) -> AsyncIterator[Session]:
        """A transaction that is always rolled back, on a connection of its own where the DSN is ours."""
        async with self._fresh() as connection:
            inside = connection.is_in_transaction()
            path = statements.search_path
            how = _undone(connection, path) if inside else _transaction(connection, path, "BEGIN", "ROLLBACK")
            with database_errors():
                async with how:
                    yield Session(connection, statements)

    @asynccontextmanager
    async def _fresh(self) -> AsyncIterator[Any]:
        if self._lent is not None:
            async with self._lent.connection() as connection:
                yield connection
            return
        with connecting_errors():
            connection = await asyncpg.connect(self._dsn, statement_cache_size=0)
        try:
            yield connection
        finally:
            await connection.close()

    @asynccontextmanager
    async def outside(self, statements: Statements) -> AsyncIterator[Session]:
        """No transaction, on a connection of its own where the DSN is ours, for what the server refuses in one."""
        async with self._fresh() as connection:
            yield Session(connection, statements)

    @asynccontextmanager
    async def single(self, statements: Statements) -> AsyncIterator[Session]:
        """For one statement that needs no settings of ours: it commits by itself, or with the caller's transaction.

        A pooler may hand the two messages of a statement outside a transaction to different sessions, and a failure
        would spoil a caller's transaction: there it gets a transaction of its own.
        """
        if self._lent is None and self._cache > 0:
            async with self._connection() as connection:
                yield Session(connection, statements)
        else:
            async with self.transaction(statements) as session:
                yield session

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Any]:
        if self._lent is not None:
            async with self._lent.connection() as connection:
                yield connection
            return
        pool = await self._own_pool()
        with connecting_errors():
            connection = await pool.acquire()
        try:
            yield connection
        finally:
            await pool.release(connection)

    async def _own_pool(self) -> Any:
        """The pool of the running loop."""
        async with self._opening.here():
            loop = asyncio.get_running_loop()
            if self._pool is None or loop is not self._loop:
                opened = self._open_pool()
                self._loop, self._pool, self._opened = loop, await anext(opened), opened
            return self._pool

    async def _open_pool(self) -> AsyncGenerator[Any, None]:
        """A generator, since an event loop that ends closes its generators, and with this one the pool."""
        with connecting_errors():
            pool = await asyncpg.create_pool(
                self._dsn,
                min_size=1,
                max_size=self._pool_size,
                statement_cache_size=self._cache,
                # However long: a statement that is not kept is planned anew each time.
                max_cacheable_statement_size=0,
                command_timeout=600,
                reset=_keep_session,
            )
        try:
            yield pool
        finally:
            await pool.close()

    async def close(self) -> None:
        """Close our own pool, if this loop has one; a caller's stays open. May be called again."""
        opened, self._pool, self._opened = self._opened, None, None
        if opened is not None and self._loop is asyncio.get_running_loop():
            await opened.aclose()


async def _keep_session(_connection: Any) -> None:
    """Our transactions leave nothing in a session, so the pool's reset statement would be a round trip for nothing."""


@asynccontextmanager
async def _transaction(connection: Any, search_path: str, begin: str, end: str = "COMMIT") -> AsyncIterator[None]:
    """With our settings in it. The driver's own takes itself for begun when it was cancelled before it was.

    A statement that was cancelled may have been carried out all the same, so rolled back it is in any case.
    """
    async with AsyncExitStack() as undone:
        undone.push_async_callback(_undo, connection, "ROLLBACK")
        await connection.execute(f"{begin}; {local_settings.script(search_path)}")
        yield
        await connection.execute(end)
        undone.pop_all()


@asynccontextmanager
async def _inside(connection: Any, search_path: str) -> AsyncIterator[None]:
    """A savepoint in a transaction of the caller's; what is set in it would outlive its release."""
    async with _savepoint(connection):
        before = await local_settings.read_all(connection)
        await local_settings.set_ours(connection, search_path)
        yield
        await local_settings.put_back(connection, before)


@asynccontextmanager
async def _savepoint(connection: Any) -> AsyncIterator[None]:
    """The driver's own refuses in a transaction that was begun by a statement."""
    await connection.execute("SAVEPOINT post_graph_rag")
    async with AsyncExitStack() as undone:
        undone.push_async_callback(_undo, connection, _BACK)
        yield
        undone.pop_all()
    await connection.execute("RELEASE post_graph_rag")


@asynccontextmanager
async def _undone(connection: Any, search_path: str) -> AsyncIterator[None]:
    """A savepoint in a transaction of the caller's, always rolled back, and with it our settings."""
    await connection.execute("SAVEPOINT post_graph_rag")
    try:
        await local_settings.set_ours(connection, search_path)
        yield
    finally:
        await _undo(connection, _BACK)


async def _undo(connection: Any, statement: str) -> None:
    """What is lost with its session needs no undoing, and what is in use by its owner was never begun."""
    with suppress(asyncpg.InterfaceError, asyncpg.PostgresConnectionError, OSError):
        await connection.execute(statement)


_BACK = "ROLLBACK TO post_graph_rag; RELEASE post_graph_rag"
_BEGIN = {
    ("read_committed", False): "BEGIN ISOLATION LEVEL READ COMMITTED",
    ("read_committed", True): "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY",
    ("repeatable_read", False): "BEGIN ISOLATION LEVEL REPEATABLE READ",
    ("repeatable_read", True): "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
}
