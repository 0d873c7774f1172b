"""What a folder tells of its server: whether one runs, and whether somebody uses it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from post_graph_rag.embedded import running

JOIN_AND_WAIT = """
import sys
from pathlib import Path
from post_graph_rag.embedded import running
running.join(Path(sys.argv[1]))
print("joined", flush=True)
input()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    running.data_folder(tmp_path).mkdir()
    return tmp_path


def write_pid_file(folder: Path, pid: int, state: str = "ready   ") -> None:
    lines = [str(pid), str(folder / "data"), "1700000000", "5432", "/socket", "", "1 2", state]
    running.pid_file(folder).write_text("\n".join(lines) + "\n")


@pytest.fixture
def pretender(folder: Path) -> Iterator[int]:
    """A process whose command line is that of the folder's server."""
    command = [sys.executable, "-c", "print('up', flush=True); input()", "-D", str(running.data_folder(folder))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid


def test_a_folder_without_a_pid_file_has_no_server(folder: Path) -> None:
    assert running.postmaster(folder) is None


def test_a_server_is_known_by_its_pid_file_and_command_line(folder: Path, pretender: int) -> None:
    write_pid_file(folder, pretender)
    assert running.postmaster(folder) == running.Postmaster(pretender, "/socket", ready=True)


def test_a_server_on_its_way_up_is_not_ready(folder: Path, pretender: int) -> None:
    write_pid_file(folder, pretender, "starting")
    assert running.postmaster(folder) == running.Postmaster(pretender, "/socket", ready=False)


@pytest.mark.skipif(sys.platform != "linux", reason="command lines are read on Linux only")
def test_another_process_with_the_servers_number_is_no_server(folder: Path) -> None:
    write_pid_file(folder, os.getpid())
    assert running.postmaster(folder) is None


@pytest.mark.skipif(sys.platform != "linux", reason="command lines are read on Linux only")
def test_a_server_of_another_folder_is_no_server_of_this(folder: Path, pretender: int, tmp_path: Path) -> None:
    other = tmp_path / "other"
    running.data_folder(other).mkdir(parents=True)
    write_pid_file(other, pretender)
    assert running.postmaster(other) is None


@pytest.mark.parametrize("text", ["", "\n", "not a number\n"])
def test_a_broken_pid_file_counts_for_nothing(folder: Path, text: str) -> None:
    running.pid_file(folder).write_text(text)
    assert running.postmaster(folder) is None


def test_a_process_that_waits_for_its_parent_has_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read()  # ends when the process does
        while not running.ended(process.pid):
            time.sleep(0.005)
        assert running.alive(process.pid)


def test_a_process_at_work_has_not_ended() -> None:
    assert not running.ended(os.getpid())


def test_nobody_uses_a_folder_that_nobody_joined(folder: Path) -> None:
    assert not running.in_use(folder)


def test_a_user_is_seen(folder: Path) -> None:
    joined = running.join(folder)
    seen = running.in_use(folder)
    os.close(joined)
    assert seen


def test_one_of_two_users_is_still_seen_when_the_other_left(folder: Path) -> None:
    first, second = running.join(folder), running.join(folder)
    os.close(first)
    seen = running.in_use(folder)
    os.close(second)
    assert seen


def test_a_user_that_was_killed_is_not_counted(folder: Path) -> None:
    command = [sys.executable, "-c", JOIN_AND_WAIT, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        seen = running.in_use(folder)
        process.kill()
    assert (seen, running.in_use(folder)) == (True, False)


def test_stopping_where_nothing_runs_is_done_at_once(folder: Path) -> None:
    assert running.stop_process(folder)


def test_a_server_that_does_not_stop_is_told(folder: Path) -> None:
    ignore = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); print(1, flush=True); input()"
    command = [sys.executable, "-c", ignore, "-D", str(running.data_folder(folder))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        write_pid_file(folder, process.pid)
        stopped = running.stop_process(folder, seconds=0.05)
    assert not stopped


def test_the_watcher_needs_only_the_standard_library(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-I", "-S", running.__file__, str(folder), "1"], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
