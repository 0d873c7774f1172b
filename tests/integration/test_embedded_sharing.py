"""Several processes on one embedded server: the first starts it, the last stops it, the killed are not counted."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from post_graph_rag.embedded import EmbeddedServer
from post_graph_rag.errors import Busy
from tests.servers import kill_server

SCRIPT = Path(__file__).parents[1] / "embedded_user.py"
Join = Callable[[], "User"]


class User:
    """Another process that uses the server."""

    def __init__(self, home: Path, server_dir: Path, become: int = 0) -> None:
        command = [sys.executable, str(SCRIPT), str(home), str(server_dir), str(become)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def dsn(self) -> str:
        """Wait until it has joined."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def leave(self) -> None:
        said, _ = self.process.communicate(timeout=30)
        assert said == "left\n"

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=30)


@pytest.fixture
def join(ready_home: Path, server_dir: Path) -> Iterator[Join]:
    users: list[User] = []

    def start() -> User:
        users.append(User(ready_home, server_dir))
        return users[-1]

    yield start
    for user in users:
        if user.process.returncode is None:
            user.kill()
    EmbeddedServer(ready_home, server_dir).stop(force=True)


@pytest.fixture
def server(ready_home: Path, server_dir: Path) -> EmbeddedServer:
    return EmbeddedServer(ready_home, server_dir, durable=False)


def stopped_within(server: EmbeddedServer, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while server.status().running and time.monotonic() < end:
        time.sleep(0.05)
    return not server.status().running


def test_two_processes_that_start_at_once_share_one_server(join: Join, server: EmbeddedServer) -> None:
    users = [join(), join()]
    addresses = {user.dsn() for user in users}
    starts = (server.folder / "server.log").read_text().count("starting PostgreSQL")
    assert (len(addresses), starts) == (1, 1)


def test_the_server_stays_while_one_of_two_leaves(join: Join) -> None:
    first, second = join(), join()
    first.dsn()
    dsn = second.dsn()
    first.leave()
    with psycopg.connect(dsn) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def test_the_server_is_gone_when_the_last_user_has_left(join: Join, server: EmbeddedServer) -> None:
    users = [join(), join()]
    for user in users:
        user.dsn()
    for user in users:
        user.leave()
    assert server.status().running is False


def test_a_killed_user_does_not_stop_it_under_another(join: Join) -> None:
    first, second = join(), join()
    first.dsn()
    dsn = second.dsn()
    first.kill()
    time.sleep(1.5)  # the watcher has looked in between
    with psycopg.connect(dsn) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def test_a_killed_last_user_does_not_keep_it_alive(join: Join, server: EmbeddedServer) -> None:
    user = join()
    user.dsn()
    user.kill()
    assert stopped_within(server, 10)


def test_after_a_kill_of_the_server_the_next_user_starts_it_for_all(join: Join, server: EmbeddedServer) -> None:
    first = join()
    dsn = first.dsn()
    kill_server(server.folder)
    assert join().dsn() == dsn
    with psycopg.connect(dsn) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def test_stop_refuses_while_others_use_it(join: Join, server: EmbeddedServer) -> None:
    join().dsn()
    with pytest.raises(Busy, match="--force"):
        server.stop()


def test_stop_by_force_ends_it_under_others(join: Join, server: EmbeddedServer) -> None:
    join().dsn()
    server.stop(force=True)
    assert server.status().running is False


def test_two_processes_whose_first_start_is_at_once_make_the_data_once(open_home: Path, server_dir: Path) -> None:
    users = [User(open_home, server_dir), User(open_home, server_dir)]
    addresses = {user.dsn() for user in users}
    for user in users:
        user.leave()
    assert len(addresses) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="as a plain user every other test shows it")
def test_a_plain_user_runs_the_server_as_itself(open_home: Path, server_dir: Path) -> None:
    plain = pwd.getpwnam("nobody").pw_uid
    server = EmbeddedServer(open_home, server_dir)
    os.chown(open_home, plain, plain)
    user = User(open_home, server_dir, become=plain)
    with psycopg.connect(user.dsn()) as connection:
        assert connection.execute("show data_directory").fetchone() == (str(server.folder / "data"),)
    owner = (server.folder / "data" / "postmaster.pid").stat().st_uid
    user.leave()
    assert owner == plain
