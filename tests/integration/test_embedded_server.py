"""One user's view of the embedded server: it starts, keeps data, comes back after a crash, and what it refuses."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import psycopg
import pytest

from post_graph_rag.embedded import EmbeddedServer
from post_graph_rag.errors import ServerUnavailable
from tests.servers import fresh_database, kill_server


@pytest.fixture
def server(ready_home: Path, server_dir: Path) -> Iterator[EmbeddedServer]:
    server = EmbeddedServer(ready_home, server_dir, durable=False)
    yield server
    server.stop(force=True)


def extensions(dsn: str) -> set[str]:
    with psycopg.connect(dsn) as connection:
        return {name for (name,) in connection.execute("select extname from pg_extension")}


def remember(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create table kept as select 42 as answer")


def remembered(dsn: str) -> int:
    with psycopg.connect(dsn) as connection:
        row = connection.execute("select answer from kept").fetchone()
    assert row is not None
    return int(row[0])


def test_the_first_start_of_all_makes_the_data(open_home: Path, server_dir: Path) -> None:
    server = EmbeddedServer(open_home, server_dir)
    names = extensions(server.acquire())
    server.release()
    assert {"vector", "age"} <= names


async def test_a_started_server_has_both_extensions_and_answers_asyncpg(server: EmbeddedServer) -> None:
    async with server as dsn:
        connection = await asyncpg.connect(dsn)
        names = {row["extname"] for row in await connection.fetch("select extname from pg_extension")}
        await connection.close()
    assert {"vector", "age"} <= names


def test_age_is_loaded_in_every_session_without_asking(server: EmbeddedServer) -> None:
    with psycopg.connect(server.acquire()) as connection:
        row = connection.execute("show session_preload_libraries").fetchone()
    server.release()
    assert row == ("age",)


def test_another_database_is_left_alone(server: EmbeddedServer) -> None:
    dsn = server.acquire()
    with fresh_database(dsn, "other") as other, psycopg.connect(other, autocommit=True) as connection:
        row = connection.execute("show session_preload_libraries").fetchone()
        connection.execute("create table gone (id integer)")
        connection.execute("drop table gone")
    server.release()
    assert row == ("",)


def test_it_listens_on_no_network_address(server: EmbeddedServer) -> None:
    with psycopg.connect(server.acquire()) as connection:
        row = connection.execute("show listen_addresses").fetchone()
    server.release()
    assert row == ("",)


@pytest.mark.parametrize("name", ["data", "socket"])
def test_data_and_socket_are_closed_to_other_users(server: EmbeddedServer, name: str) -> None:
    server.acquire()
    mode = stat.S_IMODE((server.folder / name).stat().st_mode)
    server.release()
    assert mode == 0o700


def test_the_server_does_not_run_as_root(server: EmbeddedServer) -> None:
    server.acquire()
    owner = (server.folder / "data" / "postmaster.pid").stat().st_uid
    server.release()
    assert owner != 0


def test_leaving_stops_the_server(server: EmbeddedServer) -> None:
    server.acquire()
    server.release()
    assert server.status().running is False


def test_data_outlives_a_stop(server: EmbeddedServer) -> None:
    remember(server.acquire())
    server.release()
    answer = remembered(server.acquire())
    server.release()
    assert answer == 42


def test_keep_running_keeps_it_after_the_last_user_left(ready_home: Path, server_dir: Path) -> None:
    server = EmbeddedServer(ready_home, server_dir, keep_running=True, durable=False)
    server.acquire()
    server.release()
    kept = server.status().running
    server.stop()
    assert kept


def test_start_keeps_it_until_stop(server: EmbeddedServer) -> None:
    server.start()
    with_user = server.acquire()
    server.release()
    assert extensions(with_user) >= {"vector", "age"}
    server.stop()
    assert server.status().running is False


def test_it_starts_again_after_a_kill_and_has_its_data(server: EmbeddedServer) -> None:
    remember(server.acquire())
    kill_server(server.folder)
    answer = remembered(server.acquire())
    server.release()
    server.release()
    assert answer == 42


def test_it_starts_when_its_old_number_belongs_to_another_process(server: EmbeddedServer) -> None:
    server.acquire()
    pid_file = server.folder / "data" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    server.release()
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    assert extensions(server.acquire()) >= {"vector", "age"}
    server.release()


def test_a_first_start_that_was_broken_off_leaves_nothing_in_the_way(open_home: Path, server_dir: Path) -> None:
    server = EmbeddedServer(open_home, server_dir, durable=False)
    (server.folder / "data.new").mkdir(parents=True)
    (server.folder / "data.new" / "PG_VERSION").write_text("half\n")
    assert extensions(server.acquire()) >= {"vector", "age"}
    server.release()


def test_a_server_that_cannot_start_shows_the_end_of_its_log(server: EmbeddedServer) -> None:
    server.acquire()
    server.release()
    (server.folder / "data" / "postgresql.conf").write_text("no_such_setting = 1\n")
    with pytest.raises(ServerUnavailable, match="no_such_setting"):
        server.acquire()


def test_a_failed_start_leaves_no_user_behind(server: EmbeddedServer) -> None:
    server.acquire()
    server.release()
    settings = server.folder / "data" / "postgresql.conf"
    good = settings.read_text()
    settings.write_text("no_such_setting = 1\n")
    with pytest.raises(ServerUnavailable):
        server.acquire()
    settings.write_text(good)
    server.acquire()
    server.release()
    assert server.status().running is False


@pytest.mark.parametrize("name", ["x" * 90, "a,b", "a b'c\"d%e"], ids=["too long", "comma", "quotes"])
def test_any_folder_name_gives_a_dsn_that_works(ready_home: Path, server_dir: Path, name: str) -> None:
    made = EmbeddedServer(ready_home, server_dir).folder
    server = EmbeddedServer(ready_home, server_dir, data=made.rename(ready_home / name), durable=False)
    assert extensions(server.acquire()) >= {"vector", "age"}
    server.release()


def test_data_of_another_major_version_is_refused_naming_both(open_home: Path, server_dir: Path) -> None:
    server = EmbeddedServer(open_home, server_dir)
    data = server.folder / "data"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text("9\n")
    with pytest.raises(ServerUnavailable, match=rf"PostgreSQL 9's .* is PostgreSQL {server.programs.major}\b"):
        server.acquire()


def test_data_of_another_major_version_beside_is_not_passed_over(open_home: Path, server_dir: Path) -> None:
    server = EmbeddedServer(open_home, server_dir)
    data = server.home / "server-9" / "data"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text("9\n")
    with pytest.raises(ServerUnavailable, match=rf"PostgreSQL 9's .* is PostgreSQL {server.programs.major}\b"):
        server.acquire()


async def test_a_cancelled_wait_leaves_the_server_again(server: EmbeddedServer) -> None:
    waiting = asyncio.create_task(server.acquire_async())
    await asyncio.sleep(0.05)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert server.status().running is False


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands the server to another user")
def test_as_root_a_home_closed_to_the_servers_user_is_refused(open_home: Path, server_dir: Path) -> None:
    closed = open_home / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(ServerUnavailable, match="closed to"):
        EmbeddedServer(closed / "home", server_dir).acquire()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make another user's folder")
def test_a_home_of_another_user_is_refused(open_home: Path, server_dir: Path) -> None:
    foreign = open_home / "foreign"
    foreign.mkdir()
    os.chown(foreign, 12345, 12345)
    with pytest.raises(ServerUnavailable, match="belongs to another user"):
        EmbeddedServer(foreign, server_dir).acquire()


def test_a_home_that_everybody_may_write_to_is_refused(open_home: Path, server_dir: Path) -> None:
    open_home.chmod(0o777)
    with pytest.raises(ServerUnavailable, match="Everybody may write"):
        EmbeddedServer(open_home, server_dir).acquire()


def test_what_a_killed_starter_left_undone_is_done_by_the_next_user(server: EmbeddedServer) -> None:
    dsn = server.start()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("drop extension vector cascade")
    (server.folder / "settled").unlink()
    assert "vector" in extensions(server.acquire())


def test_a_server_whose_start_cannot_be_finished_does_not_stay(server: EmbeddedServer) -> None:
    with psycopg.connect(server.acquire(), autocommit=True) as connection:
        connection.execute("update pg_extension set extversion = '999' where extname = 'vector'")
    server.release()
    with pytest.raises(ServerUnavailable, match="does not fit the extensions"):
        server.acquire()
    assert server.status().running is False
