"""Models that are missing, down, slow or talk nonsense: each says so, and nothing that was written is lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import asyncpg
import numpy as np
import pytest
from pydantic import SecretStr

from post_graph_rag import ChatReply, ChatRequest, Document, GraphRAG, QueryParam, Settings
from post_graph_rag.errors import (
    ConfigurationError,
    EmbeddingError,
    ExtractionError,
    InputError,
    LLMError,
    ModelNotConfigured,
    RealmNotFound,
    WidthMismatch,
)
from post_graph_rag.models.protocols import EmbeddingKind
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, fresh_realm_name, plain_facts
from tests.faults import Answer, chat_reply, error
from tests.integration.hostile.conftest import OpenRag
from tests.integration.hostile.endpoint import NOTHING, ModelServer, settings_for

FACT = "Acme Corp acquired Birch Labs."
OLD = "Acme Corp sued Cedar Inc."
BY_VECTOR = QueryParam(mode="naive")


async def passages(rag: GraphRAG) -> list[str]:
    return [hit.text for hit in (await rag.query_data("Acme", BY_VECTOR)).passages]


# ---------------------------------------------------------------- none


@pytest.mark.parametrize(
    ("settings", "refusal", "said"),
    [
        ({}, ModelNotConfigured, "POST_GRAPH_RAG_MODEL"),
        ({"api_key": "sk-something"}, ConfigurationError, "POST_GRAPH_RAG_MODEL and POST_GRAPH_RAG_EMBEDDING_MODEL"),
        ({"model": "m", "api_key": "sk-something"}, ConfigurationError, "set POST_GRAPH_RAG_EMBEDDING_MODEL"),
        ({"model": "m", "embedding_model": "e"}, ConfigurationError, "set OPENAI_API_KEY, or OPENAI_BASE_URL"),
    ],
)
async def test_without_models_nothing_is_made_and_the_variable_is_named(
    hostile_dsn: str, settings: dict[str, Any], refusal: type[Exception], said: str
) -> None:
    async with GraphRAG(Settings(dsn=SecretStr(hostile_dsn), realm=fresh_realm_name(), **settings)) as rag:
        with pytest.raises(refusal, match=said):
            await rag.index_text(FACT)
        with pytest.raises(RealmNotFound):
            await rag.realm_stats()


# ---------------------------------------------------------------- language models


class Odd(ScriptedChat):
    """Answers with whatever it was given."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    async def chat(self, request: ChatRequest) -> ChatReply:
        return self.answer  # type: ignore[no-any-return]


NONSENSE = ["", "I cannot do that.", "null", "[1, 2]", "[" * 100_000, '{"entities": "' + "9" * 6_000, "a\0b", "\ud800"]


@pytest.mark.parametrize("said", NONSENSE, ids=range(len(NONSENSE)))
async def test_nonsense_leaves_the_passage_findable_and_pending(open_rag: OpenRag, said: str) -> None:
    rag = open_rag(ScriptedChat({"extraction": said}))
    with pytest.raises(ExtractionError, match="Check that the extraction model") as raised:
        await rag.index_text(FACT)
    assert [report.pending for report in raised.value.reports] == [1]
    assert await passages(rag) == [FACT]
    assert (await rag.realm_stats()).pending_passages == 1


async def test_what_nonsense_left_is_completed_by_a_better_model(open_rag: OpenRag) -> None:
    rag = open_rag(ScriptedChat({"extraction": "nonsense"}))
    with pytest.raises(ExtractionError):
        await rag.index_text(FACT)
    better = open_rag(realm=rag.settings.realm)
    assert (await better.complete_pending()).passages_completed == 1
    assert [hit.object for hit in (await better.query_data("Acme")).relations] == ["Birch Labs"]


async def test_nonsense_does_not_replace_an_older_version(open_rag: OpenRag) -> None:
    good = open_rag()
    await good.index_text(OLD, key="a")
    bad = open_rag(ScriptedChat({"extraction": "nonsense"}), realm=good.settings.realm)
    with pytest.raises(ExtractionError):
        await bad.index_text(FACT, key="a")
    assert await passages(good) == [OLD]


@pytest.mark.parametrize(
    "reply",
    [ChatReply('{"relations": []}', "m\0odel\ud800", 10**12, -5, 10**20), ChatReply("{}", "x" * 100_000)],
    ids=["odd numbers", "long name"],
)
async def test_an_odd_model_name_or_token_count_does_no_harm(open_rag: OpenRag, reply: ChatReply) -> None:
    report = await open_rag(Odd(reply)).index_text(FACT)
    assert (report.status, report.pending) == ("new", 0)


@pytest.mark.parametrize("reply", [None, "text", ChatReply(None, "m")])  # type: ignore[arg-type]
async def test_what_is_no_reply_is_a_failure_of_the_model(open_rag: OpenRag, reply: Any) -> None:
    rag = open_rag(Odd(reply))
    with pytest.raises(ExtractionError, match="no ChatReply"):
        await rag.index_text(FACT)
    with pytest.raises(LLMError, match="no ChatReply"):
        await rag.query("Acme", BY_VECTOR)


