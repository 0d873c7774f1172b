"""The Apache AGE graph of a realm: made with all its labels, and dropped."""

from __future__ import annotations

from collections.abc import Mapping

from post_graph_rag.store.database import Session
from post_graph_rag.store.identifiers import quoted
from post_graph_rag.store.statements import render, sources


async def create_graph(session: Session, graph: str, names: Mapping[str, str]) -> None:
    """Make the Apache AGE graph with all its labels and indexes, in the caller's transaction."""
    await session.run("load_age")
    await session.run("create_graph", graph)
    await session.script(render(sources()["create_labels"], {"graph_name": quoted(graph).strip('"')}))
    await session.script(render(sources()["create_graph_indexes"], names))


async def drop_graph(session: Session, graph: str) -> None:
    """Drop the graph if it is there; its schema holds nothing but the graph."""
    await session.run("load_age")
    if await session.value("graph_exists", graph):
        await session.run("drop_graph", graph)
