"""What is asked of Debian's packages, and what is said when they cannot be had."""

from __future__ import annotations

from pathlib import Path

import pytest

from post_graph_rag.embedded import debian, unpack
from post_graph_rag.embedded.debian import PrivateApt
from post_graph_rag.embedded.unpack import choose_server, loaded_library, unpack_newest, unpack_server
from post_graph_rag.errors import ServerUnavailable


class FakeApt(PrivateApt):
    """An apt that knows given packages and resolves nothing."""

    known: tuple[str, ...] = ()

    def names(self, prefix: str) -> list[str]:
        return [name for name in self.known if name.startswith(prefix)]

    def needed(self, packages: object) -> list[str]:
        assert isinstance(packages, list)
        return sorted([*packages, "libc6", "libllvm19", "perl", "postgresql-client-18", "zlib1g"])


def apt_with(*names: str) -> FakeApt:
    apt = FakeApt(Path("/nowhere"), "sid")
    object.__setattr__(apt, "known", names)
    return apt


def test_the_newest_server_with_both_extensions_is_chosen() -> None:
    apt = apt_with(
        "postgresql-17-age",
        "postgresql-17-pgvector",
        "postgresql-18-age",
        "postgresql-18-pgvector",
        "postgresql-19-age",
    )
    assert [name for name in choose_server(apt) if name.startswith("postgresql-1")] == [
        "postgresql-18",
        "postgresql-18-age",
        "postgresql-18-pgvector",
    ]


def test_what_a_server_loads_comes_along_and_nothing_else() -> None:
    apt = apt_with("postgresql-18-age", "postgresql-18-pgvector")
    others = [name for name in choose_server(apt) if not name.startswith("postgresql-18")]
    assert others == ["libc6", "postgresql-client-18", "zlib1g"]


def test_the_bm25_extension_comes_along_where_there_is_one() -> None:
    apt = apt_with("postgresql-18-age", "postgresql-18-pgvector", "postgresql-18-pg-textsearch")
    assert "postgresql-18-pg-textsearch" in choose_server(apt)


def test_a_suite_without_age_is_refused_naming_it() -> None:
    with pytest.raises(ServerUnavailable, match="Debian sid has no PostgreSQL with AGE"):
        choose_server(apt_with("postgresql-18-pgvector"))


@pytest.mark.parametrize(("package", "loaded"), [("libssl3t64", True), ("libllvm19", False), ("perl-base", False)])
def test_only_libraries_that_a_server_loads_are_taken(package: str, loaded: bool) -> None:
    assert loaded_library(package) is loaded


def test_a_machine_whose_apt_knows_no_mirror_is_told_what_to_do(
    open_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debian, "run", lambda *_, **__: "")
    with pytest.raises(ServerUnavailable, match=r"apt-get update.*POST_GRAPH_RAG_SERVER_DIR"):
        unpack_server(open_home / "home")


def test_a_machine_without_apt_is_told_what_to_do(open_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(open_home))
    with pytest.raises(ServerUnavailable, match=r"apt-get cannot be run.*POST_GRAPH_RAG_SERVER_DIR"):
        unpack_server(open_home / "home")


def test_a_release_past_its_date_is_named_as_that(open_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: tuple[str, ...], *_: object) -> str:
        if command[1] == "update":
            raise ServerUnavailable("E: Release file for … is expired (invalid since 3d). Updates will not be applied.")
        return "mirror"

    monkeypatch.setattr(debian, "run", run)
    monkeypatch.setattr(debian, "_keyring", lambda: Path("/keys"))
    with pytest.raises(ServerUnavailable, match="Debian forky is past its date"):
        unpack_server(open_home / "home")


def test_a_failed_unpacking_leaves_nothing_in_the_cache(open_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debian, "run", lambda *_, **__: "")
    with pytest.raises(ServerUnavailable):
        unpack_server(open_home / "home")
    assert list((open_home / "home" / "cache").iterdir()) == []


def test_an_older_release_is_taken_when_the_newest_cannot_be_had_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def one_suite(home: Path, suite: str) -> Path:
        if suite == "forky":
            raise ServerUnavailable("forky is past its date.")
        return home / suite

    said: list[str] = []
    monkeypatch.setattr(unpack, "unpack_server", one_suite)
    found = unpack_newest(Path("/home"), said.append)
    assert (found, said) == (Path("/home/trixie"), ["forky is past its date. Trying an older release than forky."])
