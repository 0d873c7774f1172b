"""What indexing would take is known before anything is paid, and nothing is written for it."""

from __future__ import annotations

import asyncpg
import pytest
from pydantic import SecretStr

from post_graph_rag.config import Settings
from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import InputError, RealmNotFound
from post_graph_rag.models.protocols import ChatReply
from post_graph_rag.models.roles import Models
from post_graph_rag.records import Document
from post_graph_rag.testing import ScriptedChat
from tests.integration.writing.support import Place, document, facts_chat, small_embedding

DOCUMENTS = [document("a", "Acme hired Cora Doe.", "Acme sued Delta Inc."), document("b", "Acme bought Echo Ltd.")]


async def test_of_a_realm_that_is_not_there_everything_is_new(place: Place) -> None:
    rag = place.engine(gleaning_passes=1)
    found = await rag.estimate(DOCUMENTS)
    assert (found.documents, found.passages, found.unchanged_passages, found.calls) == (2, 3, 0, 6)
    with pytest.raises(RealmNotFound):
        await rag.realm_stats()


async def test_no_model_is_asked(place: Place) -> None:
    chat, embedding = facts_chat(), small_embedding()
    await place.engine(chat, embedding).estimate(DOCUMENTS)
    assert (chat.calls, embedding.texts) == ([], [])


async def test_what_is_unchanged_is_not_counted(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(DOCUMENTS)
    changed = document("b", "Acme bought Echo Ltd.", "Acme sold Echo Ltd.")
    found = await rag.estimate([DOCUMENTS[0], changed])
    assert (found.unchanged_documents, found.passages, found.unchanged_passages, found.calls) == (1, 4, 3, 1)


async def test_stored_replies_are_not_paid_again(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(DOCUMENTS)
    found = await rag.estimate(DOCUMENTS, reindex=True)
    assert (found.calls, found.replayed, found.embedding_tokens) == (0, 3, 0)


async def test_nothing_is_written(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(DOCUMENTS)
    before = await place.content()
    await rag.estimate([document("c", "Golf Inc hired Hal Ito.")])
    assert await place.content() == before


async def test_the_tokens_of_prompts_are_those_that_are_sent(place: Place) -> None:
    rag = place.engine(model="gpt-4o")
    found = await rag.estimate(DOCUMENTS)
    chat = facts_chat()
    await place.engine(chat).index_documents(DOCUMENTS)
    characters = sum(len(message.content) for request in chat.calls for message in request.messages)
    assert characters / 6 < found.prompt_tokens < characters / 2


async def test_output_is_that_of_the_realms_own_replies(place: Place) -> None:
    told = ChatReply("{}", "mini", prompt_tokens=10, output_tokens=70)
    rag = place.engine(ScriptedChat({"extraction": told}))
    await rag.index_documents(DOCUMENTS)
    found = await rag.estimate([document("c", "Golf Inc hired Hal Ito.")])
    assert found.output_tokens == 70
    assert "70 tokens" in found.basis


async def test_the_cost_follows_from_the_prices(place: Place) -> None:
    prices = {"scripted": (2.0, 8.0), "scripted-embedding": (0.1,)}
    found = await place.engine(prices=prices).estimate(DOCUMENTS)
    spent = found.prompt_tokens * 2.0 + found.output_tokens * 8.0 + found.embedding_tokens * 0.1
    assert found.cost == pytest.approx(spent / 1e6)


async def test_without_prices_the_cost_is_not_known(place: Place) -> None:
    assert (await place.engine().estimate(DOCUMENTS)).cost is None


async def test_what_cannot_be_indexed_is_counted_apart(place: Place) -> None:
    found = await place.engine().estimate([*DOCUMENTS, Document(key="c", text=" ")])
    assert (found.documents, found.refused, found.calls) == (3, 1, 3)


async def test_a_function_in_place_of_a_model_costs_no_calls_and_no_prompts(place: Place) -> None:
    settings = Settings(dsn=SecretStr(place.dsn), realm=place.realm, graph=place.graph)
    models = Models(embedding=small_embedding())
    async with GraphRAG(
        settings, models=models, extraction_fn=lambda text, context: [("Acme", "hired", "Cora")]
    ) as rag:
        found = await rag.estimate(DOCUMENTS)
    assert (found.calls, found.replayed, found.prompt_tokens, found.output_tokens) == (0, 0, 0, 0)
    assert found.embedding_tokens > 0


async def test_a_function_beside_a_model_adds_no_calls(place: Place) -> None:
    settings = Settings(dsn=SecretStr(place.dsn), realm=place.realm, graph=place.graph, gleaning_passes=0)
    models = Models(facts_chat(), small_embedding())
    async with GraphRAG(
        settings, models=models, extraction_fn=lambda text, context: [], extraction_mode="merge"
    ) as rag:
        assert (await rag.estimate(DOCUMENTS)).calls == 3


async def test_a_text_is_no_list_of_documents(place: Place) -> None:
    with pytest.raises(InputError, match="list of Document"):
        await place.engine().estimate("text")  # type: ignore[arg-type]


async def test_a_role_that_only_reads_may_estimate(place: Place) -> None:
    await place.engine().index_documents(DOCUMENTS)
    connection = await asyncpg.connect(place.dsn, server_settings={"default_transaction_read_only": "on"})
    models = Models(facts_chat(), small_embedding())
    rag = GraphRAG(Settings(realm=place.realm, gleaning_passes=0), connection=connection, models=models)
    found = await rag.estimate(DOCUMENTS)
    assert found.unchanged_documents == 2
    await connection.close()
