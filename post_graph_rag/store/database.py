"""The way to the database: our own pool, or a pool or connection that the caller owns.

Nothing of a session is relied on: settings are made in each transaction, so a pooler in transaction mode will do.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Literal

import asyncpg

from post_graph_rag.errors import (
    Busy,
    ConfigurationError,
    Conflict,
    DatabaseError,
    ExtensionMissing,
    RAGError,
    SchemaError,
    ServerUnavailable,
)
from post_graph_rag.store.statements import Statements

Isolation = Literal["read_committed", "repeatable_read"]
_SETTINGS = ("search_path", "hnsw.iterative_scan", "hnsw.ef_search", "jit", "plan_cache_mode", "enable_seqscan")


class Session:
    """One transaction on one connection; statements are asked for by name."""

    def __init__(self, connection: Any, statements: Statements) -> None:
        self.connection = connection
        self._statements = statements

    async def rows(self, name: str, *values: Any) -> list[Any]:
        """All rows of a named statement."""
        with database_errors():
            return list(await self.connection.fetch(self._statements[name], *values))

    async def row(self, name: str, *values: Any) -> Any:
        """The first row of a named statement, or None."""
        with database_errors():
            return await self.connection.fetchrow(self._statements[name], *values)

    async def value(self, name: str, *values: Any) -> Any:
        """The first column of the first row, or None."""
        with database_errors():
            return await self.connection.fetchval(self._statements[name], *values)

    async def run(self, name: str, *values: Any) -> None:
        """A named statement whose rows nobody wants."""
        with database_errors():
            await self.connection.execute(self._statements[name], *values)

    async def script(self, text: str) -> None:
        """Several statements of a migration at once, without parameters."""
        with database_errors():
            await self.connection.execute(text)


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
        self._given = connection
        self._pool_size = pool_size
        self._cache = statement_cache_size
        self._pool: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn: asyncio.Lock | None = None
        self._opening: asyncio.Lock | None = None

    @property
    def owned(self) -> bool:
        """Whether the connections are ours; on a caller's nothing is migrated."""
        return self._given is None

    @property
    def inside_transaction(self) -> bool:
        """Whether the caller's connection is in a transaction of theirs, which then decides what is kept."""
        return self._single and bool(self._given.is_in_transaction())

    @property
    def _single(self) -> bool:
        return self._given is not None and not hasattr(self._given, "acquire")

    @asynccontextmanager
    async def transaction(
        self,
        statements: Statements,
        *,
        read_only: bool = False,
        isolation: Isolation = "read_committed",
    ) -> AsyncIterator[Session]:
        """A transaction with our settings in it; inside a caller's transaction a savepoint, settings put back after."""
        async with self._connection() as connection:
            nested = connection.is_in_transaction()
            before = await _settings(connection) if nested else {}
            with database_errors():
                how = {} if nested else {"isolation": isolation, "readonly": read_only}
                async with connection.transaction(**how):
                    await connection.execute(_PREPARE, statements.search_path)
                    yield Session(connection, statements)
                    if nested:
                        await _restore(connection, before)

    @asynccontextmanager
    async def rehearsal(self, statements: Statements) -> AsyncIterator[Session]:
        """A transaction that is always rolled back, on a connection of its own where the DSN is ours."""
        async with self._fresh() as connection:
            transaction = connection.transaction()
            with database_errors():
                await transaction.start()
                await connection.execute(_PREPARE, statements.search_path)
            try:
                yield Session(connection, statements)
            finally:
                with database_errors():
                    await transaction.rollback()

    @asynccontextmanager
    async def _fresh(self) -> AsyncIterator[Any]:
        if self._given is not None:
            async with self._connection() as connection:
                yield connection
            return
        with database_errors():
            connection = await asyncpg.connect(self._dsn, statement_cache_size=0)
        try:
            yield connection
        finally:
            await connection.close()

    @asynccontextmanager
    async def single(self, statements: Statements) -> AsyncIterator[Session]:
        """For one statement that needs no settings of ours: it commits by itself, or with the caller's transaction."""
        async with self._connection() as connection:
            yield Session(connection, statements)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Any]:
        self._meet_loop()
        if self._single:
            assert self._turn is not None
            async with self._turn:
                yield self._given
            return
        pool = self._given if self._given is not None else await self._own_pool()
        with database_errors():
            connection = await pool.acquire()
        try:
            yield connection
        finally:
            await pool.release(connection)

    def _meet_loop(self) -> None:
        """Start afresh in another event loop: what belongs to a closed one is of no use."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._pool = loop, None
            self._turn, self._opening = asyncio.Lock(), asyncio.Lock()

    async def _own_pool(self) -> Any:
        assert self._opening is not None
        async with self._opening:
            if self._pool is None:
                with database_errors():
                    self._pool = await asyncpg.create_pool(
                        self._dsn,
                        min_size=1,
                        max_size=self._pool_size,
                        statement_cache_size=self._cache,
                        command_timeout=600,
                        reset=_keep_session,
                    )
            return self._pool

    async def close(self) -> None:
        """Close our own pool, if this loop has one; a caller's stays open. May be called again."""
        pool, self._pool = self._pool, None
        if pool is not None and self._loop is asyncio.get_running_loop():
            await pool.close()


