"""Many questions at once: in order, bounded, their vectors in few requests, each with an outcome of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import asyncpg
import pytest
from pydantic import SecretStr

from benchmarks.sqlcount import counting
from post_graph_rag import GraphRAG, Models, QueryParam, Settings
from post_graph_rag.errors import EmbeddingError, InputError, LLMError, RealmNotFound
from post_graph_rag.models import call_log
from post_graph_rag.models.protocols import ChatRequest, EmbeddingKind, Vectors
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding
from tests.integration.retrieve.conftest import DIMENSIONS, REALM

ASKED = ["who bought Orion Foundry?", "who plays the cello?", "where are propellers cast?", "who is mayor?"]
PARTS = QueryParam(subqueries=("who buys?",), ll_keywords=("Orion",))


class Moody(ScriptedEmbedding):
    """Refuses texts with a word in them."""

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        if any("cello" in text for text in texts):
            self.requests += 1
            raise EmbeddingError("no cellos")
        return await super().embed(texts, kind)


def engine(dsn: str, embedding: ScriptedEmbedding, chat: ScriptedChat | None = None) -> GraphRAG:
    settings = Settings(dsn=SecretStr(dsn), realm=REALM, pool_size=3)
    return GraphRAG(settings, models=Models(chat or ScriptedChat(), embedding))


@pytest.fixture(autouse=True)
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger is written when an engine closes, not between statements that are counted."""
    monkeypatch.setattr(call_log, "PATIENCE", 600.0)


@pytest.fixture
def embedding() -> ScriptedEmbedding:
    return ScriptedEmbedding(DIMENSIONS)


@pytest.fixture
async def rag(world_dsn: str, embedding: ScriptedEmbedding) -> AsyncIterator[GraphRAG]:
    async with engine(world_dsn, embedding) as opened:
        yield opened


@pytest.mark.parametrize("param", [QueryParam(), PARTS, QueryParam(mode="naive"), QueryParam(mode="bypass")])
async def test_each_finds_what_it_finds_alone_in_the_order_asked(rag: GraphRAG, param: QueryParam) -> None:
    alone = [await rag.query_data(question, param) for question in ASKED]
    found = await rag.query_data_many(ASKED, param)
    assert [outcome.question for outcome in found] == ASKED
    assert [outcome.result for outcome in found] == alone


async def test_the_vectors_of_all_are_asked_for_once(rag: GraphRAG, embedding: ScriptedEmbedding) -> None:
    await rag.query_data_many([*ASKED, ASKED[0]], PARTS)
    assert embedding.requests == 1
    assert sorted(embedding.texts) == sorted([*ASKED, "who buys?", "Orion"])


async def test_statements_are_those_of_each_question(rag: GraphRAG) -> None:
    await rag.query_data(ASKED[0])
    with counting() as count:
        await rag.query_data_many(ASKED, concurrency=2)
    assert count.statements == 5 * len(ASKED)


async def test_a_question_that_fails_leaves_the_others(rag: GraphRAG) -> None:
    found = await rag.query_data_many([ASKED[0], " ", ASKED[1]])
    assert [type(outcome.error) for outcome in found] == [type(None), InputError, type(None)]
    assert [outcome.result is None for outcome in found] == [False, True, False]


async def test_a_text_that_cannot_be_embedded_fails_its_own_question_only(world_dsn: str) -> None:
    async with engine(world_dsn, Moody(DIMENSIONS)) as rag:
        found = await rag.query_data_many(ASKED)
    assert [type(outcome.error).__name__ for outcome in found] == ["NoneType", "EmbeddingError", "NoneType", "NoneType"]


async def test_an_embedding_model_that_cannot_be_had_is_asked_once_for_all(world_dsn: str) -> None:
    down = EmbeddingError("down")
    down.outage = True
    embedding = ScriptedEmbedding(DIMENSIONS, fail=100, error=down)
    async with engine(world_dsn, embedding) as rag:
        found = await rag.query_data_many(ASKED)
    assert [outcome.error for outcome in found] == [down] * len(ASKED)
    assert embedding.requests == 1


async def test_answers_come_with_the_same_rules(world_dsn: str, embedding: ScriptedEmbedding) -> None:
    def said(request: ChatRequest) -> str | LLMError:
        return (
            LLMError("no")
            if "cello" in request.inputs["question"]
            else f"It was said [1]. {request.inputs['question']}"
        )

    async with engine(world_dsn, embedding, ScriptedChat(said)) as rag:
        answers = await rag.query_many(ASKED)
    assert [outcome.result.text[17:] for outcome in answers if outcome.result] == [ASKED[0], *ASKED[2:]]
    assert isinstance(answers[1].error, LLMError)
    assert answers[1].error.retrieval.passages


@pytest.mark.parametrize(("concurrency", "most"), [(1, 1), (2, 2), (8, 4)])
async def test_so_many_are_under_way_as_are_allowed(
    world_dsn: str, embedding: ScriptedEmbedding, concurrency: int, most: int
) -> None:
    chat = ScriptedChat("…", delay=0.05)
    async with engine(world_dsn, embedding, chat) as rag:
        await rag.query_many(ASKED, QueryParam(mode="bypass"), concurrency=concurrency)
    assert chat.most_under_way == most


async def test_on_one_connection_of_the_callers_they_wait_for_their_turn(
    world_dsn: str, embedding: ScriptedEmbedding, rag: GraphRAG
) -> None:
    connection = await asyncpg.connect(world_dsn)
    models = Models(ScriptedChat(), embedding)
    async with GraphRAG(Settings(realm=REALM), connection=connection, models=models) as lent:
        found = await lent.query_data_many(ASKED)
    await connection.close()
    assert found == await rag.query_data_many(ASKED)


async def test_a_realm_that_is_not_there_is_each_questions_error(database: str) -> None:
    async with engine(database, ScriptedEmbedding(DIMENSIONS)) as rag:
        found = await rag.query_data_many(ASKED)
    assert {type(outcome.error) for outcome in found} == {RealmNotFound}


async def test_an_outcome_can_be_written_down(rag: GraphRAG) -> None:
    failed, found = (outcome.model_dump(mode="json") for outcome in await rag.query_data_many([" ", "\ud800?"]))
    assert failed["error"] == "InputError: the question is empty: ask something"
    assert (found["question"], found["result"]["question"], found["error"]) == ("\ufffd?", "\ufffd?", None)


@pytest.mark.parametrize(("questions", "concurrency"), [("who?", 8), ([None], 8), (["who?"], 0)])
async def test_what_is_no_list_of_questions_is_refused(
    rag: GraphRAG, questions: Sequence[str], concurrency: int
) -> None:
    with pytest.raises(InputError):
        await rag.query_data_many(questions, concurrency=concurrency)


async def test_no_question_has_no_outcome(rag: GraphRAG) -> None:
    assert await rag.query_data_many([]) == []
