"""Engines with scripted models on realms of their own, in one database that all these tests share."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

import pytest
from aiohttp.test_utils import TestServer
from pydantic import SecretStr

from post_graph_rag import ChatModel, Document, EmbeddingModel, GraphRAG, Models, Settings
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, fresh_realm_name, plain_facts
from tests.integration.hostile.endpoint import ModelServer
from tests.servers import fresh_database

OpenRag = Callable[..., GraphRAG]


@pytest.fixture(scope="session")
def hostile_dsn(server_dsn: str, template_database: str) -> Iterator[str]:
    """A database for all tests of bad input; each uses realms of its own."""
    with fresh_database(server_dsn, f"pgr_{uuid.uuid4().hex[:12]}", template_database) as dsn:
        yield dsn


def filled_realm(dsn: str, documents: Sequence[Document], chat: ChatModel | None = None, **settings: Any) -> str:
    """Make a realm with these documents, for tests that only read it; gives its name."""
    name = fresh_realm_name("filled")

    async def fill() -> None:
        models = Models(chat or ScriptedChat(extract=plain_facts), ScriptedEmbedding(32))
        async with GraphRAG(Settings(dsn=SecretStr(dsn), realm=name, **settings), models=models) as rag:
            await rag.index_documents(documents)

    asyncio.run(fill())
    return name


@pytest.fixture(scope="session")
def some_realm(hostile_dsn: str) -> str:
    """A realm that is there, for calls that are refused before they write."""
    return filled_realm(hostile_dsn, [Document(text="Acme Corp acquired Birch Labs.", key="acme.md")])


@pytest.fixture
async def model_server() -> AsyncIterator[ModelServer]:
    """A model server on loopback that fails as told."""
    server = ModelServer()
    async with TestServer(server.app()) as running:
        server.base_url = str(running.make_url("/v1"))
        yield server


@pytest.fixture
async def open_rag(hostile_dsn: str) -> AsyncIterator[OpenRag]:
    """Makes engines: scripted models unless others are given or named, a fresh realm unless one is named."""
    opened: list[GraphRAG] = []

    def make(chat: ChatModel | None = None, embedding: EmbeddingModel | None = None, **settings: Any) -> GraphRAG:
        named = "model" in settings
        settings = {"dsn": hostile_dsn, "realm": fresh_realm_name("hostile"), "pool_size": 2, **settings}
        models = Models(chat or ScriptedChat(extract=plain_facts), embedding or ScriptedEmbedding(32))
        opened.append(GraphRAG(Settings(**settings), models=None if named else models))
        return opened[-1]

    yield make
    for rag in opened:
        await rag.close()
