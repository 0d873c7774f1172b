"""Where a server is looked for, and in which order, with servers that are only files."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from pathlib import Path

import pytest

from post_graph_rag.embedded import find
from post_graph_rag.embedded.find import find_server
from post_graph_rag.errors import ServerUnavailable


def make_server(folder: Path, version: str = "18.6", extensions: tuple[str, ...] = ("age", "vector")) -> Path:
    """A bin folder whose pg_config answers as a server's would."""
    bindir, share, libraries = folder / "bin", folder / "share", folder / "lib"
    for made in (bindir, share / "extension", libraries):
        made.mkdir(parents=True)
    (bindir / "postgres").touch(mode=0o755)
    (bindir / "pg_config").write_text(f"#!/bin/sh\nprintf 'PostgreSQL {version}\\n{share}\\n{libraries}\\n'\n")
    (bindir / "pg_config").chmod(0o755)
    for name in extensions:
        (share / "extension" / f"{name}.control").touch()
    return bindir


def cached(home: Path, suite: str, major: int) -> Path:
    return make_server(home / f"cache/debian-{suite}/root/usr/lib/postgresql/{major}", f"{major}.1")


def system(root: Path, major: int) -> Path:
    return make_server(root / f"usr/lib/postgresql/{major}", f"{major}.1")


@pytest.fixture
def home(open_home: Path) -> Path:
    return open_home / "home"


@pytest.fixture
def root(open_home: Path) -> Path:
    return open_home / "root"


@pytest.fixture(autouse=True)
def bare_machine(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with no wheel, no packages and an empty PATH."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(find, "SYSTEM_ROOT", root)
    monkeypatch.setattr("shutil.which", lambda name: None)


@pytest.fixture
def wheel(open_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed wheel."""
    place = open_home / "site" / "pgserver"
    spec = importlib.machinery.ModuleSpec("pgserver", None, is_package=True)
    spec.submodule_search_locations = [str(place)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    return make_server(place / "pginstall")


def test_nothing_found_says_what_to_do(home: Path) -> None:
    with pytest.raises(ServerUnavailable, match=r"post-graph-rag db install.*POST_GRAPH_RAG_SERVER_DIR"):
        find_server(None, home)


def test_an_explicit_folder_wins_over_all(home: Path, wheel: Path, open_home: Path) -> None:
    explicit = make_server(open_home / "own")
    assert find_server(explicit, home).bindir == explicit


def test_an_explicit_folder_may_be_the_one_above_bin(home: Path, open_home: Path) -> None:
    explicit = make_server(open_home / "own")
    assert find_server(open_home / "own", home).bindir == explicit


def test_an_explicit_folder_without_a_server_is_refused_though_a_wheel_is_there(home: Path, wheel: Path) -> None:
    with pytest.raises(ServerUnavailable, match="holds no program `postgres`"):
        find_server(home / "nothing", home)


def test_the_wheel_wins_over_system_and_cache(home: Path, root: Path, wheel: Path) -> None:
    system(root, 18)
    cached(home, "forky", 18)
    assert find_server(None, home).origin == "wheel"


def test_the_system_wins_over_the_cache(home: Path, root: Path) -> None:
    system(root, 17)
    cached(home, "forky", 18)
    assert find_server(None, home).origin == "system"


def test_the_newest_of_the_systems_servers_is_taken(home: Path, root: Path) -> None:
    system(root, 17)
    system(root, 18)
    assert find_server(None, home).major == 18


def test_the_newest_in_the_cache_is_taken(home: Path) -> None:
    cached(home, "trixie", 17)
    cached(home, "forky", 18)
    assert find_server(None, home).major == 18


@pytest.mark.parametrize("missing", ["age", "vector"])
def test_a_server_without_an_extension_is_passed_over(home: Path, root: Path, missing: str) -> None:
    make_server(root / "usr/lib/postgresql/18", extensions=tuple({"age", "vector"} - {missing}))
    cached(home, "trixie", 17)
    assert find_server(None, home).origin == "cache"


def test_what_was_passed_over_is_told_when_nothing_is_left(home: Path, root: Path) -> None:
    make_server(root / "usr/lib/postgresql/18", extensions=("vector",))
    with pytest.raises(ServerUnavailable, match=r"18.*lacks the extension age"):
        find_server(None, home)


def test_a_release_older_than_17_is_passed_over(home: Path, root: Path) -> None:
    make_server(root / "usr/lib/postgresql/15", version="15.9")
    with pytest.raises(ServerUnavailable, match="PostgreSQL 17 or newer"):
        find_server(None, home)


@pytest.mark.parametrize("version", ["18.6", "18.6 (Debian 18.6-3)", "18beta1"])
def test_the_major_version_is_read(home: Path, root: Path, version: str) -> None:
    make_server(root / "usr/lib/postgresql/18", version=version)
    assert find_server(None, home).major == 18


def test_the_bm25_extension_is_noticed(home: Path, wheel: Path) -> None:
    (wheel.parent / "lib" / "pg_textsearch.so").touch()
    assert find_server(None, home).has_bm25


def test_without_the_bm25_extension_none_is_claimed(home: Path, wheel: Path) -> None:
    assert not find_server(None, home).has_bm25


def test_a_cache_that_everybody_may_write_to_is_refused(home: Path) -> None:
    cached(home, "forky", 18)
    home.chmod(0o777)
    with pytest.raises(ServerUnavailable, match="Everybody may write"):
        find_server(None, home)
