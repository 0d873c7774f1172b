"""Count what a process sends to PostgreSQL through asyncpg: statements, and all other messages, by kind.

    with counting() as count:
        await rag.query("…")
    assert count.statements <= 8

Counted are execute, executemany, fetch and its kin, prepare and the fetches of prepared statements, COPY in both
directions and cursors. `statements` leaves out what carries no work of its own: BEGIN and its kin, set_config, the
pool's reset, prepare and DDL; each of them has a counter in `kinds`. A script of several statements counts as several,
executemany as often as it has argument sets. asyncpg's own look-ups of types, once a connection, are not seen.
Sits beside corpus.py without imports from this folder, because the peer's environment runs it too.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sized
from contextlib import contextmanager
from functools import lru_cache, wraps
from typing import Any

import asyncpg
from asyncpg import cursor, prepared_stmt

PIECES = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|(?P<dollar>\$(?:[A-Za-z_]\w*)?\$).*?(?P=dollar)|--[^\n]*|/\*.*?\*/|;|[^'\"$;/-]+|.",
    re.S,
)
SETTINGS = re.compile(
    r"SELECT\s+(?:(?:pg_catalog\.)?set_config\((?:[^()]|\([^()]*\))*\)\s*(?:AS\s+\w+\s*)?,?\s*)+$", re.I
)
TRANSACTION = ("BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SET TRANSACTION", "END")


class Count:
    """What was sent while the count was open.

    kinds: messages and statements by kind; shapes: statements by their text without constants and schema;
    seconds: time spent waiting, summed over connections.
    """

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self.shapes: Counter[str] = Counter()
        self.messages = 0
        self.seconds = 0.0

    @property
    def statements(self) -> int:
        """Statements that do work."""
        return self.kinds["statement"]

    def matching(self, pattern: str) -> int:
        """How many statements have a shape that the regular expression finds."""
        return sum(n for shape, n in self.shapes.items() if re.search(pattern, shape, re.I))

    def summary(self) -> dict[str, Any]:
        """Everything but the shapes, for a JSON line."""
        return {"messages": self.messages, **dict(self.kinds), "sql_seconds": round(self.seconds, 3)}

    def add(self, query: str, times: int) -> None:
        """Count one message that runs `query` `times` times."""
        self.messages += 1
        for kind, shape in read(query):
            self.kinds[kind] += times
            if kind == "statement":
                self.shapes[shape] += times

    def add_message(self, kind: str) -> None:
        """Count a message that runs no statement of its own."""
        self.messages += 1
        self.kinds[kind] += 1


_open: list[Count] = []


@contextmanager
def counting() -> Iterator[Count]:
    """Count all that this process sends while the block lasts; counts may be nested."""
    install()
    count = Count()
    _open.append(count)
    try:
        yield count
    finally:
        _open.remove(count)


# ---------------------------------------------------------------- reading SQL


@lru_cache(maxsize=4096)
def read(query: str) -> tuple[tuple[str, str], ...]:
    """Kind and shape of each statement; kept, so that counting costs little where times are taken too."""
    return tuple((kind_of(statement), shape_of(statement)) for statement in split(query))


def split(query: str) -> list[str]:
    """The statements of a script, without comments; quoted and dollar-quoted text is left whole."""
    statements = [""]
    for piece in PIECES.finditer(query):
        text = piece.group()
        if text == ";":
            statements.append("")
        elif not text.startswith(("--", "/*")):
            statements[-1] += text
    return [s.strip() for s in statements if s.strip()]


def kind_of(statement: str) -> str:
    """statement, or one of the kinds that carry no work of their own."""
    head = statement[:40].upper()
    if head.startswith(TRANSACTION):
        return "transaction"
    if head.startswith(("RESET", "UNLISTEN", "CLOSE ALL", "DISCARD")) or "pg_advisory_unlock_all" in statement:
        return "pool_reset"
    if head.startswith("SET ") or SETTINGS.match(statement):
        return "setting"
    if head.startswith(("CREATE", "ALTER", "DROP", "COMMENT", "GRANT", "REVOKE")):
        return "ddl"
    return "statement"


def shape_of(statement: str) -> str:
    """The statement without constants and schema, cut to a line."""
    text = re.sub(r"'(?:[^']|'')*'", "'?'", " ".join(statement.split()))
    return re.sub(r'"[^"]+"\.', "", text)[:200]


# ---------------------------------------------------------------- listening to asyncpg


def _record(query: str, times: int = 1) -> None:
    for count in _open:
        count.add(query, times)


def _message(kind: str) -> None:
    for count in _open:
        count.add_message(kind)


def _times(args: Any) -> int:
    return len(args) if isinstance(args, Sized) else 1


def _wrap(owner: Any, name: str, record: Callable[..., None]) -> None:
    original = getattr(owner, name)

    @wraps(original)
    async def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        record(self, *args, **kwargs)
        return await _timed(original(self, *args, **kwargs))

    setattr(owner, name, counted)


async def _timed(call: Awaitable[Any]) -> Any:
    start = time.perf_counter()
    try:
        return await call
    finally:
        for count in _open:
            count.seconds += time.perf_counter() - start


_installed = False


def install() -> None:
    """Put the counter around asyncpg's methods, once a process."""
    global _installed
    if _installed:
        return
    _installed = True
    connection, prepared = asyncpg.Connection, prepared_stmt.PreparedStatement
    for name in ("execute", "fetch", "fetchrow", "fetchval"):
        _wrap(connection, name, lambda _, query, *a, **k: _record(query))
    for name in ("executemany", "fetchmany"):
        _wrap(connection, name, lambda _, query, args, *a, **k: _record(query, _times(args)))
    _wrap(connection, "prepare", lambda *a, **k: _message("prepare"))
    for name in ("fetch", "fetchrow", "fetchval"):
        _wrap(prepared, name, lambda self, *a, **k: _record(self.get_query()))
    for name in ("executemany", "fetchmany"):
        _wrap(prepared, name, lambda self, args, *a, **k: _record(self.get_query(), _times(args)))
    _install_copy(connection)
    _install_cursors()


def _install_copy(connection: Any) -> None:
    for name in ("copy_to_table", "copy_records_to_table", "copy_from_table"):
        _wrap(connection, name, lambda _, table, *a, **k: _record(f"COPY {table}"))
    _wrap(connection, "copy_from_query", lambda _, query, *a, **k: _record(query))


def _install_cursors() -> None:
    # A cursor is bound once, which is its statement, and then asked for more, which is a message each time.
    base = cursor.BaseCursor
    for name in ("_bind", "_bind_exec"):
        _wrap(base, name, lambda self, *a, **k: _record(self._query))
    _wrap(base, "_exec", lambda *a, **k: _message("cursor_fetch"))