async def test_relations_with_impossible_dates_and_weights_are_mended(open_rag: OpenRag) -> None:
    said = (
        '{"relations": [{"subject": "Aa", "predicate": "x", "object": "Bb", "confidence": 1e999, '
        '"valid_from": "99999999-99", "valid_to": "0000"}, {"subject": 1, "predicate": 2, "object": 3}]}'
    )
    rag = open_rag(ScriptedChat({"extraction": said}), gleaning_passes=0)
    assert (await rag.index_text(FACT)).gates["impossible_date"] == 2
    periods = {hit.subject: hit.periods[0].dated for hit in (await rag.query_data("Aa x Bb")).relations}
    assert periods["Aa"] is False


async def test_a_name_that_cannot_be_stored_is_cleaned(open_rag: OpenRag) -> None:
    chat, embedding = ScriptedChat(extract=plain_facts, name="c\0\ud800"), ScriptedEmbedding(32, name="e\0\ud800")
    rag = open_rag(chat, embedding)
    await rag.index_text(FACT)
    assert (await rag.query("Acme")).model == "c\ufffd\ufffd"
    assert (await rag.realm_stats()).realm.embedding_model == "e\ufffd\ufffd"


# ---------------------------------------------------------------- endpoints


async def test_a_chat_model_that_is_down_leaves_the_passage(open_rag: OpenRag, model_server: ModelServer) -> None:
    model_server.chat = Answer(error("out of order"), status=404)
    rag = open_rag(**settings_for(model_server))
    with pytest.raises(ExtractionError, match="is not known there"):
        await rag.index_text(FACT)
    assert await passages(rag) == [FACT]


async def test_a_persistent_error_costs_the_set_tries_of_each_model_and_no_gleaning(
    open_rag: OpenRag, model_server: ModelServer
) -> None:
    model_server.chat = Answer(error("broken"), status=500)
    rag = open_rag(**settings_for(model_server, attempts=2, fallbacks=("spare",), gleaning_passes=3))
    with pytest.raises(ExtractionError, match="None of 2 models answered"):
        await rag.index_text(FACT)
    assert (model_server.calls("chat"), model_server.calls("spare")) == (2, 2)


async def test_the_model_that_stood_in_is_kept_with_the_reply_and_in_the_ledger(
    open_rag: OpenRag, model_server: ModelServer, hostile_dsn: str
) -> None:
    model_server.by_model["chat"] = [Answer(error("gone"), status=404)]
    model_server.by_model["spare"] = [Answer({**chat_reply(NOTHING), "model": "spare-2"})]
    rag = open_rag(**settings_for(model_server, fallbacks=("spare",), gleaning_passes=0))
    await rag.index_text(FACT)
    schema = (await rag.realm_stats()).realm.schema_name
    connection = await asyncpg.connect(hostile_dsn)
    try:
        kept = await connection.fetchval(f'SELECT model FROM "{schema}".reply')
        noted = await connection.fetchval(f"SELECT model FROM \"{schema}\".ledger WHERE role = 'extraction'")
    finally:
        await connection.close()
    assert (kept, noted) == ("spare-2", "spare-2")


async def test_a_streamed_answer_names_the_model_that_stood_in(open_rag: OpenRag, model_server: ModelServer) -> None:
    rag = open_rag(**settings_for(model_server, fallbacks=("spare",)))
    await rag.index_text(FACT)
    said = json.dumps({"model": "spare-2", "choices": [{"delta": {"content": "Acme."}, "finish_reason": "stop"}]})
    model_server.by_model = {"chat": [Answer(error("gone"), status=404)], "spare": [Answer(events=[said])]}
    async with rag.stream("Acme", BY_VECTOR) as stream:
        pieces = [piece async for piece in stream]
    assert (pieces, stream.answer.model) == (["Acme."], "spare-2")


async def test_a_chat_model_beyond_its_deadline_says_so(open_rag: OpenRag, model_server: ModelServer) -> None:
    rag = open_rag(**settings_for(model_server, deadline=0.3))
    await rag.index_text(FACT)
    model_server.chat = Answer(chat_reply("late"), delay=30)
    with pytest.raises(LLMError, match=r"within 0.3 seconds: raise POST_GRAPH_RAG_DEADLINE") as raised:
        await rag.query("Acme", BY_VECTOR)
    assert [hit.text for hit in raised.value.retrieval.passages] == [FACT]


async def test_a_server_that_is_not_there_is_named(open_rag: OpenRag) -> None:
    rag = open_rag(base_url="http://127.0.0.1:1/v1", model="chat", embedding_model="vectors", deadline=0.5)
    with pytest.raises(EmbeddingError, match=r"127\.0\.0\.1:1 .*(cannot be reached|did not answer)"):
        await rag.index_text(FACT)
    with pytest.raises(RealmNotFound):
        await rag.realm_stats()


