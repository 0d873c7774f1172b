"""The servers that Debian ships, and a streaming replica: the same engine does the same on them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import asyncpg
import psycopg
import pytest

from post_graph_rag import GraphRAG, QueryParam
from post_graph_rag.embedded import EmbeddedServer
from post_graph_rag.embedded.identity import server_identity, spawn_options
from post_graph_rag.errors import DatabaseError, ReadOnlyServer
from post_graph_rag.records import Mode
from tests.integration.foreign.engines import ACME, ELM, QUESTION, engine, fill
from tests.servers import open_folder, unpacked_server

pytestmark = pytest.mark.extended
MODES: tuple[Mode, ...] = ("mix", "local", "naive", "bypass")


@pytest.fixture(scope="module", params=["trixie", "forky"])
def debian(request: pytest.FixtureRequest) -> Iterator[str]:
    """PostgreSQL 17 with Apache AGE 1.5, and 18 with 1.8."""
    with unpacked_server(request.param) as dsn:
        yield dsn


@pytest.fixture
async def rag(debian: str) -> AsyncIterator[GraphRAG]:
    async with engine(debian, create=True) as opened:
        await opened.index_text(ACME, key="Acme")
        yield opened
        await opened.drop_realm()


async def faults(rag: GraphRAG) -> list[object]:
    return [finding for finding in await rag.doctor() if not finding.ok]


async def test_documents_come_in_and_change(rag: GraphRAG) -> None:
    assert (await rag.index_text(ACME, key="Acme")).status == "unchanged"
    assert (await rag.index_text(ACME + " Acme Corp sued Elm Works.", key="Acme")).status == "changed"
    assert (await rag.index_text(ELM, key="Elm")).status == "new"
    assert (await rag.index_text(ELM, key="Elm", reindex=True)).status == "changed"
    assert (await rag.realm_stats()).documents == 2
    assert await faults(rag) == []


@pytest.mark.parametrize("mode", MODES)
async def test_every_mode_answers(rag: GraphRAG, mode: Mode) -> None:
    answer = await rag.query(QUESTION, QueryParam(mode=mode))
    assert bool(answer.references) == (mode != "bypass")


async def test_the_graph_is_seen_and_cannot_be_changed(rag: GraphRAG) -> None:
    names = "MATCH (e:Entity) RETURN e.name ORDER BY e.name"
    before = await rag.cypher(names, columns=["name"])
    assert [row["name"] for row in before] == ["Acme Corp", "Birch Labs", "Clara Voss"]
    found = await rag.cypher("MATCH (e:Entity {name: $name}) RETURN e", {"name": "Clara Voss"}, ["e"])
    assert found[0]["e"]["label"] == "Entity"  # type: ignore[index,call-overload]
    for change in ("MATCH (e:Entity) SET e.name = 'x' RETURN e", "MATCH (e:Entity) DETACH DELETE e"):
        await rag.cypher(change)
    assert await rag.cypher(names, columns=["name"]) == before
    with pytest.raises(DatabaseError):
        await rag.cypher("MATCH (e RETURN e")
    assert await faults(rag) == []


async def test_the_graph_is_drawn_anew(rag: GraphRAG) -> None:
    before = await rag.cypher("MATCH (a)-[r]->(b) RETURN count(r)")
    await rag.rebuild_graph()
    assert await rag.cypher("MATCH (a)-[r]->(b) RETURN count(r)") == before
    assert (await rag.index_text(ELM, key="Elm")).status == "new"
    assert await faults(rag) == []


async def test_a_callers_transaction_decides(rag: GraphRAG, debian: str) -> None:
    connection = await asyncpg.connect(debian)
    async with engine(connection=connection) as theirs:
        await connection.execute("BEGIN")
        await theirs.index_text(ELM, key="Elm")
        assert (await theirs.query("Who hired Dora Lind?")).references
        await connection.execute("ROLLBACK")
    await connection.close()
    assert (await rag.realm_stats()).documents == 1
    assert await faults(rag) == []


async def test_a_granted_role_reads_and_the_graph_is_safe_from_it(rag: GraphRAG, debian: str) -> None:
    with psycopg.connect(debian, autocommit=True) as admin:
        admin.execute("CREATE ROLE pgr_test_old_reader LOGIN")
        await rag.grant("pgr_test_old_reader", "read")
        connection = await asyncpg.connect(debian)
        await connection.execute("SET ROLE pgr_test_old_reader")
        async with engine(connection=connection) as theirs:
            assert (await theirs.query(QUESTION)).references
            assert len(await theirs.cypher("MATCH (e:Entity) RETURN e")) == 3
            with suppress(DatabaseError):  # refused from Apache AGE 1.7 on, undone before
                await theirs.cypher("MATCH (e:Entity) DETACH DELETE e")
            assert len(await theirs.cypher("MATCH (e:Entity) RETURN e")) == 3
        await connection.close()
        admin.execute("DROP OWNED BY pgr_test_old_reader; DROP ROLE pgr_test_old_reader")


async def test_eight_writers_meet_without_harm(rag: GraphRAG) -> None:
    await asyncio.gather(*(rag.index_text(f"{ELM} Part {n}.", key=f"{n % 4}") for n in range(16)))
    assert (await rag.realm_stats()).documents == 5
    assert await faults(rag) == []


# ---------------------------------------------------------------- a streaming replica


@contextmanager
def replica_of(primary: EmbeddedServer, dsn: str) -> Iterator[str]:
    """A standby that follows the server; gives its DSN."""
    identity, binaries = server_identity(), primary.programs.bindir
    socket = parse_qs(urlsplit(dsn).query)["host"][0]
    with open_folder() as folder:
        data, own = folder / "data", folder / "socket"
        for place in (data, own):
            place.mkdir(mode=0o700)
            os.chown(place, identity.uid, identity.gid)
        source = ["-h", socket, "-p", str(urlsplit(dsn).port or 5432), "-U", urlsplit(dsn).username or "postgres"]
        options = spawn_options(identity)
        subprocess.run([binaries / "pg_basebackup", "-D", data, "-R", "-c", "fast", *source], check=True, **options)
        settings = [f"-cunix_socket_directories={own}", "-clisten_addresses=", "-chot_standby=on"]
        process = subprocess.Popen([binaries / "postgres", "-D", data, *settings], **options)
        try:
            yield _when_it_answers(f"postgresql://postgres@/postgres?host={own}")
        finally:
            process.terminate()
            process.wait()


def _when_it_answers(dsn: str) -> str:
    end = time.monotonic() + 20
    while True:
        try:
            psycopg.connect(dsn).close()
        except psycopg.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            return dsn


def _catch_up(dsn: str, replica: str) -> None:
    with psycopg.connect(dsn) as primary, psycopg.connect(replica, autocommit=True) as standby:
        written = primary.execute("SELECT pg_current_wal_lsn()::text").fetchone()
        while standby.execute("SELECT pg_last_wal_replay_lsn() < %s::pg_lsn", written).fetchone() == (True,):
            time.sleep(0.02)


async def test_a_streaming_replica_answers_and_refuses_to_write(ready_home: Path, server_dir: Path) -> None:
    server = EmbeddedServer(ready_home, server_dir, durable=False)
    dsn = server.start()
    try:
        await fill(dsn, ACME)
        with replica_of(server, dsn) as replica:
            await fill(dsn, ELM)
            _catch_up(dsn, replica)
            async with engine(replica) as rag:
                for mode in MODES:
                    assert (await rag.query(QUESTION, QueryParam(mode=mode))).text
                async with rag.stream("Who hired Dora Lind?") as stream:
                    assert [text async for text in stream]
                assert len(await rag.cypher("MATCH (d:Document) RETURN d.key")) == 2
                assert (await rag.realm_stats()).documents == 2
                assert await faults(rag) == []
                with pytest.raises(ReadOnlyServer, match="primary"):
                    await rag.index_text(ELM + " More.", key="Elm")
            async with engine(replica, realm="another") as rag:
                with pytest.raises(ReadOnlyServer):
                    await rag.index_text(ELM)
    finally:
        server.stop(force=True)
