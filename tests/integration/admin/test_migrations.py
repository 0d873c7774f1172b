"""Databases are brought up to date: from every earlier state, realm by realm, whatever breaks off."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from post_graph_rag.errors import Busy, MigrationNeeded, SchemaError
from post_graph_rag.store import migrations, realms
from post_graph_rag.store.database import Database
from post_graph_rag.store.identifiers import CATALOG, graph_name, schema_name
from post_graph_rag.store.realms import ensure_realm, find_realm, open_realm
from post_graph_rag.store.upgrade import migrate_all, migrate_one, missing_migrations
from tests.integration.admin.shape import shape

ADD_COLUMN = "ALTER TABLE {record}.passage ADD COLUMN more integer;"
STATES = [
    (catalog.number, realm.number)
    for catalog in migrations.migrations("catalog")
    for realm in migrations.migrations("realm")
    # the two know nothing of one another: every state of the one with the newest of the other
    if catalog.number == migrations.newest("catalog") or realm.number == migrations.newest("realm")
]


def keep_first(folder: Path, catalog: int, realm: int) -> dict[Path, str]:
    """Take the later migrations out of the folder; returns them."""
    taken = {}
    for kind, last in (("catalog", catalog), ("realm", realm)):
        for path in (folder / kind).glob("*.sql"):
            if int(path.name[:4]) > last:
                taken[path] = path.read_text()
                path.unlink()
    migrations.migrations.cache_clear()
    return taken


def put_back(taken: dict[Path, str]) -> None:
    for path, text in taken.items():
        path.write_text(text)
    migrations.migrations.cache_clear()


@pytest.mark.parametrize(("catalog", "realm"), STATES)
async def test_a_database_upgraded_from_an_earlier_state_equals_a_fresh_one(
    store: Database, admin: psycopg.Connection, migration_folder: Path, catalog: int, realm: int
) -> None:
    taken = keep_first(migration_folder, catalog, realm)
    await ensure_realm(store, "upgraded", "model", 8)
    put_back(taken)
    await migrate_all(store)
    upgraded = [shape(admin, name) for name in (CATALOG, schema_name("upgraded"), graph_name(schema_name("upgraded")))]
    await ensure_realm(store, "fresh", "model", 8)
    assert shape(admin, schema_name("fresh")) == upgraded[1]
    assert shape(admin, graph_name(schema_name("fresh"))) == upgraded[2]
    admin.execute("DROP SCHEMA post_graph_rag CASCADE")
    await migrate_all(store)
    assert shape(admin, CATALOG) == upgraded[0]


async def test_an_empty_database_gets_its_catalog(store: Database, admin: psycopg.Connection) -> None:
    (done,) = await migrate_all(store)
    assert [migration.name for migration in done.migrations] == [m.name for m in migrations.migrations("catalog")]
    assert shape(admin, CATALOG)


async def test_checking_lists_what_is_missing_and_changes_nothing(
    store: Database, admin: psycopg.Connection, add_migration: Callable[[str, str], None]
) -> None:
    await ensure_realm(store, "one", "model", 8)
    before = shape(admin, schema_name("one"))
    add_migration("realm/0099_more.sql", ADD_COLUMN)
    states = await missing_migrations(store)
    assert [(state.realm, [m.name for m in state.migrations]) for state in states] == [(None, []), ("one", ["more"])]
    assert shape(admin, schema_name("one")) == before


async def test_checking_a_database_without_a_catalog_makes_none(store: Database, admin: psycopg.Connection) -> None:
    (state,) = await missing_migrations(store)
    assert state.migrations == migrations.migrations("catalog")
    assert admin.execute("SELECT to_regnamespace('post_graph_rag')").fetchone() == (None,)


async def test_a_migration_that_fails_in_one_realm_holds_up_no_other_and_is_made_up_for_by_the_next_run(
    store: Database, admin: psycopg.Connection, add_migration: Callable[[str, str], None]
) -> None:
    for name in ("a", "b", "c"):
        await ensure_realm(store, name, "model", 8)
    admin.execute(f"ALTER TABLE {schema_name('b')}.passage ADD COLUMN more text")
    add_migration("realm/0099_more.sql", ADD_COLUMN)
    done = {state.realm: state for state in await migrate_all(store)}
    assert "more" in done["b"].problem
    assert [m.name for m in done["a"].migrations + done["c"].migrations] == ["more", "more"]
    admin.execute(f"ALTER TABLE {schema_name('b')}.passage DROP COLUMN more")
    assert [(s.realm, len(s.migrations), s.problem) for s in await migrate_all(store)] == [
        (None, 0, ""),
        ("a", 0, ""),
        ("b", 1, ""),
        ("c", 0, ""),
    ]


async def test_one_realm_is_migrated_without_the_others(
    store: Database, add_migration: Callable[[str, str], None]
) -> None:
    for name in ("a", "b"):
        await ensure_realm(store, name, "model", 8)
    add_migration("realm/0099_more.sql", ADD_COLUMN)
    assert [state.realm for state in await migrate_one(store, "b")] == [None, "b"]
    with pytest.raises(MigrationNeeded, match="post-graph-rag migrate"):
        await find_realm(store, "a")
    assert (await find_realm(store, "b")).info.name == "b"


async def test_opening_an_older_realm_as_its_owner_brings_it_up_to_date(
    store: Database, add_migration: Callable[[str, str], None]
) -> None:
    await ensure_realm(store, "one", "model", 8)
    add_migration("realm/0099_more.sql", ADD_COLUMN)
    await open_realm(store, "one")
    assert [state.migrations for state in await missing_migrations(store)] == [(), ()]


async def test_nothing_is_migrated_on_a_callers_connection(
    store: Database, database: str, add_migration: Callable[[str, str], None]
) -> None:
    import asyncpg

    await ensure_realm(store, "one", "model", 8)
    add_migration("realm/0099_more.sql", ADD_COLUMN)
    connection = await asyncpg.connect(database)
    try:
        with pytest.raises(MigrationNeeded):
            await open_realm(Database(connection=connection), "one")
    finally:
        await connection.close()


async def test_a_realm_migrated_by_a_newer_version_is_refused(store: Database, admin: psycopg.Connection) -> None:
    await ensure_realm(store, "one", "model", 8)
    admin.execute("INSERT INTO post_graph_rag.migration VALUES (%s, 999, 'later', 'x')", (schema_name("one"),))
    with pytest.raises(SchemaError, match="newer"):
        await find_realm(store, "one")


async def test_a_migration_that_was_changed_after_it_was_applied_is_reported(
    store: Database, admin: psycopg.Connection
) -> None:
    await ensure_realm(store, "one", "model", 8)
    admin.execute("UPDATE post_graph_rag.migration SET checksum = 'x' WHERE scope = %s", (schema_name("one"),))
    states = {state.realm: state.problem for state in await migrate_all(store)}
    assert "not the one this version ships" in states["one"]


async def test_who_cannot_have_the_lock_in_time_is_told_that_it_is_busy(
    store: Database, admin: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("post_graph_rag.store.upgrade.LOCK_TIMEOUT", "100ms")
    monkeypatch.setattr(realms, "LOCK_TIMEOUT", "100ms")
    admin.execute("SELECT pg_advisory_lock(hashtextextended('post_graph_rag', 0))")
    with pytest.raises(Busy):
        await migrate_all(store)
    with pytest.raises(Busy):
        await ensure_realm(store, "one", "model", 8)


async def test_a_table_in_use_makes_a_migration_give_up_soon(
    store: Database, database: str, add_migration: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    await ensure_realm(store, "one", "model", 8)
    add_migration("realm/0099_more.sql", ADD_COLUMN)
    monkeypatch.setattr(realms, "DDL_TIMEOUT", "100ms")
    with psycopg.connect(database) as reader:
        reader.execute(f"SELECT count(*) FROM {schema_name('one')}.passage")
        with pytest.raises(Busy):
            await migrate_one(store, "one")


OPEN = """
import asyncio, sys
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import ensure_realm

async def main():
    database = Database(sys.argv[1], pool_size=1)
    sys.stdin.readline()
    print((await ensure_realm(database, "shared", "model", 8)).info.schema_name)
    await database.close()

asyncio.run(main())
"""


async def test_of_eight_processes_that_open_a_new_realm_at_once_one_creates_it_and_none_fails(
    database: str, admin: psycopg.Connection
) -> None:
    def spawn() -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen([sys.executable, "-c", OPEN, database], stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    processes = [spawn() for _ in range(8)]
    outcomes = await asyncio.gather(*(asyncio.to_thread(process.communicate, "go\n") for process in processes))
    assert [error for _, error in outcomes] == [""] * 8
    assert {printed.strip() for printed, _ in outcomes} == {schema_name("shared")}
    assert admin.execute("SELECT count(*) FROM post_graph_rag.realm").fetchone() == (1,)
