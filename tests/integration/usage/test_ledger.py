"""What calls took is in the ledger: for indexing and for questions, by model, role, day and document."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from post_graph_rag.config import Settings
from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import ExtractionError, ImpossibleDate, InputError, LLMError
from post_graph_rag.models.call_log import PATIENCE
from post_graph_rag.models.protocols import ChatReply, ChatRequest, EmbeddingKind, Vectors
from post_graph_rag.models.roles import Models
from post_graph_rag.models.tally import tell_tokens
from post_graph_rag.records import Usage
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding
from tests.integration.writing.support import DIMENSIONS, Place, document, facts_chat, small_embedding

TOLD = ChatReply("{}", "mini-2024-07-18", prompt_tokens=1000, output_tokens=100, cached_tokens=400)
PRICES = {"mini": (1.0, 10.0, 0.5)}


class TellingEmbedding(ScriptedEmbedding):
    """Says that each text took ten tokens."""

    async def embed(self, texts: list[str], kind: EmbeddingKind = "passage") -> Vectors:  # type: ignore[override]
        tell_tokens(10 * len(texts))
        return await super().embed(texts, kind)


async def by(rag: GraphRAG, kind: str) -> dict[str | None, Usage]:
    return {usage.of: usage for usage in await rag.usage(by=kind)}  # type: ignore[arg-type]


async def test_calls_are_counted_by_the_model_that_answered_with_tokens_and_cost(place: Place) -> None:
    rag = place.engine(ScriptedChat({"extraction": TOLD}), prices=PRICES)
    await rag.index_documents([document("a", "One.", "Two."), document("b", "Three.")])
    found = (await by(rag, "model"))["mini-2024-07-18"]
    assert (found.calls, found.prompt_tokens, found.output_tokens, found.cached_tokens) == (3, 3000, 300, 1200)
    assert found.cost == pytest.approx(3 * (600 * 1.0 + 400 * 0.5 + 100 * 10.0) / 1e6)


async def test_a_model_without_a_price_costs_nothing_known(place: Place) -> None:
    rag = place.engine(ScriptedChat({"extraction": TOLD}))
    await rag.index_document(document("a", "One."))
    found = (await by(rag, "model"))["mini-2024-07-18"]
    assert (found.cost, found.unpriced_calls) == (None, 1)


async def test_calls_are_counted_by_the_document_they_were_made_for(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", "Acme hired Cora Doe.", "Acme sued Delta."), document("b", "Acme rose.")])
    found = await by(rag, "document")
    assert {key: found[key].calls for key in ("a", "b")} == {"a": 2, "b": 1}
    assert found["a"].space == "default"


async def test_the_line_of_an_erased_document_does_not_say_for_which(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", "Acme hired Cora Doe."), document("b", "Acme rose.")])
    before = (await by(rag, "role"))["extraction"].calls
    await rag.erase_document("a")
    await rag.index_document(document("a", "Acme fell."))
    found = await by(rag, "document")
    assert (found["a"].calls, found["b"].calls) == (1, 1)
    assert (await by(rag, "role"))["extraction"].calls == before + 1


async def test_questions_are_counted_by_role(place: Place) -> None:
    rag = place.engine(facts_chat(), TellingEmbedding(DIMENSIONS))
    await rag.index_document(document("a", "Acme hired Cora Doe."))
    before = (await by(rag, "role"))["embedding"]
    answer = await rag.query("Who works at Acme?")
    async with rag.stream("Who works at Acme?") as stream:
        said = "".join([text async for text in stream])
    found = await by(rag, "role")
    assert found["embedding"].calls == before.calls + 2
    assert found["embedding"].prompt_tokens > before.prompt_tokens
    assert found["synthesis"].calls == 2
    assert found["synthesis"].prompt_tokens == answer.prompt_tokens + stream.answer.prompt_tokens
    assert said == answer.text


async def test_calls_for_questions_that_fail_are_counted_as_such(place: Place) -> None:
    await place.engine().index_document(document("a", "Acme hired Cora Doe."))
    rag = place.engine(ScriptedChat(fail=1))
    with pytest.raises(LLMError, match="fails as told"):
        await rag.query("Who works at Acme?")
    used = (await by(rag, "role"))["synthesis"]
    assert (used.calls, used.failed_calls, used.output_tokens) == (1, 1, 0)


async def test_a_question_is_known_by_a_hash_only(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Acme hired Cora Doe."))
    await rag.query("Who works at Acme?")
    await rag.usage()
    rows = await place.rows("SELECT length(question), document FROM {r}.ledger WHERE role = 'synthesis'")
    assert rows == [(16, None)]


async def test_the_tokens_of_embedding_are_those_that_the_endpoint_told(place: Place) -> None:
    rag = place.engine(facts_chat(), TellingEmbedding(DIMENSIONS))
    await rag.index_document(document("a", "Acme rose.", "Acme fell."))
    [(tokens,)] = await place.rows("SELECT sum(prompt_tokens) FROM {r}.ledger WHERE role = 'embedding'")
    assert tokens == 20


async def test_calls_for_questions_are_written_in_the_background(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Acme hired Cora Doe."))
    await rag.query("Who works at Acme?")
    query = "SELECT count(*) FROM {r}.ledger WHERE question IS NOT NULL"
    assert await place.rows(query) == [(0,)]
    await asyncio.sleep(PATIENCE + 0.3)
    assert await place.rows(query) == [(2,)]


async def test_closing_writes_what_still_waits(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Acme hired Cora Doe."))
    await rag.query_data("Who works at Acme?")
    await rag.close()
    assert await place.rows("SELECT count(*) FROM {r}.ledger WHERE question IS NOT NULL") == [(1,)]


async def test_calls_that_failed_are_counted_and_told_apart(place: Place) -> None:
    def fail(request: ChatRequest) -> str:
        raise LLMError("no model")

    rag = place.engine(ScriptedChat({"extraction": fail}))
    with suppress(ExtractionError):
        await rag.index_document(document("a", "Acme hired Cora Doe."))
    used = (await by(rag, "role"))["extraction"]
    assert (used.calls, used.failed_calls, used.prompt_tokens, used.output_tokens) == (1, 1, 0, 0)
    assert (await by(rag, "document"))["a"].failed_calls == 1


async def test_only_calls_since_a_moment_are_counted(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Acme hired Cora Doe."))
    now = datetime.now(UTC)
    assert await rag.usage(now + timedelta(days=1)) == ()
    assert {usage.of for usage in await rag.usage(now - timedelta(days=1), by="day")} == {now.date().isoformat()}


async def test_a_role_that_only_reads_counts_its_questions_itself(place: Place) -> None:
    await place.engine().index_document(document("a", "Acme hired Cora Doe."))
    [(schema,)] = await place.rows("SELECT '{r}'")
    connection = await asyncpg.connect(place.dsn)
    try:
        await connection.execute(
            f"CREATE ROLE pgr_counts NOLOGIN; GRANT USAGE ON SCHEMA {schema}, post_graph_rag TO pgr_counts;"
            f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema}, post_graph_rag TO pgr_counts; SET ROLE pgr_counts"
        )
        models = Models(facts_chat(), small_embedding())
        rag = GraphRAG(Settings(realm=place.realm), connection=connection, models=models)
        await rag.query("Who works at Acme?")
        found = (await by(rag, "role"))["synthesis"]
        assert (found.calls, found.unwritten_calls) == (1, 1)
    finally:
        await connection.execute("RESET ROLE; DROP OWNED BY pgr_counts; DROP ROLE pgr_counts")
        await connection.close()


async def test_what_cannot_be_counted_by_is_refused(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Acme hired Cora Doe."))
    with pytest.raises(InputError, match="model, role, day, document"):
        await rag.usage(by="colour")  # type: ignore[arg-type]
    with pytest.raises(ImpossibleDate):
        await rag.usage("2020-13")
