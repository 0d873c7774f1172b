"""A copy of the wheel's programs where the server's user can read them."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from post_graph_rag.errors import ServerUnavailable

from .folders import publish, reachable, shared_folder
from .identity import Identity

WHEEL_PACKAGE = "pgserver"
_NOT_NEEDED = shutil.ignore_patterns("include", "*.a", "__pycache__")


def visible_wheel(bindir: Path, home: Path, identity: Identity) -> Path:
    """The wheel's programs at a place that the server's user can reach: where they are, or a copy in the cache.

    Only root needs a copy, when its environment lies in a closed folder such as its home.

    Args:
        bindir: the wheel's own folder of programs.
        home: folder under which the copy is kept.
        identity: the server's user.

    Raises:
        ServerUnavailable: the copy cannot be written.
    """
    if reachable(bindir / "postgres", identity):
        return bindir
    site, package = bindir.parents[2], bindir.parents[1].name
    copy = home / "cache" / next((found.name for found in site.glob(f"{package}*.dist-info")), package)
    if not copy.exists():
        try:
            _copy(site, package, shared_folder(copy.parent, identity), copy)
        except (OSError, shutil.Error) as error:
            raise ServerUnavailable(f"The wheel's programs cannot be copied to {copy}: {error}") from error
    return copy / package / "pginstall" / "bin"


def _copy(site: Path, package: str, cache: Path, copy: Path) -> None:
    staged = Path(tempfile.mkdtemp(dir=cache))
    # the layout stays as it was: programs find their libraries by a path relative to their own
    for folder in (site / package, *site.glob(f"{package}*.libs")):
        shutil.copytree(folder, staged / folder.name, symlinks=True, ignore=_NOT_NEEDED)
    publish(staged, copy)
