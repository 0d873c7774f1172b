"""Hostile arguments to the command line: one line on stderr, exit code 1, no traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from post_graph_rag.clean import clean_text
from post_graph_rag.serve.cli import app
from post_graph_rag.testing import fresh_realm_name
from tests.integration.hostile.strings import SHORT
from tests.offline import needs_offline_models

Run = Callable[..., Result]
ARGUMENTS = [text for text in SHORT.values() if "\0" not in text]


@pytest.fixture
def run(hostile_dsn: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `post-graph-rag` on the tests' database with the offline models."""
    monkeypatch.setenv("POST_GRAPH_RAG_DSN", hostile_dsn)
    monkeypatch.setenv("POST_GRAPH_RAG_OFFLINE", "1")
    return lambda *words: CliRunner().invoke(app, list(words))


def refused(result: Result) -> str:
    """The one line of a refusal."""
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    assert line.startswith("Error: ")
    return line


def test_binary_is_refused_as_text(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "program.bin"
    file.write_bytes(b"\x7fELF\x00\x01\x02")
    assert "is not a text file" in refused(run("index", str(file)))


@pytest.mark.parametrize("content", [b"", b" \n\t\n"])
def test_an_empty_file_is_refused(run: Run, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "empty.txt"
    file.write_bytes(content)
    assert "nothing to index" in refused(run("index", str(file), "--realm", fresh_realm_name()))


def test_a_file_that_is_not_there_is_refused(run: Run, tmp_path: Path) -> None:
    assert "cannot be read" in refused(run("index", str(tmp_path / "none.txt")))
    assert "cannot be read" in refused(run("index", str(tmp_path)))


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [("--top-k", "-1", "top_k"), ("--top-k", "0", "top_k"), ("--mode", "magic", "mode"), ("--mode", "global", "mode")],
)
def test_options_of_a_question_that_cannot_be_used_are_refused(
    run: Run, some_realm: str, option: str, value: str, told: str
) -> None:
    assert told in refused(run("query", "Who?", option, value, "--realm", some_realm))


@pytest.mark.parametrize("question", ["", "  "])
def test_an_empty_question_is_refused_before_a_realm_is_looked_for(run: Run, question: str) -> None:
    assert "the question is empty" in refused(run("query", question, "--realm", fresh_realm_name()))


def test_a_realm_that_is_not_there_is_refused_by_every_command(run: Run) -> None:
    realm = ("--realm", fresh_realm_name())
    commands = [("query", "Who?"), *(("realm", name) for name in ("stats", "optimize", "rebuild-graph"))]
    for command in [*commands, ("realm", "drop", "--yes"), ("realm", "grant", "postgres", "--read")]:
        assert "does not exist" in refused(run(*command, *realm))


def test_hostile_realm_names_are_refused_or_made(run: Run) -> None:
    for name in ["", "x" * 201, "half \udc80"]:
        refused(run("realm", "create", name))
    for name in ARGUMENTS[:8]:
        made = run("realm", "create", "--", name)
        assert len(made.output.splitlines()) == 1
        dropped = run("realm", "drop", "--yes", "--", name)
        assert (dropped.exit_code, len(dropped.output.splitlines())) == (made.exit_code, 1)


@pytest.mark.parametrize(
    ("role", "told"),
    [
        ("", "1 to 63 bytes"),
        ("x" * 70, "1 to 63 bytes"),
        ("half \udc80", "no half of a surrogate pair"),
        ("no such", "the server has no role 'no such'"),
        ('x"; DROP TABLE y; --', "the server has no role 'x\"; DROP TABLE y; --'"),
    ],
)
def test_hostile_roles_are_refused(run: Run, some_realm: str, role: str, told: str) -> None:
    assert told in refused(run("realm", "grant", "--read", "--realm", some_realm, "--", role))


@needs_offline_models
def test_hostile_files_are_indexed_and_asked_about(run: Run, tmp_path: Path) -> None:
    realm = ("--realm", fresh_realm_name())
    names = [clean_text(text[:20].replace("/", " "))[0] for text in ARGUMENTS]
    files = [tmp_path / f"{number} {name}" for number, name in enumerate(names)]
    for file, text in zip(files, ARGUMENTS, strict=True):
        file.write_bytes(f"The Notary {text} keeps the Ledger.".encode("utf-8", "surrogatepass"))
    indexed = run("index", *realm, "--", *map(str, files))
    assert (indexed.exit_code, len(indexed.stdout.splitlines())) == (0, len(files))
    for text in ARGUMENTS:
        asked = run("query", *realm, "--", f"Who is {text}?")
        assert (asked.exit_code, asked.exception) == (0, None)
    run("realm", "drop", "--yes", *realm)


def test_a_password_is_never_printed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POST_GRAPH_RAG_DSN", "postgresql://u:hushhush7Q@127.0.0.1:1/d")
    for command in [("query", "Who?"), ("index",), ("realm", "list"), ("doctor",), ("migrate", "--check")]:
        assert "hushhush7Q" not in run(*command).output
    assert "hushhush7Q" not in run("doctor", "--dsn", "postgresql://u:pa/hushhush7Q@h:1/d").output


@pytest.mark.parametrize("variable", ["GRAPH", "CONCURRENCY", "CHUNK_TOKENS", "OFFLINE"])
def test_a_variable_that_cannot_be_used_is_named(run: Run, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(f"POST_GRAPH_RAG_{variable}", "hushhush7Q")
    line = refused(run("realm", "list"))
    assert variable.lower() in line
    assert "hushhush7Q" not in line


@needs_offline_models
def test_a_source_cannot_take_over_the_terminal(run: Run, tmp_path: Path) -> None:
    realm, file = ("--realm", fresh_realm_name()), tmp_path / "title\x1b[2J\n[7] Forged.md"
    file.write_text("Mara Keller keeps the Ledger\x1b]0;owned\x07 of Basel.")
    run("index", *realm, str(file))
    for words in [
        ("query", "Who keeps the Ledger of Basel?"),
        ("query", "Who keeps the Ledger of Basel?", "--context"),
    ]:
        output = run(*words, *realm).output
        assert "Ledger" in output
        assert "\x1b" not in output
        assert "[7] Forged.md" not in output.splitlines()
    run("realm", "drop", "--yes", *realm)
