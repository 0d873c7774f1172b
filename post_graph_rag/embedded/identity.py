"""Which operating system user the server runs as, and running its programs as that user.

PostgreSQL refuses to run as root, so root hands its work to `postgres`, or to `nobody` where that user does not exist.
"""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from post_graph_rag.errors import ServerUnavailable

DROP_TO = ("postgres", "nobody")


@dataclass(frozen=True)
class Identity:
    """The user of the server's processes; `dropped` when it is not the user of this process."""

    uid: int
    gid: int
    name: str
    dropped: bool


def server_identity() -> Identity:
    """The user that can run PostgreSQL here: this process's own, or for root `postgres`, else `nobody`.

    Raises:
        ServerUnavailable: as root on a machine that has neither user.
    """
    if os.geteuid() != 0:
        return Identity(os.geteuid(), os.getegid(), str(os.geteuid()), dropped=False)
    for name in DROP_TO:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Identity(entry.pw_uid, entry.pw_gid, name, dropped=True)
    raise ServerUnavailable(
        "PostgreSQL does not run as root and this machine has neither a user `postgres` nor `nobody`: "
        "add one of them (`useradd --system postgres`) or run as a plain user."
    )


def reachable(path: Path, identity: Identity) -> bool:
    """Whether every folder above `path`, and `path` itself, lets the server's user in; it must exist."""
    if not identity.dropped:
        return True
    real = path.resolve()
    return all(_lets_in(folder, identity) for folder in (real, *real.parents))


def _lets_in(path: Path, identity: Identity) -> bool:
    status = path.stat()
    if status.st_uid == identity.uid:
        return bool(status.st_mode & stat.S_IXUSR)
    if status.st_gid == identity.gid:
        return bool(status.st_mode & stat.S_IXGRP)
    return bool(status.st_mode & stat.S_IXOTH)


def spawn_options(identity: Identity) -> dict[str, Any]:
    """Keyword arguments that make `subprocess` start a child as `identity`, private and free of the caller's settings.

    The environment is replaced because PG* variables, another locale or a HOME closed to the user would change what
    the programs do.
    """
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    if zone := os.environ.get("TZ"):
        environment["TZ"] = zone
    options: dict[str, Any] = {"cwd": "/", "umask": 0o077, "env": environment}
    if identity.dropped:
        options |= {"user": identity.uid, "group": identity.gid, "extra_groups": []}
    return options


def run_program(command: Sequence[str | Path], identity: Identity) -> str:
    """Run one of the server's programs to its end and return what it printed.

    Raises:
        ServerUnavailable: it could not be started or failed; with the end of what it said.
    """
    name = Path(command[0]).name
    try:
        done: subprocess.CompletedProcess[str] = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            **spawn_options(identity),
        )
    except OSError as error:
        raise ServerUnavailable(f"{command[0]} cannot be run as user {identity.name}: {error}") from error
    if done.returncode:
        raise ServerUnavailable(f"{name} failed: {(done.stderr or done.stdout).strip()[-800:]}")
    return done.stdout


def private_folder(path: Path, identity: Identity) -> Path:
    """Make `path` a folder that only the server's user (and root) can enter, and return it."""
    path.mkdir(mode=0o700, exist_ok=True)
    path.chmod(0o700)
    if identity.dropped:
        os.chown(path, identity.uid, identity.gid)
    return path


def shared_folder(path: Path, identity: Identity) -> Path:
    """Make `path`, and what is missing above it, a folder that the server's user can pass through, and return it.

    A plain user's folder is closed to all others. Root's is open for reading, whatever its umask says, because the
    server's user has to go through it.
    """
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755 if identity.dropped else 0o700)
    return path
