"""The one migration runner: numbered SQL files, applied once, in order, under one lock.

A file that was applied is never changed again: its checksum is kept and compared.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from post_graph_rag.errors import SchemaError
from post_graph_rag.store.database import Session
from post_graph_rag.store.statements import render

Kind = Literal["catalog", "realm"]
_FILE = re.compile(r"(\d{4})_(\w+)\.sql\Z")
_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file."""

    number: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def migrations_folder() -> Path:
    """Inside the package when installed, beside it in a checkout."""
    for folder in (_PACKAGE / "migrations", _PACKAGE.parent / "migrations"):
        if (folder / "catalog").is_dir():
            return folder
    raise SchemaError("the migrations are missing from this installation; install the package again")


@cache
def migrations(kind: Kind) -> tuple[Migration, ...]:
    """All migrations of a kind, by number."""
    found = []
    for path in sorted((migrations_folder() / kind).glob("*.sql")):
        if match := _FILE.match(path.name):
            found.append(Migration(int(match[1]), match[2], path.read_text(encoding="utf-8")))
    return tuple(found)


def newest(kind: Kind) -> int:
    """The number of the last migration this version knows."""
    return migrations(kind)[-1].number


async def apply(session: Session, kind: Kind, scope: str, names: Mapping[str, str]) -> list[Migration]:
    """Apply what is missing in `scope` ('catalog' or a realm's schema); the caller holds the lock and the transaction.

    names: values of the files' placeholders.
    Returns what was applied. Raises SchemaError when an applied file differs from ours or is newer than we know.
    """
    todo = missing(migrations(kind), await session.rows("applied_migrations", scope), scope)
    for migration in todo:
        await session.script(render(migration.text, names))
        await session.run("note_migration", scope, migration.number, migration.name, migration.checksum)
    return todo


def missing(known: Sequence[Migration], applied: Sequence[Mapping[str, object]], scope: str) -> list[Migration]:
    """What is known but not applied. Raises SchemaError when the two lists contradict each other."""
    ours = {migration.number: migration for migration in known}
    for row in applied:
        number = int(str(row["number"]))
        if number not in ours:
            raise SchemaError(f"{scope} was migrated by a newer version of this library ({number}); upgrade it here")
        if ours[number].checksum != row["checksum"]:
            raise SchemaError(f"migration {number} of {scope} is not the one this version ships")
    done = {int(str(row["number"])) for row in applied}
    return [migration for migration in known if migration.number not in done]
