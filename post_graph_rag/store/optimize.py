"""Indexes that pay only from a size on, and fresh statistics for the planner. Made by hand or after indexing."""

from __future__ import annotations

from typing import Any

from post_graph_rag.errors import Busy
from post_graph_rag.records import OptimizeReport
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.identifiers import quoted
from post_graph_rag.store.realms import Realm, may_migrate
from post_graph_rag.store.statements import render, sources
from post_graph_rag.store.tail import long_tails, may_wait, merge_tails

THRESHOLD = 20_000  # vectors; below it an exact scan is as fast and finds everything
MUCH = 100  # passages written by one call that make it worth to look
WAIT = "5s"  # for a table's lock; writers wait while an index is built, readers never do


async def optimize(
    database: Database, realm: Realm, threshold: int | None = None, *, graph: bool = True, waiting: int = 0
) -> OptimizeReport:
    """Build the HNSW index of each vector table above `threshold` current vectors, and analyze the realm's tables.

    threshold: None is 20,000. graph: analyze the graph's tables too, which only a user's openCypher reads.
    waiting: of a kind of which no more vectors wait, these go on waiting.

    An index that holds what waits in the tail too is made anew. What waits is then put into its index.

    Readers are never blocked; writers wait while an index is built. A second call builds nothing again.
    When another process is at it already, nothing is done and the report says so.
    Raises Busy when a table's lock is not had in time, DatabaseError when this role does not own the realm.
    """
    # An index may take longer to build than the pool's connections wait for any statement.
    async with database.transaction(realm.statements, fresh=True) as session:
        lock = await session.row("try_lock_optimize", realm.info.schema_name, WAIT)
        if not lock["mine"]:
            return OptimizeReport(busy=True)
        wanted = await tables_to_index(session, realm, threshold)
        await session.run("roomy_index_build", realm.info.schema_name, wanted)
        for table in wanted:
            await _build(session, realm, table)
        tails = await long_tails(session, waiting)
        analyzed = await _analyze(session, realm, graph)
    for table in wanted:
        await _exchange(database, realm, table)
    return OptimizeReport(indexed=tuple(wanted), merged=await merge_tails(database, realm, tails), analyzed=analyzed)


async def optimize_after(database: Database, realm: Realm, written: int) -> OptimizeReport | None:
    """`optimize` at the end of a call that wrote `written` passages; None where it is not worth it or not ours to do.

    It is not ours on a caller's connection nor for a role that does not own the realm. A lock that is not had in time
    is left to the next call.
    """
    if written < MUCH or not await _is_ours(database, realm):
        return None
    try:
        return await optimize(database, realm, graph=False, waiting=may_wait(realm))
    except Busy:
        return OptimizeReport(busy=True)


async def merge_after(database: Database, realm: Realm) -> int:
    """Put what waits into its index where much does, at the end of a call that wrote little; returns how many."""
    if not await _is_ours(database, realm):
        return 0
    async with database.transaction(realm.statements, read_only=True) as session:
        tails = await long_tails(session, may_wait(realm))
    return await merge_tails(database, realm, tails)


async def _is_ours(database: Database, realm: Realm) -> bool:
    return database.owned and await may_migrate(database, realm.info.name)


async def tables_to_index(session: Session, realm: Realm, threshold: int | None = None) -> list[str]:
    """The vector tables whose index is broken, or missing although they are above the threshold."""
    limit = THRESHOLD if threshold is None else threshold
    counts = {row["kind"]: row["vectors"] for row in await session.rows("vector_counts")}
    names = vector_tables(realm)
    rows = await session.rows("vector_tables", realm.info.schema_name, list(names.values()))
    found = {row["name"]: row for row in rows}
    return [name for kind, name in names.items() if _wanted(found[name], counts[kind] > limit)]


def vector_tables(realm: Realm) -> dict[str, str]:
    """The vector tables of the realm's generation by what their vectors stand for."""
    return {kind: f"{kind}_vector_{realm.info.generation}" for kind in ("passage", "entity", "relation")}


def _wanted(table: Any, large: bool) -> bool:
    return not table["valid"] or (large and not table["indexed"])


async def _build(session: Session, realm: Realm, table: str) -> None:
    """Under a name of its own: to remove an index that is there would make readers wait while this one is built."""
    record = quoted(realm.info.schema_name)
    names = {**realm.names, "table": f"{record}.{quoted(table)}", "index": quoted(f"{table}_fresh")}
    await session.script(render(sources()["create_vector_indexes"], names))


async def _exchange(database: Database, realm: Realm, table: str) -> None:
    """Put the index that was built in the place of the one that may be there, in a moment in which nobody reads.

    Where another process is at it, that one does it.
    """
    names = {**realm.names, "index": quoted(f"{table}_hnsw"), "fresh": quoted(f"{table}_fresh")}
    async with database.transaction(realm.statements, fresh=True) as session:
        lock = await session.row("try_lock_optimize", realm.info.schema_name, WAIT)
        if lock["mine"]:
            await session.script(render(sources()["exchange_index"], names))


async def _analyze(session: Session, realm: Realm, graph: bool) -> int:
    rows = await session.rows("realm_tables", realm.info.schema_name, realm.info.graph_name if graph else None)
    await session.script("ANALYZE " + ", ".join(row["name"] for row in rows))
    return len(rows)