@pytest.mark.parametrize(
    "answer",
    [
        Answer(raw=b"<html>proxy</html>"),
        Answer({"data": []}),
        Answer({"data": [{"embedding": "!!"}]}),
        Answer({"data": [{"embedding": [1, None, 3]}]}),
        Answer({"data": [{"embedding": [0, 0, 0]}]}),
        Answer(raw=b'{"data": [{"embedding": [NaN, 1, 2]}]}'),
        Answer({"data": [{"embedding": [1.0] * 7}]}),
        Answer(error("no"), status=400),
    ],
    ids=["html", "empty", "no base64", "null", "zeros", "NaN", "wide", "refused"],
)
async def test_embeddings_that_cannot_be_used_lose_nothing(
    open_rag: OpenRag, model_server: ModelServer, answer: Answer
) -> None:
    rag = open_rag(**settings_for(model_server, deadline=0.5))
    await rag.index_text(OLD, key="a")
    model_server.embedding = answer
    with pytest.raises(EmbeddingError, match="'vectors'"):
        await rag.index_text(FACT, key="a")
    with pytest.raises(EmbeddingError, match="'vectors'"):
        await rag.query("Acme")
    model_server.embedding = None
    assert await passages(rag) == [OLD]


# ---------------------------------------------------------------- embedding models of one's own


class Twisted(ScriptedEmbedding):
    """Gives what `twist` makes of good vectors, while there is one."""

    def __init__(self, twist: Callable[[Any], Any] | None, dimensions: int = 8) -> None:
        super().__init__(dimensions)
        self.twist = twist

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Any:
        vectors = await super().embed(texts, kind)
        return self.twist(vectors) if self.twist else vectors


TWISTS: dict[str, Callable[[Any], Any]] = {
    "zeros": lambda v: v * 0,
    "NaN": lambda v: np.full_like(v, np.nan),
    "infinity": lambda v: np.full_like(v, np.inf),
    "one row": lambda v: v[0],
    "too few": lambda v: v[:-1],
    "too many": lambda v: np.vstack([v, v]),
    "None": lambda _: None,
    "words": lambda _: "nonsense",
    "texts": lambda v: [["a"] * 8] * len(v),
    "ragged": lambda _: [[1.0], [1.0, 2.0]],
}


@pytest.mark.parametrize("twist", TWISTS.values(), ids=TWISTS)
async def test_vectors_of_ones_own_that_cannot_be_used_lose_nothing(
    open_rag: OpenRag, twist: Callable[[Any], Any]
) -> None:
    embedding = Twisted(None)
    rag = open_rag(embedding=embedding, graph="none")
    await rag.index_text(OLD, key="a")
    embedding.twist = twist
    with pytest.raises(EmbeddingError, match="scripted-embedding"):
        await rag.index_text(FACT, key="a")
    with pytest.raises(EmbeddingError, match="scripted-embedding"):
        await rag.query_data("Acme")
    embedding.twist = None
    assert await passages(rag) == [OLD]


async def test_lists_of_numbers_are_vectors_too(open_rag: OpenRag) -> None:
    rag = open_rag(embedding=Twisted(lambda vectors: vectors.tolist()))
    await rag.index_text(FACT)
    assert await passages(rag) == [FACT]


async def test_a_width_that_changes_is_refused(open_rag: OpenRag) -> None:
    embedding = Twisted(None)
    rag = open_rag(embedding=embedding)
    await rag.index_text(OLD)
    embedding.twist = lambda vectors: np.hstack([vectors, vectors])
    for call in (rag.index_text(FACT), rag.query_data("Acme")):
        with pytest.raises(WidthMismatch, match="use"):
            await call


async def test_another_width_than_the_realms_is_refused_at_the_door(open_rag: OpenRag) -> None:
    rag = open_rag(embedding=ScriptedEmbedding(8))
    await rag.index_text(OLD)
    other = open_rag(embedding=ScriptedEmbedding(16), realm=rag.settings.realm)
    for call in (other.initialize(), other.index_text(FACT), other.query("Acme")):
        with pytest.raises(WidthMismatch, match=r"gives 16 dimensions, realm .* holds 8 of scripted-embedding"):
            await call
    assert await passages(rag) == [OLD]


async def test_another_model_of_the_same_width_is_refused(open_rag: OpenRag) -> None:
    rag = open_rag(embedding=ScriptedEmbedding(8))
    await rag.index_text(OLD)
    other = open_rag(embedding=ScriptedEmbedding(8, name="other"), realm=rag.settings.realm)
    with pytest.raises(EmbeddingError, match="holds vectors of scripted-embedding, not of other"):
        await other.query("Acme")


@pytest.mark.parametrize("dimensions", [0, 4_001])
async def test_a_width_that_cannot_be_indexed_is_refused(open_rag: OpenRag, dimensions: int) -> None:
    with pytest.raises(InputError, match=f"{dimensions} dimensions cannot be indexed"):
        await open_rag(embedding=ScriptedEmbedding(dimensions)).index_text(FACT)


async def test_a_width_beyond_2000_works(open_rag: OpenRag) -> None:
    rag = open_rag(embedding=ScriptedEmbedding(3_000))
    await rag.index_documents([Document(text=FACT), Document(text=OLD)])
    assert (await passages(rag))[0] in (FACT, OLD)
