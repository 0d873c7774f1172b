"""A store on the test's own database."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from post_graph_rag.store import migrations
from post_graph_rag.store.database import Database

AddMigration = Callable[[str, str], None]


@pytest.fixture
async def store(database: str) -> AsyncIterator[Database]:
    """The test's database, with a pool of its own."""
    opened = Database(database, pool_size=4)
    yield opened
    await opened.close()


@pytest.fixture
def migration_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the migrations that a test may change; call `migrations.migrations.cache_clear()` after a change."""
    folder = tmp_path / "migrations"
    shutil.copytree(migrations.migrations_folder(), folder)
    monkeypatch.setattr(migrations, "migrations_folder", lambda: folder)
    migrations.migrations.cache_clear()
    yield folder
    migrations.migrations.cache_clear()


@pytest.fixture
def add_migration(migration_folder: Path) -> AddMigration:
    """Adds a migration to the copy: its file, such as `realm/0099_more.sql`, and its text."""

    def add(file: str, text: str) -> None:
        (migration_folder / file).write_text(text)
        migrations.migrations.cache_clear()

    return add


@pytest.fixture
def admin(database: str) -> Iterator[psycopg.Connection]:
    """A superuser's own connection to the test's database."""
    with psycopg.connect(database, autocommit=True) as connection:
        yield connection


@pytest.fixture
def make_role(admin: psycopg.Connection, database: str) -> Iterator[Callable[[str], str]]:
    """Makes roles that may log in; they go with all they own and were granted when the test ends."""
    made: list[str] = []

    def make(name: str) -> str:
        admin.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(name)))
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(name)))
        made.append(name)
        return name

    yield make
    for name in made:
        # reassigned first: Apache AGE does not let a label's table go with its owner
        text = "REASSIGN OWNED BY {0} TO CURRENT_USER; DROP OWNED BY {0}; DROP ROLE {0}"
        admin.execute(sql.SQL(text).format(sql.Identifier(name)))
