"""What a document no longer says is found nowhere: in no channel, prompt, description or graph, and in no cache."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable

import pytest

from post_graph_rag import Document, GraphRAG, Models, QueryParam
from post_graph_rag.records import Mode
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, plain_facts
from tests.integration.foreign.engines import WIDTH, engine

OLD = "Acme Corp also known as Oldname acquired Staleco Labs since 1999."
NEW = "Acme Corp sued Freshco Inc since 2020."
GONE = ("Oldname", "Staleco", "1999", "acquired")
QUESTIONS = ("What did Acme Corp acquire since 1999?", "Who is Oldname?", "Staleco Labs", "Acme Corp")


def says_old(text: str) -> list[str]:
    """The words that are gone; a score may hold the digits of a year."""
    return [word for word in GONE if re.search(rf"\b{word}\b", text)]


async def replace(rag: GraphRAG) -> None:
    await rag.index_documents([Document(text=NEW, key="a", title="New")])


async def delete(rag: GraphRAG) -> None:
    await rag.delete_document("a")
    await rag.index_documents([Document(text=NEW, key="b")])


async def erase(rag: GraphRAG) -> None:
    await rag.erase_document("a")
    await rag.index_documents([Document(text=NEW, key="b")])


WAYS = (replace, delete, erase)


async def replaced(
    database: str, chat: ScriptedChat, let_go: Callable[[GraphRAG], Awaitable[None]] = replace
) -> GraphRAG:
    """An engine whose document was asked about, then let go."""
    rag = engine(database, models=Models(chat, ScriptedEmbedding(WIDTH)))
    await rag.index_documents([Document(text=OLD, key="a", title="Oldname"), Document(text="Kiln Ltd hired Cora Doe.")])
    for question in QUESTIONS:
        found = await rag.query_data(question)
        assert says_old(found.context) == list(GONE)
    await let_go(rag)
    return rag


@pytest.mark.parametrize("let_go", WAYS)
@pytest.mark.parametrize("mode", ["mix", "local", "naive"])
async def test_no_mode_answers_with_it(
    database: str, mode: Mode, let_go: Callable[[GraphRAG], Awaitable[None]]
) -> None:
    chat = ScriptedChat(extract=plain_facts)
    rag = await replaced(database, chat, let_go)
    for question in QUESTIONS:
        param = QueryParam(mode=mode, top_k=100, max_hops=5, space="*", search_query=question)
        answer = await rag.query("What is known?", param)
        assert "Acme Corp" in answer.data.context or "Acme" not in question
        found = answer.data.model_dump(exclude={"question", "searched"})
        assert says_old(json.dumps(found, default=str)) == []
        assert says_old("".join(message.content for message in chat.calls_for("synthesis")[-1].messages)) == []
    await rag.close()


async def test_the_graph_does_not_show_it(database: str) -> None:
    rag = await replaced(database, ScriptedChat(extract=plain_facts))
    vertices = await rag.cypher("MATCH (n) RETURN n")
    edges = await rag.cypher("MATCH (a)-[r]->(b) RETURN r")
    assert says_old(json.dumps([vertices, edges])) == []
    assert [finding for finding in await rag.doctor() if not finding.ok] == []
    await rag.close()


async def test_the_extractor_is_not_offered_its_names(database: str) -> None:
    chat = ScriptedChat(extract=plain_facts)
    rag = await replaced(database, chat)
    await rag.index_text("Acme Corp met Oldname, who met Staleco Labs.", key="b")
    asked = chat.calls_for("extraction")[-1]
    offered = "".join(message.content for message in asked.messages).replace(asked.inputs["text"], "")
    assert "Acme Corp" in offered
    assert says_old(offered) == []
    await rag.close()
