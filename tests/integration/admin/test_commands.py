"""The command line: one line of text for an error, an exit code, and never a secret."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from post_graph_rag.store.database import Database
from post_graph_rag.store.identifiers import schema_name
from post_graph_rag.store.realms import ensure_realm, list_realms
from tests.integration.admin.commands import run
from tests.offline import needs_offline_models
from tests.servers import with_user

FACTS = "Clara Voss founded Halden Optics in Lindeby in 1988. Halden Optics bought Corran Glass in 1998.\n"


@needs_offline_models
async def test_a_file_is_indexed_and_asked_about(database: str, tmp_path: Path) -> None:
    (tmp_path / "halden.md").write_text(FACTS)
    indexed = await run(database, "index", str(tmp_path / "halden.md"))
    assert (indexed.exit_code, indexed.stdout.split()[0]) == (0, "new")
    answered = await run(database, "query", "Who founded Halden Optics?")
    assert answered.exit_code == 0
    assert "Clara Voss" in answered.stdout
    assert f"[1] {tmp_path}/halden.md" in answered.stdout


@needs_offline_models
async def test_a_file_that_has_not_changed_is_said_to_be_unchanged(database: str, tmp_path: Path) -> None:
    (tmp_path / "halden.md").write_text(FACTS)
    await run(database, "index", str(tmp_path / "halden.md"))
    assert (await run(database, "index", str(tmp_path / "halden.md"))).stdout.split()[0] == "unchanged"


@needs_offline_models
async def test_reindexing_reads_an_unchanged_file_again(database: str, tmp_path: Path) -> None:
    (tmp_path / "halden.md").write_text(FACTS)
    await run(database, "index", str(tmp_path / "halden.md"))
    again = await run(database, "index", "--reindex", str(tmp_path / "halden.md"))
    assert (again.exit_code, again.stdout.split()[0]) == (0, "changed")


@needs_offline_models
async def test_a_file_that_fails_beside_good_ones_is_told_and_shows_in_the_exit_code(
    database: str, tmp_path: Path
) -> None:
    (tmp_path / "halden.md").write_text(FACTS)
    (tmp_path / "blank.md").write_text(" \n")
    told = await run(database, "index", str(tmp_path / "halden.md"), str(tmp_path / "blank.md"))
    assert told.exit_code == 1
    assert [line.split()[0] for line in told.stdout.splitlines()] == ["new", "failed"]


@needs_offline_models
async def test_a_role_that_was_granted_writing_indexes_and_one_that_was_granted_reading_asks(
    database: str, tmp_path: Path, make_role: Callable[[str], str]
) -> None:
    (tmp_path / "halden.md").write_text(FACTS)
    await run(database, "realm", "create", "default", "--offline")
    await run(database, "realm", "grant", make_role("pgr_test_writer"), "--write")
    await run(database, "realm", "grant", make_role("pgr_test_reader"), "--read")
    as_writer, as_reader = with_user(database, "pgr_test_writer"), with_user(database, "pgr_test_reader")
    assert (await run(as_writer, "index", str(tmp_path / "halden.md"))).stdout.split()[:1] == ["new"]
    assert "Clara Voss" in (await run(as_reader, "query", "Who founded Halden Optics?")).stdout
    refused = await run(as_reader, "index", str(tmp_path / "halden.md"), "--offline")
    assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)


@needs_offline_models
async def test_only_the_context_is_printed_when_asked_for(database: str, tmp_path: Path) -> None:
    (tmp_path / "halden.md").write_text(FACTS)
    await run(database, "index", str(tmp_path / "halden.md"))
    printed = (await run(database, "query", "Who founded Halden Optics?", "--context")).stdout
    assert FACTS.strip() in printed


async def test_the_offline_models_are_used_when_none_is_named_and_it_is_said(database: str) -> None:
    made = await run(database, "realm", "create", "acme")
    assert "using the offline models" in made.stderr
    assert made.stdout == "acme: offline-wordllama-256, 256 dimensions\n"


async def test_realms_are_made_listed_counted_and_dropped(store: Database, database: str) -> None:
    await run(database, "realm", "create", "acme", "--offline")
    assert (await run(database, "realm", "list")).stdout == "acme: offline-wordllama-256, 256 dimensions, graph\n"
    assert "documents        0" in (await run(database, "realm", "stats", "acme")).stdout
    assert (await run(database, "realm", "drop", "acme", "--yes")).exit_code == 0
    assert await list_realms(store) == []


async def test_a_realm_is_not_dropped_where_nobody_can_be_asked(store: Database, database: str) -> None:
    await ensure_realm(store, "acme", "model", 8)
    told = await run(database, "realm", "drop", "acme")
    assert (told.exit_code, "say --yes" in told.stderr) == (1, True)
    assert [realm.name for realm in await list_realms(store)] == ["acme"]


async def test_a_name_is_printed_without_what_would_move_the_cursor(store: Database, database: str) -> None:
    await ensure_realm(store, "a\x1b[2J\nb", "model", 8)
    assert (await run(database, "realm", "list")).stdout == "a\\x1b[2J\\nb: model, 8 dimensions, graph\n"


async def test_checking_migrations_says_by_its_exit_code_whether_something_is_missing(database: str) -> None:
    assert (await run(database, "migrate", "--check")).exit_code == 1
    assert (await run(database, "migrate")).stdout == "catalog: applied: 0001 catalog, 0002 prefixes\n"
    assert (await run(database, "migrate", "--check")).exit_code == 0


async def test_migrating_every_realm_names_the_one_that_cannot_be(
    store: Database, database: str, admin: psycopg.Connection
) -> None:
    for name in ("a", "b"):
        await ensure_realm(store, name, "model", 8)
    admin.execute("UPDATE post_graph_rag.migration SET checksum = 'x' WHERE scope = %s", (schema_name("a"),))
    told = await run(database, "migrate", "--all")
    assert told.exit_code == 1
    assert "realm 'b': up to date" in told.stdout
    assert "is not the one this version ships" in told.stdout


@needs_offline_models
async def test_doctor_says_what_it_looked_at_and_fails_when_something_is_wrong(database: str) -> None:
    looked = await run(database, "doctor", "--realm", "acme", "--offline")
    assert looked.exit_code == 1
    assert "mend it with: post-graph-rag realm create --realm=acme" in looked.stdout
    await run(database, "realm", "create", "acme", "--offline")
    assert (await run(database, "doctor", "--realm", "acme", "--offline")).exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["query", "x", "--realm", "nowhere"], "realm 'nowhere' does not exist"),
        (["query", "x", "--mode", "sideways"], "mode: Input should be"),
        (["query", "x", "--top-k", "-1"], "top_k: Input should be greater than"),
        (["index", "/nowhere.txt"], "/nowhere.txt cannot be read"),
        (["index", "--reindex"], "--reindex and --estimate need files"),
        (["realm", "grant", "someone"], "say either --read or --write"),
        (["realm", "stats", "nowhere"], "realm 'nowhere' does not exist"),
        (["realm", "drop", "nowhere", "--yes"], "realm 'nowhere' does not exist"),
        (["realm", "create", "  "], "1 to 200 characters"),
        (["realm", "list", "--dsn", "postgresql://u:secret@127.0.0.1:1/x"], "cannot be reached"),
        (["realm", "list", "--dsn", "nonsense:secret"], "the DSN cannot be read"),
    ],
)
async def test_an_error_is_one_line_without_a_secret(database: str, words: list[str], said: str) -> None:
    told = await run(database, *words, POST_GRAPH_RAG_OFFLINE="1")
    assert told.exit_code == 1
    assert told.stderr.startswith("Error: ")
    assert said in told.stderr
    assert told.stderr.count("\n") == 1
    assert "secret" not in told.output


async def test_a_setting_that_cannot_be_used_is_named_without_its_value(database: str) -> None:
    told = await run(database, "realm", "list", POST_GRAPH_RAG_POOL_SIZE="secret")
    assert told.exit_code == 1
    assert told.stderr.startswith("Error: settings cannot be used: pool_size: ")
    assert "secret" not in told.stderr


async def test_a_binary_file_is_refused_before_anything_is_written(
    store: Database, database: str, tmp_path: Path
) -> None:
    (tmp_path / "good.md").write_text(FACTS)
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    told = await run(database, "index", str(tmp_path / "good.md"), str(tmp_path / "picture.png"))
    assert "picture.png is not a text file" in told.stderr
    assert await list_realms(store) == []


async def test_a_key_without_a_models_name_is_refused_without_showing_the_key(database: str) -> None:
    await run(database, "realm", "create", "default", "--offline")
    told = await run(database, "query", "x", OPENAI_API_KEY="sk-secret")
    assert told.exit_code == 1
    assert "POST_GRAPH_RAG_MODEL" in told.stderr
    assert "sk-secret" not in told.output
