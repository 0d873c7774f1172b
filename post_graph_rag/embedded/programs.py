"""The programs of one PostgreSQL server and what they can do."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from post_graph_rag.errors import ServerUnavailable

Origin = Literal["folder", "wheel", "system", "cache"]
OLDEST = 17  # the first release with the built-in C.UTF-8 locale, which sorts alike on every machine
EXTENSIONS = ("vector", "age")


@dataclass(frozen=True)
class ServerPrograms:
    """A server that can be started.

    bindir: folder of initdb, postgres and psql.
    origin: where it was found: an explicit folder, the wheel, the system's packages, or our cache.
    major: PostgreSQL's major version.
    has_bm25: the BM25 extension pg_textsearch is there too.
    """

    bindir: Path
    origin: Origin
    major: int
    has_bm25: bool


def inspect(bindir: Path, origin: Origin) -> ServerPrograms:
    """Look at the programs in `bindir`.

    Raises:
        ServerUnavailable: no server, one older than PostgreSQL 17, or one without AGE or pgvector; says which.
    """
    version, share, libraries = _pg_config(bindir)
    major = int(re.sub(r"^\D*(\d+).*$", r"\1", version, flags=re.DOTALL))
    if major < OLDEST:
        raise ServerUnavailable(f"{bindir} is {version}; PostgreSQL {OLDEST} or newer is needed")
    missing = [name for name in EXTENSIONS if not (Path(share) / "extension" / f"{name}.control").exists()]
    if missing:
        raise ServerUnavailable(f"{bindir} ({version}) lacks the extension {' and '.join(missing)}")
    return ServerPrograms(bindir, origin, major, (Path(libraries) / "pg_textsearch.so").exists())


def _pg_config(bindir: Path) -> list[str]:
    if not (bindir / "postgres").exists():
        raise ServerUnavailable(f"{bindir} holds no program `postgres`")
    program = bindir / "pg_config"
    try:
        # by this process's own user: the folder may be closed to the server's
        printed = subprocess.check_output([program, "--version", "--sharedir", "--pkglibdir"], text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise ServerUnavailable(f"{program} cannot be run: {error}") from error
    lines = printed.splitlines()
    if len(lines) != 3 or not re.search(r"\d", lines[0]):
        raise ServerUnavailable(f"{program} gave no version")
    return lines
