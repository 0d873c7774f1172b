"""A realm that another process drops, or makes anew, while an engine has it open."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from post_graph_rag import GraphRAG, Models
from post_graph_rag.errors import EmbeddingError, RealmNotFound, WidthMismatch
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding
from tests.integration.foreign.engines import ACME, ELM, QUESTION, WIDTH, engine, fill, scripted


@pytest.fixture
async def rag(database: str) -> AsyncIterator[GraphRAG]:
    """An engine that has used its realm on several connections."""
    async with engine(database, pool_size=2) as opened:
        await opened.index_text(ACME, key="Acme")
        await opened.query(QUESTION)
        await opened.cypher("MATCH (n) RETURN n")
        yield opened


async def drop(database: str) -> None:
    async with engine(database) as other:
        await other.drop_realm()


async def test_reading_goes_on_in_the_new_one(rag: GraphRAG, database: str) -> None:
    await drop(database)
    await fill(database, ELM)
    found = await rag.query_data("Who hired Dora Lind?")
    assert {passage.sources[0].document for passage in found.passages} == {"Elm"}
    assert await rag.cypher("MATCH (d:Document) RETURN d.key", columns=["key"]) == [{"key": "Elm"}]
    assert (await rag.realm_stats()).documents == 1


async def test_writing_goes_on_in_the_new_one(rag: GraphRAG, database: str) -> None:
    await drop(database)
    await fill(database, ELM)
    assert (await rag.index_text(ACME, key="Acme")).status == "new"
    assert (await rag.complete_pending()).errors == ()
    assert [finding for finding in await rag.doctor() if not finding.ok] == []


async def test_a_stream_goes_on_in_the_new_one(rag: GraphRAG, database: str) -> None:
    await drop(database)
    await fill(database, ACME)
    async with rag.stream(QUESTION) as stream:
        assert "".join([text async for text in stream]) == "Acme Corp did [1]."


async def test_reading_one_that_is_gone_says_so(rag: GraphRAG, database: str) -> None:
    await drop(database)
    with pytest.raises(RealmNotFound):
        await rag.query(QUESTION)


async def test_writing_into_one_that_is_gone_makes_it_anew(rag: GraphRAG, database: str) -> None:
    await drop(database)
    assert (await rag.index_text(ACME, key="Acme")).status == "new"
    assert (await rag.query(QUESTION)).references


async def test_another_width_is_noticed_before_anything_is_written(rag: GraphRAG, database: str) -> None:
    await drop(database)
    async with engine(database, models=scripted(WIDTH * 2), create=True) as other:
        with pytest.raises(WidthMismatch):
            await rag.query(QUESTION)
        with pytest.raises(WidthMismatch):
            await rag.index_text(ELM)
        assert (await other.realm_stats()).documents == 0


async def test_another_model_of_the_same_width_is_noticed_too(rag: GraphRAG, database: str) -> None:
    await drop(database)
    async with engine(database, models=scripted(name="another"), create=True) as other:
        with pytest.raises(EmbeddingError, match="another"):
            await rag.index_text(ELM)
        with pytest.raises(EmbeddingError, match="another"):
            await rag.query(QUESTION)
        assert (await other.realm_stats()).documents == 0


async def test_one_made_anew_without_a_graph_is_written_without(rag: GraphRAG, database: str) -> None:
    await drop(database)
    await fill(database, ELM, graph="none")
    assert (await rag.index_text(ACME, key="Acme")).status == "new"
    assert [finding for finding in await rag.doctor() if not finding.ok] == []


@pytest.mark.parametrize(("width", "name"), [(32, "scripted-embedding"), (WIDTH, "another")])
async def test_a_realm_of_another_width_or_model_is_refused_at_once(database: str, width: int, name: str) -> None:
    await fill(database, ACME)
    chat, embedding = ScriptedChat(), ScriptedEmbedding(width, name=name)
    rag = engine(database, models=Models(chat, embedding))
    with pytest.raises(EmbeddingError, match="use that model, or another realm"):
        await rag.initialize()
    with pytest.raises(EmbeddingError):
        await rag.index_text(ELM)
    with pytest.raises(EmbeddingError):
        await rag.query(QUESTION)
    assert (len(chat.calls), embedding.requests) == (0, 0)
    await rag.close()
