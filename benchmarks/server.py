"""The one PostgreSQL that both sides use: the embedded server, durable, with an empty database for each side."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from post_graph_rag.config import default_home
from post_graph_rag.embedded import EmbeddedServer

DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}


@contextmanager
def bench_server(dsn: str | None) -> Iterator[str]:
    """Give the DSN of a server with both extensions: the given one, else an embedded one of the benchmark's own."""
    if dsn:
        yield dsn
        return
    home = default_home()
    server = EmbeddedServer(home, data=home / "bench-server")
    own = server.acquire()
    try:
        yield own
    finally:
        server.release()


def database_dsn(dsn: str, name: str) -> str:
    """The DSN of a database on the server of `dsn`."""
    return urlunsplit(urlsplit(dsn)._replace(path=f"/{name}"))


def fresh_database(dsn: str, name: str) -> str:
    """Drop and make the database `name` on the server of `dsn`, with both extensions; returns its DSN."""
    own = database_dsn(dsn, name)
    asyncio.run(_recreate(dsn, own, name))
    return own


async def _recreate(dsn: str, own: str, name: str) -> None:
    admin = await asyncpg.connect(dsn)
    await admin.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
    await admin.execute(f'CREATE DATABASE "{name}"')
    await admin.close()
    inside = await asyncpg.connect(own)
    await inside.execute("CREATE EXTENSION IF NOT EXISTS vector")
    await inside.execute("CREATE EXTENSION IF NOT EXISTS age")
    await inside.close()


def server_facts(dsn: str) -> dict[str, Any]:
    """Version, extensions and the durability settings; refuses a server that does not sync its commits."""
    facts = asyncio.run(_facts(dsn))
    slack = [name for name, value in DURABLE.items() if facts[name] != value]
    if slack:
        raise SystemExit(f"the server runs with {', '.join(slack)} off: its figures would say nothing")
    return facts


async def _facts(dsn: str) -> dict[str, Any]:
    connection = await asyncpg.connect(dsn)
    facts = {name: await connection.fetchval(f"SHOW {name}") for name in ("server_version", *DURABLE)}
    rows = await connection.fetch("SELECT extname, extversion FROM pg_extension WHERE extname IN ('age', 'vector')")
    await connection.close()
    return facts | {row["extname"]: row["extversion"] for row in rows}
