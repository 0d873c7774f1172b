"""A running server, seen from its folder: its process, who uses it, and ending it when nobody does.

The watcher runs this file as a script of its own, so it needs nothing but the standard library. Users are counted by
locks of the operating system: those go with their process, however it ends, so nobody has to clean up after a kill -9.
"""

from __future__ import annotations

import fcntl
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

logger = logging.getLogger("post_graph_rag")

STOP_SECONDS = 60.0
WATCH_SECONDS = 1.0


@dataclass(frozen=True)
class Postmaster:
    """The server's main process. `ready` when it takes connections on the socket in `socket_folder`."""

    pid: int
    socket_folder: str
    ready: bool


def data_folder(folder: Path) -> Path:
    """Where the server in `folder` (an absolute path without links) keeps its database."""
    return folder / "data"


def pid_file(folder: Path) -> Path:
    """The file in which a running server says who and where it is."""
    return data_folder(folder) / "postmaster.pid"


def settled_mark(folder: Path) -> Path:
    """The file that names the server process for which all was done that follows a start."""
    return folder / "settled"


def keep_mark(folder: Path) -> Path:
    """The file that says: this server stays when its last user leaves."""
    return folder / "keep"


def postmaster(folder: Path) -> Postmaster | None:
    """The process that serves `folder` now, or None; a pid file left behind by a killed server counts for nothing."""
    try:
        lines = pid_file(folder).read_text().splitlines()
        pid = int(lines[0])
    except (OSError, ValueError, IndexError):
        return None
    if not serves(pid, data_folder(folder)):
        return None
    lines += [""] * (8 - len(lines))
    return Postmaster(pid, lines[4], lines[7].strip() == "ready")


def serves(pid: int, data: Path) -> bool:
    """Whether process `pid` is alive and the server of a data folder, not a zombie nor another that got its number.

    By its command line, which everybody may read; root without further rights may not see more of another's process.
    """
    if sys.platform != "linux":
        return alive(pid)
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return os.path.samefile(arguments[arguments.index(b"-D") + 1], data)
    except (OSError, ValueError):
        return False


def alive(pid: int) -> bool:
    """Whether some process has this number, be it one that has ended and waits for its parent."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def ended(pid: int) -> bool:
    """Whether process `pid` is no more, or has ended and only waits for its parent."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return not alive(pid)
    return state == "Z"


@contextmanager
def control(folder: Path) -> Iterator[None]:
    """Hold the lock under which a server is started, stopped and its users are counted; waits for it."""
    descriptor = _lock(folder / "control", fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(descriptor)


def join(folder: Path) -> int:
    """Become a user of the server, under `control`. Closing the returned descriptor, or the process's end, leaves."""
    return _lock(folder / "users", fcntl.LOCK_SH)


def in_use(folder: Path) -> bool:
    """Whether anybody has joined and not left; ask it under `control`, since it takes the lock for a moment."""
    try:
        os.close(_lock(folder / "users", fcntl.LOCK_EX | fcntl.LOCK_NB))
    except BlockingIOError:
        return True
    return False


def _lock(path: Path, how: int) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with ExitStack() as undone:
        undone.callback(os.close, descriptor)
        fcntl.flock(descriptor, how)
        undone.pop_all()
    return descriptor


def stop_process(folder: Path, seconds: float = STOP_SECONDS) -> bool:
    """End the server in `folder`, breaking off its sessions, and wait until it has written everything.

    Returns:
        False when it still runs after `seconds`.
    """
    running = postmaster(folder)
    if running is not None:
        os.kill(running.pid, signal.SIGINT)
    end = time.monotonic() + seconds
    while postmaster(folder) is not None:
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def spawn_watcher(folder: Path, pid: int) -> None:
    """Start a small process that ends server `pid` when its last user was killed and could not do it.

    Where this Python cannot be started once more (it is part of another program, or rights were dropped), there is
    none: then the last user to leave in good order stops the server.
    """
    command = [sys.executable or "", "-I", "-S", __file__, str(folder), str(pid)]
    try:
        subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL)
    except OSError as error:
        logger.info("No watcher for the embedded server: %s", error)


def watch(folder: Path, pid: int) -> None:
    """Look once a second whether server `pid` still has a user; end it when it has none and is not to be kept."""
    while _runs(folder, pid):
        with control(folder):
            # it may have ended, and its folder with it, while we waited for the lock
            if _runs(folder, pid) and not in_use(folder) and not keep_mark(folder).exists():
                stop_process(folder)
        time.sleep(WATCH_SECONDS)


def _runs(folder: Path, pid: int) -> bool:
    now = postmaster(folder)
    return now is not None and now.pid == pid


def _detach() -> None:
    """Go on as a process that belongs to nobody: no terminal, no parent that would have to wait for it."""
    if os.fork():
        os._exit(0)
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)


if __name__ == "__main__":
    _detach()
    watch(Path(sys.argv[1]), int(sys.argv[2]))
