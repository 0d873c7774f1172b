"""What the driver raises, turned once into this library's errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from post_graph_rag.errors import (
    Busy,
    ConfigurationError,
    Conflict,
    DatabaseError,
    ExtensionMissing,
    RAGError,
    ReadOnlyServer,
    RealmMoved,
    RightMissing,
    SchemaError,
    ServerUnavailable,
)

_GONE = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.IdleInTransactionSessionTimeoutError,
)
_OTHER_SHAPE = (
    asyncpg.UndefinedTableError,
    asyncpg.UndefinedColumnError,
    asyncpg.InvalidSchemaNameError,
    asyncpg.InvalidCachedStatementError,
)


@contextmanager
def database_errors() -> Iterator[None]:
    """For statements on an open connection; what the driver says is kept as the cause."""
    try:
        yield
    except asyncpg.PostgresError as error:
        raise _translated(error) from error
    except TimeoutError as error:
        raise DatabaseError("a statement took longer than the connection's command_timeout allows") from error
    except (OSError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        raise _unusable(error) from error


@contextmanager
def query_errors() -> Iterator[None]:
    """For a query in the user's own words: what it names and the database lacks is its own mistake, no moved realm."""
    try:
        with database_errors():
            yield
    except (RealmMoved, SchemaError) as error:
        if not isinstance(error.__cause__, asyncpg.PostgresError):
            raise
        raise DatabaseError(f"the database refused the query ({_said(error.__cause__)})") from error.__cause__


@contextmanager
def connecting_errors() -> Iterator[None]:
    """For making a connection. What cannot be read of a DSN is not shown: it may be part of the password."""
    try:
        yield
    except asyncpg.PostgresError as error:
        raise _translated(error) from error
    except (ValueError, OverflowError):
        raise ConfigurationError(
            "the DSN cannot be read; it looks like postgresql://user:password@host:5432/database, with special "
            "characters of the password percent-encoded"
        ) from None
    except (OSError, TimeoutError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        raise _unusable(error) from error


def _unusable(error: Exception) -> RAGError:
    """A connection that is gone, was never had, or cannot be used now."""
    said = str(error)
    if isinstance(error, asyncpg.exceptions.OutdatedSchemaCacheError):
        return RealmMoved(f"the database changed its shape ({said})")
    if isinstance(error, asyncpg.InterfaceError):
        if isinstance(error, ValueError):
            return DatabaseError("a value does not fit the statement's parameter")
        if "another operation" in said:
            return DatabaseError("the connection is busy with another statement of its owner's: use it one at a time")
        if "clos" in said or "released" in said or "not initialized" in said:
            return ServerUnavailable("the connection or pool is not open: open it, or give another")
    return ServerUnavailable(
        f"the database cannot be reached ({type(error).__name__}): is the server up and the DSN right?"
    )


def _said(error: asyncpg.PostgresError) -> str:
    return f"{error.sqlstate}: {str(error).splitlines()[0][:300]}" if str(error) else str(error.sqlstate)


def _translated(error: asyncpg.PostgresError) -> RAGError:
    said = _said(error)
    match error:
        case asyncpg.InvalidAuthorizationSpecificationError():
            return ServerUnavailable(f"the server refused the user or password of the DSN ({error.sqlstate})")
        case asyncpg.InvalidCatalogNameError():
            return ServerUnavailable(f"the database that the DSN names does not exist ({said})")
        case asyncpg.CannotConnectNowError() | asyncpg.TooManyConnectionsError():
            return ServerUnavailable(f"the server takes no connection now ({said})")
        case error if isinstance(error, _GONE):
            return ServerUnavailable(f"the server ended the connection; try again when it is up ({said})")
    return _refused(error, said)


def _refused(error: asyncpg.PostgresError, said: str) -> RAGError:
    match error:
        case asyncpg.SerializationError() | asyncpg.DeadlockDetectedError():
            return Conflict(f"the transaction met another one; roll it back and try again ({said})")
        case asyncpg.LockNotAvailableError():
            return Busy(f"another process holds the lock; try again ({said})")
        case asyncpg.QueryCanceledError():
            return DatabaseError(f"the server ended a statement before it was done; see statement_timeout ({said})")
        case asyncpg.InsufficientPrivilegeError():
            return RightMissing(f"the role lacks a right; see `post-graph-rag realm grant` ({said})")
        case asyncpg.ReadOnlySQLTransactionError():
            return ReadOnlyServer(f"only reading is allowed here: write to the primary, in a writing session ({said})")
        case asyncpg.DuplicatePreparedStatementError() | asyncpg.InvalidSQLStatementNameError():
            return ConfigurationError(
                "a pooler in transaction mode loses prepared statements: set statement_cache_size=0 "
                f"(POST_GRAPH_RAG_STATEMENT_CACHE_SIZE=0) ({said})"
            )
        case error if isinstance(error, _OTHER_SHAPE):
            return RealmMoved(f"the database is not in the shape this version needs ({said})")
        case asyncpg.UndefinedObjectError() | asyncpg.FeatureNotSupportedError() if "vector" in said:
            return ExtensionMissing(f"the server lacks the vector extension ({said})")
        case asyncpg.UndefinedFunctionError() | asyncpg.UndefinedObjectError():
            return SchemaError(f"the database lacks what this version needs ({said})")
    return DatabaseError(f"the database refused a statement ({said})")
