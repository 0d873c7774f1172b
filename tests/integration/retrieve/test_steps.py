"""What a step before the search adds to the work of a question, mode by mode."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from pydantic import SecretStr

from benchmarks.sqlcount import counting
from post_graph_rag import GraphRAG, Models, Settings
from post_graph_rag.errors import ModelNotConfigured
from post_graph_rag.models.protocols import ChatRequest
from post_graph_rag.records import Extraction, Message, Mode, QueryParam
from post_graph_rag.retrieve.pipeline import Library, Reader, retrieve
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, plain_facts
from tests.integration.retrieve.conftest import DIMENSIONS, REALM

ASKED = "who bought it?"
CONDENSED, PART, LOW, HIGH = "who bought Orion Foundry?", "what is cast?", "Orion Foundry", "sale"
SAID = {
    "keywords": {"high": [HIGH], "low": [LOW]},
    "subquestions": {"questions": [PART]},
    "condense": {"question": CONDENSED},
}
HISTORY = (Message(role="user", content="Tell me of Orion Foundry."),)
ALL = QueryParam(extract_keywords=True, decompose=True, condense=True, conversation_history=HISTORY)


def said(request: ChatRequest) -> str | Extraction:
    if request.role == "extraction":
        return plain_facts(request.inputs["text"]) if request.round == 0 else Extraction()
    return json.dumps(SAID[request.schema_name])


def helped(world: Reader, chat: ScriptedChat) -> Reader:
    return replace(world, auxiliary=lambda: chat)


@pytest.mark.parametrize(
    ("mode", "calls", "embedded", "statements"),
    [
        ("mix", 3, [CONDENSED, PART, LOW, HIGH], 5),
        ("local", 3, [CONDENSED, PART, LOW], 5),
        ("naive", 2, [CONDENSED, PART], 3),
        ("bypass", 0, [], 0),
    ],
)
async def test_each_mode_does_only_the_work_it_uses(
    world: Reader, shelves: Library, mode: Mode, calls: int, embedded: list[str], statements: int
) -> None:
    chat = ScriptedChat(said)
    with counting() as count:
        data = await retrieve(helped(world, chat), ASKED, ALL.model_copy(update={"mode": mode}))
    assert isinstance(shelves.embedding, ScriptedEmbedding)
    assert (len(chat.calls), shelves.embedding.texts, count.statements) == (calls, embedded, statements)
    assert (data.question, data.searched) == (ASKED, tuple(embedded))


@pytest.mark.parametrize(
    ("mode", "embedded"), [("mix", [ASKED, LOW, HIGH]), ("local", [ASKED, LOW]), ("naive", [ASKED])]
)
async def test_given_keywords_are_embedded_only_where_they_are_searched_with(
    world: Reader, shelves: Library, mode: Mode, embedded: list[str]
) -> None:
    await retrieve(world, ASKED, QueryParam(mode=mode, ll_keywords=(LOW,), hl_keywords=(HIGH,)))
    assert isinstance(shelves.embedding, ScriptedEmbedding)
    assert shelves.embedding.texts == embedded


async def test_a_failed_step_finds_what_the_question_alone_finds(world: Reader) -> None:
    plain = await retrieve(world, CONDENSED)
    data = await retrieve(helped(world, ScriptedChat("no")), CONDENSED, QueryParam(extract_keywords=True))
    assert [hit.id for hit in data.passages] == [hit.id for hit in plain.passages]
    assert len(data.notes) == len(plain.notes) + 1


async def test_nothing_of_a_question_is_left_for_the_next(world: Reader) -> None:
    plain = await retrieve(world, "who plays the cello?")
    reader = helped(world, ScriptedChat(said))
    await retrieve(reader, ASKED, ALL)
    assert await retrieve(reader, "who plays the cello?") == plain


async def test_an_engine_asks_its_auxiliary_model_and_books_the_calls(database: str) -> None:
    chat = ScriptedChat(said)
    models = Models({"extraction": chat, "auxiliary": chat}, ScriptedEmbedding(DIMENSIONS))
    settings = Settings(dsn=SecretStr(database), realm=REALM, graph="none")
    async with GraphRAG(settings, models=models) as rag:
        await rag.index_text("Kestrel Holdings bought Orion Foundry.")
        data = await rag.query_data(ASKED, ALL)
        booked = {usage.of: usage.calls for usage in await rag.usage(by="role")}
    assert data.searched == (CONDENSED, PART, LOW, HIGH)
    assert booked["auxiliary"] == 3


async def test_a_step_without_a_model_for_it_is_refused_before_anything_is_embedded(world_dsn: str) -> None:
    embedding = ScriptedEmbedding(DIMENSIONS)
    async with GraphRAG(Settings(dsn=SecretStr(world_dsn), realm=REALM), models=Models(None, embedding)) as rag:
        with pytest.raises(ModelNotConfigured, match="auxiliary"):
            await rag.query_data(ASKED, QueryParam(extract_keywords=True))
    assert embedding.texts == []
