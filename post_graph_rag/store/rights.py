"""Whether this role, here and now, may write: asked before any model is, so that a refusal costs nothing."""

from __future__ import annotations

from post_graph_rag.errors import ReadOnlyServer, RightMissing
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.repairs import command


async def check_may_write(database: Database, realm: Realm) -> None:
    """Raises ReadOnlyServer or RightMissing, each with what to do."""
    async with database.single(realm.statements) as session:
        row = await session.row("may_write")
    if row["replica"]:
        raise ReadOnlyServer("this server is a streaming replica, which only reads: write to its primary")
    if row["read_only"]:
        raise ReadOnlyServer(
            "this session only reads (default_transaction_read_only, or a READ ONLY transaction of yours): write in "
            "one that may write"
        )
    if not row["granted"]:
        repair = command("realm", "grant", "--write", f"--realm={realm.info.name}", "--", row["role"])
        raise RightMissing(f"role {row['role']!r} may not write realm {realm.info.name!r}: its owner runs {repair}")
