"""Clears dead rows from a realm's tables, and from the statistics what was sampled of them."""

from __future__ import annotations

from post_graph_rag.errors import InputError, RightMissing
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm


async def check_may_vacuum(database: Database, realm: Realm) -> None:
    """Raises InputError inside a caller's transaction, RightMissing for a role that does not own the realm's tables."""
    if database.inside_transaction:
        raise InputError("dead rows cannot be cleared inside a transaction: leave vacuum out, and run VACUUM after it")
    async with database.single(realm.statements) as session:
        others = await session.value("tables_not_mine", realm.info.schema_name, realm.info.graph_name)
    if others:
        raise RightMissing(
            f"only the owner of realm {realm.info.name!r} may clear dead rows: leave vacuum out and let it be done"
        )


async def vacuum_realm(database: Database, realm: Realm) -> bool:
    """VACUUM and ANALYZE all tables of the realm, and the table that holds the planner's samples.

    Returns whether nobody could still see what is dead: rows that an older transaction sees are left.
    """
    async with database.outside(realm.statements) as session:
        older = await session.value("older_snapshots")
        rows = await session.rows("realm_tables", realm.info.schema_name, realm.info.graph_name)
        await session.script("VACUUM (ANALYZE) " + ", ".join(row["name"] for row in rows))
        # Only a superuser or the database's owner may; anybody else is warned, and it is left to autovacuum.
        await session.script("VACUUM pg_catalog.pg_statistic")
        return bool(older == 0)
