"""Servers that are not there, cannot be entered, or go away: typed, and no secret is told."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import psycopg
import pytest

from post_graph_rag import Document
from post_graph_rag.embedded import EmbeddedServer
from post_graph_rag.errors import ConfigurationError, RAGError, ServerUnavailable
from tests.integration.foreign.engines import ACME, ELM, QUESTION, engine, fill
from tests.servers import kill_server, with_database, with_user

SECRET = "hunter2"


async def refusal(dsn: str) -> RAGError:
    """What opening says; it must not say the secret, in no part of what is printed."""
    rag = engine(dsn)
    with pytest.raises(RAGError) as caught:
        await rag.initialize()
    await rag.close()
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert SECRET not in repr(rag.settings)
    return caught.value


@pytest.mark.parametrize(
    "dsn",
    [
        f"mysql://user:{SECRET}@localhost/db",
        f"postgresql://user:{SECRET}/more@localhost/db",
        f"postgresql://user:{SECRET}@[::1/db",
        f"postgresql://user:{SECRET}@localhost/db?sslmode=perhaps",
        f"postgresql://user:{SECRET}@{'x' * 70}/db",
        f"user={SECRET}",
    ],
)
async def test_a_dsn_that_cannot_be_read_is_said_to_be_so(dsn: str) -> None:
    error = await refusal(dsn)
    assert isinstance(error, ConfigurationError)
    assert "postgresql://user:password@host:5432/database" in str(error)


async def test_a_blank_dsn_is_none() -> None:
    assert "POST_GRAPH_RAG_DSN" in str(await refusal("  "))


@pytest.mark.parametrize(
    "dsn",
    [
        f"postgresql://user:{SECRET}@127.0.0.1:1/db",
        f"postgresql://user:{SECRET}@host.invalid/db",
        f"postgresql://user:{SECRET}@/db?host=/nowhere",
    ],
)
async def test_no_server_is_said_to_be_none(dsn: str) -> None:
    error = await refusal(dsn)
    assert isinstance(error, ServerUnavailable)
    assert "cannot be reached" in str(error)


async def test_what_is_no_postgresql_is_said_to_be_out_of_reach() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    assert isinstance(await refusal(f"postgresql://user:{SECRET}@127.0.0.1:{port}/db"), ServerUnavailable)
    server.close()


async def test_a_database_that_does_not_exist_is_named(database: str) -> None:
    error = await refusal(with_database(database, "nowhere"))
    assert isinstance(error, ServerUnavailable)
    assert '"nowhere" does not exist' in str(error)


async def test_a_role_that_does_not_exist_is_refused(database: str) -> None:
    error = await refusal(with_user(database, "nobody_here", SECRET))
    assert isinstance(error, ServerUnavailable)
    assert "user or password" in str(error)


@pytest.fixture
def server(ready_home: Path, server_dir: Path) -> Iterator[EmbeddedServer]:
    """A server of the test's own, to be stopped and started."""
    made = EmbeddedServer(ready_home, server_dir, durable=False)
    yield made
    made.stop(force=True)


def ask_for_passwords(admin: psycopg.Connection) -> None:
    rules = admin.execute("SHOW hba_file").fetchone()
    assert rules is not None
    Path(rules[0]).write_text("local all guest scram-sha-256\nlocal all all trust\n")
    admin.execute("SELECT pg_reload_conf()")


async def test_a_wrong_password_is_not_shown(server: EmbeddedServer) -> None:
    dsn = server.start()
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute("CREATE ROLE guest LOGIN PASSWORD 'right'")
        ask_for_passwords(admin)
    for password in (SECRET, None):
        error = await refusal(with_user(dsn, "guest", password))
        assert isinstance(error, ServerUnavailable)
        assert "user or password" in str(error)
    rag = engine(with_user(dsn, "guest", "right"))
    await rag.initialize()
    await rag.close()


@pytest.mark.parametrize("end", ["stopped", "killed"])
async def test_an_engine_recovers_when_its_server_is_back(server: EmbeddedServer, end: str) -> None:
    dsn = server.start()
    await fill(dsn, ACME)
    async with engine(dsn) as rag:
        await asyncio.gather(*(rag.query(QUESTION) for _ in range(3)))
        calls = [asyncio.ensure_future(rag.index_documents([Document(text=f"{ELM} {n}")])) for n in range(4)]
        await asyncio.sleep(0.01)
        server.stop(force=True) if end == "stopped" else kill_server(server.folder)
        for call in await asyncio.gather(*calls, return_exceptions=True):
            assert isinstance(call, ServerUnavailable | list), call
        for _ in range(2):
            with pytest.raises(ServerUnavailable):
                await rag.query(QUESTION)
            with pytest.raises(ServerUnavailable):
                await rag.cypher("MATCH (n) RETURN n")
        assert [finding.check for finding in await rag.doctor() if not finding.ok] == ["server"]
        server.start()
        assert (await rag.query(QUESTION)).references
        assert (await rag.index_text(ELM, key="Elm")).status == "new"


async def test_an_engine_survives_that_its_sessions_are_ended(database: str) -> None:
    await fill(database, ACME)
    async with engine(database, pool_size=3) as rag:
        await asyncio.gather(*(rag.query(QUESTION) for _ in range(6)))
        admin = await asyncpg.connect(database)
        await admin.execute(
            "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        await admin.close()
        assert (await rag.query(QUESTION)).references
