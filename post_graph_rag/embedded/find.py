"""Where a server with AGE and pgvector may already be."""

from __future__ import annotations

import importlib.util
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from post_graph_rag.errors import ServerUnavailable

from .folders import reachable, refuse_foreign
from .identity import server_identity
from .programs import Origin, ServerPrograms, inspect
from .wheel import WHEEL_PACKAGE, visible_wheel

SYSTEM_PATTERNS = ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin", "opt/homebrew/opt/postgresql@*/bin")
SYSTEM_ROOT = Path("/")
CACHE_PATTERN = "cache/debian-*/root/usr/lib/postgresql/*/bin"
ADVICE = (
    "No PostgreSQL with Apache AGE and pgvector was found. Install the wheel (the extra `embedded`), or run "
    "`post-graph-rag db install` to unpack one, or name the folder of one in POST_GRAPH_RAG_SERVER_DIR."
)


def find_server(server_dir: Path | None, home: Path) -> ServerPrograms:
    """Find a server that has both extensions; nothing is fetched.

    Args:
        server_dir: a server's bin folder or the folder above; looked at alone when given.
        home: folder of caches; holds what `unpack_server` made, and for root a readable copy of the wheel's programs.

    Returns:
        The first of: `server_dir`, the wheel, the newest of the system's packages, the newest in the cache.

    Raises:
        ServerUnavailable: none was found, or `server_dir` is none; says what was looked at and what to do.
    """
    if server_dir is not None:
        return _explicit(server_dir)
    refuse_foreign(home)
    refused: list[str] = []
    for origin, folder in _candidates(home):
        try:
            return _usable(folder, origin, home)
        except ServerUnavailable as reason:
            refused.append(str(reason))
    raise ServerUnavailable(" Also: ".join([ADVICE, "; ".join(refused)] if refused else [ADVICE]))


def _explicit(server_dir: Path) -> ServerPrograms:
    folder = server_dir.expanduser().absolute()
    bindir = folder / "bin" if (folder / "bin" / "postgres").exists() else folder
    try:
        return _reachable(inspect(bindir, "folder"))
    except ServerUnavailable as reason:
        raise ServerUnavailable(f"The server folder that was given cannot be used: {reason}.") from reason


def _usable(folder: Path, origin: Origin, home: Path) -> ServerPrograms:
    found = inspect(folder, origin)
    if origin == "wheel":
        found = inspect(visible_wheel(folder, home, server_identity()), origin)
    return _reachable(found)


def _reachable(programs: ServerPrograms) -> ServerPrograms:
    identity = server_identity()
    if not reachable(programs.bindir / "postgres", identity):
        raise ServerUnavailable(f"{programs.bindir} lies in a folder closed to the server's user {identity.name}")
    return programs


def _candidates(home: Path) -> Iterator[tuple[Origin, Path]]:
    spec = importlib.util.find_spec(WHEEL_PACKAGE)  # found, not imported: its own launcher changes the system
    for place in (spec.submodule_search_locations if spec else None) or ():
        yield "wheel", Path(place) / "pginstall" / "bin"
    for pattern in SYSTEM_PATTERNS:
        yield from (("system", folder) for folder in _newest_first(SYSTEM_ROOT, pattern))
    if program := shutil.which("postgres"):
        yield "system", Path(program).resolve().parent
    yield from (("cache", folder) for folder in _newest_first(home, CACHE_PATTERN))


def _newest_first(root: Path, pattern: str) -> list[Path]:
    def version(folder: Path) -> int:
        return int((re.findall(r"\d+", folder.parent.name) or ["0"])[0])

    return sorted(root.glob(pattern), key=version, reverse=True)
