"""The graph shows each thing with all its properties, as it is now, however it came to be so."""

from __future__ import annotations

import json

from post_graph_rag import Document, GraphRAG, Models
from post_graph_rag.records import ExtractedEntity, ExtractedRelation, Extraction
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding
from tests.integration.foreign.engines import WIDTH, engine

KILNS = ExtractedEntity(name="Acme Corp", type="Company", description="Acme Corp makes kilns.")
TESTS = ExtractedEntity(name="Birch Labs", type="Laboratory", description="Birch Labs tests kilns.")


def fact(words: str = "", **more: str) -> ExtractedRelation:
    return ExtractedRelation(subject="Acme Corp", predicate="owns", object="Birch Labs", description=words, **more)


SAID = {
    "full": Extraction(entities=(KILNS, TESTS), relations=(fact("Acme Corp owns it."),)),
    "fuller": Extraction(entities=(KILNS, TESTS), relations=(fact("Acme Corp has owned Birch Labs since 2001."),)),
    "dated": Extraction(relations=(fact("It owns it.", valid_from="2001", valid_to="2004"),)),
    "bare": Extraction(entities=(ExtractedEntity(name="Acme Corp"), ExtractedEntity(name="Birch Labs"))),
    "alias": Extraction(entities=(ExtractedEntity(name="Acme", aliases=("Acme Corp",), description="Acme is old."),)),
    "denied": Extraction(
        relations=(ExtractedRelation(subject="Acme", predicate="owns", object="Birch Labs", negated=True),)
    ),
}


def scripted(dsn: str) -> GraphRAG:
    """An engine whose model says of a text what is written under its first word."""
    chat = ScriptedChat(extract=lambda text: SAID[text.split()[0]])
    return engine(dsn, models=Models(chat, ScriptedEmbedding(WIDTH)))


async def drawn(rag: GraphRAG) -> list[str]:
    """Everything in the graph, ids and properties."""
    vertices = await rag.cypher("MATCH (n) RETURN n")
    edges = await rag.cypher("MATCH (a)-[r]->(b) RETURN r")
    return sorted(json.dumps(row, sort_keys=True) for row in (*vertices, *edges))


async def test_a_bare_mention_takes_no_property_away(database: str) -> None:
    async with scripted(database) as rag:
        await rag.index_text("full", key="a")
        await rag.index_documents([Document(text=f"bare {n}", key=f"{n}") for n in range(3)])
        rows = await rag.cypher(
            "MATCH (e:Entity) RETURN e.name, e.type, e.description ORDER BY e.name", columns=["name", "type", "words"]
        )
    assert [tuple(row.values()) for row in rows] == [
        ("Acme Corp", "Company", "Acme Corp makes kilns."),
        ("Birch Labs", "Laboratory", "Birch Labs tests kilns."),
    ]


async def test_changed_metadata_and_text_leave_the_documents_other_properties(database: str) -> None:
    async with scripted(database) as rag:
        shared = {"key": "a", "source": "a.md", "observed_at": "2020-05"}
        await rag.index_documents([Document(text="full", title="One", **shared)])
        await rag.index_documents([Document(text="full", title="Two", metadata={"page": 2}, **shared)])
        await rag.index_documents([Document(text="fuller", title="Two", metadata={"page": 2}, **shared)])
        rows = await rag.cypher(
            "MATCH (d:Document) RETURN d.key, d.title, d.source, d.observed_at", columns=list("ktso")
        )
        [source] = {hit.sources[0].title: hit.metadata for hit in (await rag.query_data("kilns")).passages}.items()
    assert [tuple(row.values()) for row in rows] == [("a", "Two", "a.md", "2020-05")]
    assert source == ("Two", {"page": 2})


async def test_each_step_leaves_what_a_graph_drawn_anew_would_show(database: str) -> None:
    steps = [
        ("a", "full"), ("b", "dated"), ("c", "bare"), ("a", "fuller"), ("d", "alias"), ("e", "denied"),
        ("b", "bare too"), ("d", "bare again"), ("a", "full again"), ("e", "fuller again"),
    ]  # fmt: skip
    async with scripted(database) as rag:
        for key, text in steps:
            await rag.index_documents([Document(text=text, key=key, title=f"{key} {text}", metadata={"text": text})])
            before = await drawn(rag)
            await rag.rebuild_graph()
            assert await drawn(rag) == before, (key, text)
