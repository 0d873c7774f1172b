"""A store on the test's own database."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

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
