"""What goes over the wire: little for a question and for a document, and no more of it when there is more to find."""

from __future__ import annotations

import pytest

from benchmarks.sqlcount import Count, counting
from post_graph_rag import Document, GraphRAG, Models, QueryParam
from post_graph_rag.records import Mode
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, plain_facts
from tests.integration.foreign.engines import WIDTH, engine


def text_of(number: int, facts: int = 10) -> str:
    lines = (f"Acme{number % 9} Corp acquired Birch{number}x{fact} Labs since {1990 + fact}." for fact in range(facts))
    return "\n".join(lines)


async def ask(rag: GraphRAG, mode: Mode, top_k: int) -> tuple[Count, int]:
    """What one question sends, and how much it finds."""
    with counting() as count:
        answer = await rag.query("What did Acme3 Corp acquire?", QueryParam(mode=mode, top_k=top_k))
    return count, sum(map(len, (answer.data.passages, answer.data.entities, answer.data.relations)))


@pytest.mark.parametrize("mode", ["mix", "local", "naive", "bypass"])
async def test_a_whole_query_sends_at_most_8_statements_whatever_it_finds(database: str, mode: Mode) -> None:
    async with engine(database) as rag:
        await rag.index_text(text_of(3, 1), key="first")
        await ask(rag, mode, 1)
        few, little = await ask(rag, mode, 1)
        await rag.index_documents([Document(text=text_of(n), key=f"{n}") for n in range(60)])
        many, much = await ask(rag, mode, 50)
    assert (few.statements, few.messages) == (many.statements, many.messages)
    assert many.statements <= 8
    assert many.messages <= 16
    assert much > 10 * little or mode == "bypass"


async def test_a_hundred_documents_send_at_most_12_statements_each_besides_a_write_for_each_model_call(
    database: str,
) -> None:
    chat, embedding = ScriptedChat(extract=plain_facts), ScriptedEmbedding(WIDTH)
    async with engine(database, models=Models(chat, embedding), gleaning_passes=1) as rag:
        await rag.index_text(text_of(0), key="first")
        asked = len(chat.calls) + embedding.requests
        with counting() as count:
            await rag.index_documents([Document(text=text_of(n), key=f"{n}") for n in range(100)])
        calls = len(chat.calls) + embedding.requests - asked
    assert len(chat.calls) >= 200
    assert (count.statements - calls) / 100 <= 12


async def test_a_small_document_sends_few_messages(database: str) -> None:
    async with engine(database) as rag:
        await rag.index_text(text_of(0), key="first")
        with counting() as count:
            await rag.index_text(text_of(1), key="second")
    assert count.messages <= 60
