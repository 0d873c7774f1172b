"""`post-graph-rag db`: the embedded server from the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from click.testing import Result
from typer.testing import CliRunner

from post_graph_rag.embedded import EmbeddedServer
from post_graph_rag.serve import cli_db
from post_graph_rag.serve.cli_db import db_app


@pytest.fixture(autouse=True)
def own_home(ready_home: Path, server_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("POST_GRAPH_RAG_HOME", str(ready_home))
    monkeypatch.setenv("POST_GRAPH_RAG_SERVER_DIR", str(server_dir))
    yield ready_home
    EmbeddedServer(ready_home, server_dir).stop(force=True)


def run(*words: str) -> Result:
    return CliRunner().invoke(db_app, list(words))


def test_start_prints_a_dsn_that_works() -> None:
    with psycopg.connect(run("start").stdout.strip()) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def test_start_twice_prints_the_same_dsn() -> None:
    assert run("start").stdout == run("start").stdout


def test_dsn_prints_what_start_printed() -> None:
    assert run("start").stdout == run("dsn").stdout


def test_dsn_of_a_stopped_server_fails_and_says_how_to_start_it() -> None:
    result = run("dsn")
    assert (result.exit_code, "post-graph-rag db start" in result.stderr) == (1, True)


def test_status_of_a_stopped_server_says_so() -> None:
    assert "state    stopped" in run("status").stdout


def test_status_of_a_started_server_says_until_when_it_runs() -> None:
    run("start")
    assert "state    running, not in use, until `db stop`" in run("status").stdout


def test_stop_stops_it() -> None:
    run("start")
    run("stop")
    assert "state    stopped" in run("status").stdout


def test_stop_of_a_used_server_is_refused_in_one_sentence(own_home: Path, server_dir: Path) -> None:
    user = EmbeddedServer(own_home, server_dir)
    user.acquire()
    result = run("stop")
    user.release()
    assert (result.exit_code, result.stderr.startswith("Error: Other processes use this server")) == (1, True)


def test_install_unpacks_nothing_when_a_server_is_there(server_dir: Path) -> None:
    assert run("install").stdout.strip() == str(server_dir)


def test_install_says_which_release_it_could_not_have(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> None:
    monkeypatch.setenv("POST_GRAPH_RAG_SERVER_DIR", str(own_home))  # holds no server

    def unpack(home: Path, tell: object) -> Path:
        assert callable(tell)
        tell("Debian forky is past its date.")
        return home / "bin"

    monkeypatch.setattr(cli_db, "unpack_newest", unpack)
    result = run("install")
    assert (result.stdout.strip(), result.stderr.strip()) == (str(own_home / "bin"), "Debian forky is past its date.")


def test_a_setting_that_cannot_be_used_is_named_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POST_GRAPH_RAG_CONCURRENCY", "many")
    result = run("status")
    assert (result.exit_code, "cannot be used: concurrency" in result.stderr, result.stderr.count("\n")) == (1, True, 1)
