"""A whole database brought up to date: the catalog, then each realm in a transaction of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from post_graph_rag.errors import DatabaseError, SchemaError
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.migrations import Kind, Migration, migrations, missing
from post_graph_rag.store.realms import (
    CATALOG_STATEMENTS,
    LOCK_TIMEOUT,
    migrate_catalog,
    migrate_realm,
)


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What one scope lacked, or lacks, and why it cannot be brought up to date, if it cannot.

    realm: None is the catalog.
    """

    realm: str | None
    migrations: tuple[Migration, ...] = ()
    problem: str = ""


async def missing_migrations(database: Database) -> list[Upgrade]:
    """What the catalog and each realm lack, the catalog first; changes nothing."""
    async with database.transaction(CATALOG_STATEMENTS, read_only=True) as session:
        exists = await session.value("catalog_exists")
        applied = await session.rows("all_applied_migrations") if exists else []
        catalog = _lacks(None, "catalog", "catalog", applied)
        return [catalog, *await _realms_lack(session, applied, catalog)]


async def _realms_lack(session: Session, applied: Sequence[Any], catalog: Upgrade) -> list[Upgrade]:
    if catalog.migrations and catalog.migrations[0].number == migrations("catalog")[0].number:
        return []
    rows = await session.rows("realm_schemas")
    return [_lacks(row["name"], "realm", row["schema_name"], applied) for row in rows]


def _lacks(realm: str | None, kind: Kind, scope: str, applied: Sequence[Any]) -> Upgrade:
    try:
        return Upgrade(
            realm, tuple(missing(migrations(kind), [row for row in applied if row["scope"] == scope], scope))
        )
    except SchemaError as error:
        return Upgrade(realm, problem=str(error))


async def migrate_all(database: Database) -> list[Upgrade]:
    """Bring everything up to date; what was done stays done, so a run that broke off is simply run again.

    Returns what was applied to the catalog and to each realm; a realm that cannot be migrated has a `problem`
    and holds up no other. Raises Busy when another process holds a lock for too long, SchemaError for the catalog.
    """
    done = [await _migrate_catalog(database)]
    for lacking in await missing_migrations(database):
        if lacking.realm is not None:
            done.append(await _upgrade(database, lacking.realm) if lacking.migrations else lacking)
    return done


async def migrate_one(database: Database, realm: str) -> list[Upgrade]:
    """Bring the catalog and, if it exists, one realm up to date; returns and raises as migrate_all does."""
    done = [await _migrate_catalog(database)]
    for lacking in await missing_migrations(database):
        if lacking.realm == realm:
            done.append(await _upgrade(database, realm) if lacking.migrations else lacking)
    return done


async def _migrate_catalog(database: Database) -> Upgrade:
    async with database.transaction(CATALOG_STATEMENTS) as session:
        await session.run("lock_migrations", LOCK_TIMEOUT)
        return Upgrade(None, tuple(await migrate_catalog(session)))


async def _upgrade(database: Database, realm: str) -> Upgrade:
    try:
        return Upgrade(realm, tuple(await migrate_realm(database, realm)))
    except (SchemaError, DatabaseError) as error:
        return Upgrade(realm, problem=str(error))
