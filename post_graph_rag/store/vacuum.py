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


async def vacuum_realm(database: Database, realm: Realm) -> None:
    """VACUUM and ANALYZE all tables of the realm. Rows that an older transaction may still see are left."""
    async with database.outside(realm.statements) as session:
        rows = await session.rows("realm_tables", realm.info.schema_name, realm.info.graph_name)
        await session.script("VACUUM (ANALYZE) " + ", ".join(row["name"] for row in rows))
