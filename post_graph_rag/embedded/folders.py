"""Folders of the server and their rights: who may enter, to whom they belong, how they appear."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from post_graph_rag.errors import ServerUnavailable

from .identity import Identity


def refuse_foreign(folder: Path) -> None:
    """Refuse a folder in which another user could have put programs or data; one that is not there yet is fine.

    Raises:
        ServerUnavailable: it belongs to a user other than this one and root, or everybody may write to it.
    """
    if not folder.exists():
        return
    status = folder.stat()
    if status.st_uid not in (os.geteuid(), 0):
        raise ServerUnavailable(f"{folder} belongs to another user: run as that user or name a folder of your own.")
    if status.st_mode & stat.S_IWOTH:
        raise ServerUnavailable(f"Everybody may write to {folder}: name a folder of your own.")


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


def publish(staged: Path, final: Path) -> None:
    """Give `staged`, readable by all, its final name at once; when another process was first, that one's stays.

    Args:
        staged: a complete folder beside `final`.
        final: the name under which it is looked for.
    """
    for folder, _, _ in os.walk(staged):
        os.chmod(folder, os.stat(folder).st_mode | 0o755)
    try:
        staged.rename(final)
    except OSError:
        shutil.rmtree(staged, ignore_errors=True)
        if not final.exists():
            raise
