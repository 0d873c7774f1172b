"""The Apache AGE picture of what is current: drawn in the transaction that writes the record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.grants import grant_again
from post_graph_rag.store.graph_ddl import create_graph, drop_graph
from post_graph_rag.store.realms import DDL_TIMEOUT, LOCK_TIMEOUT, Realm
from post_graph_rag.store.rows import as_json
from post_graph_rag.store.write import hold_writes


@dataclass(frozen=True, slots=True)
class Touched:
    """Ids of what is to be drawn anew."""

    documents: Iterable[int]
    passages: Iterable[int]
    entities: Iterable[int]
    relations: Iterable[int]


async def project(session: Session, graph: str | None, touched: Touched) -> None:
    """Draw what was touched as the record has it now; nothing for a realm without a graph."""
    if graph is None:
        return
    await session.run("load_age")
    labels = as_json({row["label"]: row["id"] for row in await session.rows("label_ids", graph)})
    documents, passages = sorted(touched.documents), sorted(touched.passages)
    entities, relations = sorted(touched.entities), sorted(touched.relations)
    await session.run("project_vertices", documents, passages, entities, labels)
    await session.run("erase_edges", documents, passages, relations, labels)
    await session.run("draw_edges", documents, passages, relations, labels)


async def rebuild_graph(database: Database, realm: Realm) -> None:
    """Throw the graph away and draw it anew from the record, in one transaction under the write lock.

    Raises Busy, and nothing is changed, when somebody else's transaction keeps the graph in use: it is not waited for
    longer than a few seconds, since every writer waits meanwhile.
    """
    graph = realm.info.graph_name
    if graph is None:
        return
    async with database.transaction(realm.statements, fresh=True) as session:
        await session.run("limit_lock_wait", LOCK_TIMEOUT)
        await hold_writes(session)
        await session.run("limit_lock_wait", DDL_TIMEOUT)
        await drop_graph(session, graph)
        await create_graph(session, graph, realm.names)
        await grant_again(session, realm)
        every = await session.row("project_everything")
        await project(
            session, graph, Touched(every["documents"], every["passages"], every["entities"], every["relations"])
        )