_PREPARE = (
    "SELECT set_config('search_path', $1, true), set_config('jit', 'off', true),"
    " set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '100', true)"
)


async def _keep_session(_connection: Any) -> None:
    """Our transactions leave nothing in a session, so the pool's reset statement would be a round trip for nothing."""


async def _settings(connection: Any) -> dict[str, str | None]:
    row = await connection.fetchrow(
        "SELECT " + ", ".join(f"current_setting('{name}', true) AS \"{name}\"" for name in _SETTINGS)
    )
    return dict(row)


async def _restore(connection: Any, before: dict[str, str | None]) -> None:
    calls = ", ".join(f"set_config('{name}', ${number}, true)" for number, name in enumerate(before, 1))
    await connection.execute(f"SELECT {calls}", *before.values())


@contextmanager
def database_errors() -> Iterator[None]:
    """Turn the driver's errors into ours, once; what they say is kept as the cause."""
    try:
        yield
    except RAGError:
        raise
    except asyncpg.PostgresError as error:
        raise _translated(error) from error
    except asyncpg.exceptions.ClientConfigurationError as error:
        raise ConfigurationError(
            "the DSN cannot be read; it looks like postgresql://user:password@host:5432/database"
        ) from error
    except (OSError, asyncpg.InterfaceError, TimeoutError) as error:
        if isinstance(error, ValueError):
            raise DatabaseError("a value does not fit the statement's parameter") from error
        raise ServerUnavailable(
            f"the database cannot be reached ({type(error).__name__}): is the server up and the DSN right?"
        ) from error


def _translated(error: asyncpg.PostgresError) -> RAGError:
    said = f"{error.sqlstate}: {str(error).splitlines()[0][:300]}" if str(error) else str(error.sqlstate)
    match error:
        case asyncpg.InvalidAuthorizationSpecificationError():
            return ServerUnavailable(f"the server refused the user or password of the DSN ({error.sqlstate})")
        case asyncpg.InvalidCatalogNameError():
            return ServerUnavailable(f"the database that the DSN names does not exist ({said})")
        case asyncpg.CannotConnectNowError() | asyncpg.TooManyConnectionsError():
            return ServerUnavailable(f"the server takes no connection now ({said})")
        case asyncpg.SerializationError() | asyncpg.DeadlockDetectedError():
            return Conflict(f"the transaction met another one; try again ({said})")
        case asyncpg.LockNotAvailableError():
            return Busy(f"another process holds the lock; try again ({said})")
        case asyncpg.InsufficientPrivilegeError():
            return DatabaseError(f"the role lacks a right; see `post-graph-rag realm grant` ({said})")
        case asyncpg.UndefinedTableError() | asyncpg.InvalidSchemaNameError() | asyncpg.UndefinedColumnError():
            return SchemaError(f"the database is not in the shape this version needs ({said})")
        case asyncpg.UndefinedObjectError() | asyncpg.FeatureNotSupportedError() if "vector" in said:
            return ExtensionMissing(f"the server lacks the vector extension ({said})")
    return DatabaseError(f"the database refused a statement ({said})")
