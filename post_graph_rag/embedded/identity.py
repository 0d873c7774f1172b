"""Which operating system user the server runs as, and running its programs as that user.

PostgreSQL refuses to run as root, so root hands its work to `postgres`, or to `nobody` where that user does not exist.
"""

from __future__ import annotations

import os
import pwd
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
