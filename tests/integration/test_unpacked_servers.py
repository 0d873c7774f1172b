"""Servers and the pooler from Debian's packages, unpacked without root; skipped where no mirror can be had."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from pathlib import Path

import asyncpg
import psycopg
import pytest

from post_graph_rag.config import default_home
from post_graph_rag.embedded import EmbeddedServer, unpack_server
from post_graph_rag.errors import ServerUnavailable
from tests.servers import pgbouncer, unpacked_server

pytestmark = pytest.mark.extended


def version(dsn: str, extension: str) -> str:
    with psycopg.connect(dsn) as connection:
        row = connection.execute("select extversion from pg_extension where extname = %s", [extension]).fetchone()
    assert row is not None
    return str(row[0])


@pytest.mark.parametrize(("suite", "major", "age"), [("trixie", 17, "1.5"), ("forky", 18, "1.")])
def test_a_suites_server_runs_with_its_own_age(suite: str, major: int, age: str) -> None:
    with unpacked_server(suite) as dsn, psycopg.connect(dsn) as connection:
        server = connection.info.server_version // 10000
        assert (server, version(dsn, "age").startswith(age)) == (major, True)


def test_a_time_zone_of_the_machine_is_known_to_an_unpacked_server() -> None:
    with unpacked_server("trixie") as dsn, psycopg.connect(dsn) as connection:
        row = connection.execute("select '2020-07-01 12:00+00'::timestamptz at time zone 'Europe/Oslo'").fetchone()
    assert str(row and row[0]) == "2020-07-01 14:00:00"


@pytest.fixture
def newer() -> Path:
    """A server of the same major version as the wheel's with a newer AGE."""
    try:
        return unpack_server(default_home(), "forky")
    except ServerUnavailable as refused:
        pytest.skip(str(refused))


def age_of(bindir: Path) -> str:
    share = subprocess.check_output([bindir / "pg_config", "--sharedir"], text=True).strip()
    control = (Path(share) / "extension" / "age.control").read_text()
    return control.split("default_version = '")[1].split("'")[0]


def test_data_of_an_older_age_is_lifted_to_the_servers(ready_home: Path, server_dir: Path, newer: Path) -> None:
    if not (18, age_of(server_dir)) < (EmbeddedServer(ready_home, newer).programs.major, age_of(newer)):
        pytest.skip("the tests' server has no older AGE of the same major version")
    server = EmbeddedServer(ready_home, newer, durable=False)
    found = version(server.acquire(), "age")
    server.release()
    assert found == age_of(newer)


def test_data_of_a_newer_age_is_refused(open_home: Path, server_dir: Path, newer: Path) -> None:
    if age_of(server_dir) >= age_of(newer) or EmbeddedServer(open_home, server_dir).programs.major != 18:
        pytest.skip("the tests' server has no older AGE of the same major version")
    first = EmbeddedServer(open_home, newer, durable=False)
    first.acquire()
    first.release()
    with pytest.raises(ServerUnavailable, match="does not fit the extensions"):
        EmbeddedServer(open_home, server_dir, durable=False).acquire()


async def test_the_pooler_hands_two_clients_one_server_session(database: str) -> None:
    with pgbouncer(database) as dsn:
        sessions = set()
        for _ in range(2):
            connection = await asyncpg.connect(dsn, statement_cache_size=0)
            sessions.add(await connection.fetchval("select pg_backend_pid()"))
            await connection.close()
    assert len(sessions) == 1


BECOME_AND_UNPACK = """
import os, sys
from pathlib import Path
from post_graph_rag.embedded import unpack_server
os.setgroups([])
os.setgid(int(sys.argv[2]))
os.setuid(int(sys.argv[2]))
print(unpack_server(Path(sys.argv[1]), "trixie"))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="as a plain user every other test shows it")
def test_a_plain_user_can_unpack(open_home: Path, newer: Path) -> None:
    plain = pwd.getpwnam("nobody").pw_uid
    os.chown(open_home, plain, plain)
    command = [sys.executable, "-c", BECOME_AND_UNPACK, str(open_home), str(plain)]
    printed = subprocess.check_output(command, text=True).strip()
    assert (Path(printed) / "postgres").exists()
