"""Opens what a command works on: the database alone, or the engine with its models."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from post_graph_rag.config import Settings
from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import ConfigurationError
from post_graph_rag.opening import Opening
from post_graph_rag.serve.options import notes
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm, open_realm


@asynccontextmanager
async def open_database(settings: Settings) -> AsyncIterator[Database]:
    """The database that the settings name, or the embedded one, for as long as the block lasts."""
    opening = Opening(with_server(settings), None, None)
    try:
        yield await opening.database()
    finally:
        await opening.close()


@asynccontextmanager
async def open_existing(settings: Settings, name: str | None = None) -> AsyncIterator[tuple[Database, Realm]]:
    """The database and a realm of it, `name` or the settings' own."""
    async with open_database(settings) as database:
        yield database, await open_realm(database, name or settings.realm)


@asynccontextmanager
async def open_engine(settings: Settings, create: bool = False, **own: Any) -> AsyncIterator[GraphRAG]:
    """The engine on the settings' realm, with the models they name, or with the offline ones.

    own: what else GraphRAG is given.
    """
    async with unopened_engine(settings.model_copy(update={"create": create or settings.create}), **own) as rag:
        await rag.initialize()
        yield rag


@asynccontextmanager
async def looking_engine(settings: Settings) -> AsyncIterator[GraphRAG]:
    """The engine for commands that ask no model, so that none need be named."""
    rag = GraphRAG(with_server(settings))
    try:
        yield rag
    finally:
        await rag.close()


@asynccontextmanager
async def unopened_engine(settings: Settings, **own: Any) -> AsyncIterator[GraphRAG]:
    """The same before it has reached anything, for a look at what it would meet."""
    rag = GraphRAG(with_models(with_server(settings)), **own)
    try:
        yield rag
    finally:
        await rag.close()


def with_server(settings: Settings) -> Settings:
    """The settings, with the embedded server where none is named; it is said on stderr."""
    if settings.dsn is not None or settings.embedded:
        return settings
    notes.print("No DSN is given (--dsn, POST_GRAPH_RAG_DSN): using the embedded server.")
    return settings.model_copy(update={"embedded": True})


def with_models(settings: Settings) -> Settings:
    """The settings, with the offline models where nothing is said of models; it is said on stderr."""
    if settings.offline or settings.says_of_models:
        return settings
    notes.print("No model is named (POST_GRAPH_RAG_MODEL): using the offline models.")
    return settings.model_copy(update={"offline": True})


def named(settings: Settings, name: str | None) -> Settings:
    """The settings for the realm `name`, where a command was given one. Raises ConfigurationError for an empty name."""
    if name is None:
        return settings
    if not name:
        raise ConfigurationError("the realm's name is empty")
    return settings.model_copy(update={"realm": name})
