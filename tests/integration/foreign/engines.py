"""Engines, models and texts of these tests."""

from __future__ import annotations

from typing import Any

from post_graph_rag import GraphRAG, Models, Settings
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, plain_facts

REALM = "one"
WIDTH = 64
ACME = "Acme Corp acquired Birch Labs from 2001 until 2005. Birch Labs employs Clara Voss."
ELM = "Elm Works hired Dora Lind. Dora Lind knows Clara Voss."
QUESTION = "Who acquired Birch Labs?"


def scripted(width: int = WIDTH, *, delay: float = 0.0, name: str = "scripted-embedding") -> Models:
    """Models that need nothing: facts are read from the tests' sentences."""
    return Models(
        ScriptedChat({"synthesis": "Acme Corp did [1]."}, extract=plain_facts, delay=delay),
        ScriptedEmbedding(width, name=name),
    )


def engine(dsn: str | None = None, connection: Any = None, models: Models | None = None, **settings: Any) -> GraphRAG:
    """An engine on a DSN or on what a caller lends."""
    given = {"realm": REALM, "gleaning_passes": 0, **settings}
    if dsn is not None:
        given["dsn"] = dsn
    return GraphRAG(Settings(**given), connection=connection, models=models or scripted())


async def fill(dsn: str, *texts: str, **settings: Any) -> None:
    """Make the realm and index texts, each under its first word."""
    async with engine(dsn, create=True, **settings) as rag:
        for text in texts:
            await rag.index_text(text, key=text.split()[0])


async def documents(dsn: str, **settings: Any) -> int:
    """How many documents the realm holds, as another session sees it."""
    async with engine(dsn, **settings) as rag:
        return (await rag.realm_stats()).documents
