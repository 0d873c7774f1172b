"""Realms filled for retrieval: a small world that all tests read, and empty ones a test fills itself."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest

from post_graph_rag.models.protocols import EmbeddingModel
from post_graph_rag.models.tokens import tokenizer_for
from post_graph_rag.retrieve.pipeline import Library, Reader
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm, ensure_realm, find_realm
from post_graph_rag.testing import ScriptedEmbedding
from tests.integration.retrieve.filling import Fact, Filler
from tests.servers import fresh_database

REALM = "library"
DIMENSIONS = 256

OpenReader = Callable[[Realm], Reader]


def fill_world(world: Filler) -> None:
    """Few facts, chained, so that questions can be asked whose answer shares no word with them."""
    world.document(
        "kestrel.md",
        "Kestrel Holdings bought Orion Foundry after a long summer of talks.",
        [Fact("Kestrel Holdings", "acquired", "Orion Foundry", valid="[2019-01-01+00,2022-01-01+00)")],
        title="The sale",
        metadata={"desk": "business"},
        observed="2023-05",
    )
    world.document(
        "orion.md",
        "Orion Foundry casts propellers at its works in Trieste.",
        [Fact("Orion Foundry", "based_in", "Trieste")],
    )
    world.document("trieste.md", "Ada Vidal is the mayor of Trieste.", [Fact("Ada Vidal", "mayor_of", "Trieste")])
    world.document("mayor.md", "Ada Vidal plays the cello.", [Fact("Ada Vidal", "plays", "the cello")])
    world.document("again.md", "It is said again: Kestrel Holdings owns the foundry called Orion.")
    world._fact(5, 1, Fact("Kestrel Holdings", "acquired", "Orion Foundry", confidence=0.5))
    world.document("invoice.md", "Invoice INV-2024/07 was sent under 3f2b8c1e-9d4a-4c6b-8e21-5a7f0c9d1b2e.")
    world.document("tokyo.md", "東京タワーは港区にある高い塔です。", mentions=["東京タワー"])
    world.document("odd.md", 'The parser reads `a & b | !c : d* ( "e"` without harm.')
    world.document("far.md", "Orion Foundry of the other shelf casts bells.", [Fact("Orion Foundry", "casts", "bells")],
                   space="other")  # fmt: skip
    alias = world.entity("OF Ltd", 1, canonical=world.entity("Orion Foundry", 1))
    world._mention(world.document("alias.md", "The workshop of OF Ltd burnt down."), alias)


@pytest.fixture(scope="session")
def world_dsn(server_dsn: str, template_database: str) -> Iterator[str]:
    """A database whose realm `library` holds the small world; tests only read it."""
    with filled(server_dsn, template_database, fill_world) as dsn:
        yield dsn


@contextmanager
def filled(server_dsn: str, template_database: str, fill: Callable[[Filler], None]) -> Iterator[str]:
    """A database whose realm `library` holds what `fill` puts into it."""
    with fresh_database(server_dsn, f"pgr_{uuid.uuid4().hex[:12]}", template_database) as dsn:
        asyncio.run(_make(dsn, fill))
        yield dsn


@asynccontextmanager
async def reading(dsn: str) -> AsyncIterator[Reader]:
    """A reader of that realm."""
    database = Database(dsn, pool_size=2)
    yield reader_of(database, await find_realm(database, REALM))
    await database.close()


async def _make(dsn: str, fill: Callable[[Filler], None]) -> None:
    database = Database(dsn)
    realm = await ensure_realm(database, REALM, "scripted-embedding", DIMENSIONS, "none")
    filler = Filler(realm, ScriptedEmbedding(DIMENSIONS))
    fill(filler)
    await filler.flush(dsn)
    await database.close()


@pytest.fixture
async def shelves(world_dsn: str) -> AsyncIterator[Library]:
    """The small world as it is searched."""
    database = Database(world_dsn, pool_size=2)
    yield Library(database, await find_realm(database, REALM), ScriptedEmbedding(DIMENSIONS))
    await database.close()


@pytest.fixture
def world(shelves: Library) -> Reader:
    """A reader of the small world."""
    return reader_of(shelves.database, shelves.realm, shelves.embedding)


@pytest.fixture
async def store(database: str) -> AsyncIterator[Database]:
    """The test's own database, with a pool of its own."""
    opened = Database(database, pool_size=2)
    yield opened
    await opened.close()


@pytest.fixture
async def realm(store: Database) -> Realm:
    """An empty realm of the test's own."""
    return await ensure_realm(store, REALM, "scripted-embedding", DIMENSIONS, "none")


@pytest.fixture
def filler(realm: Realm) -> Filler:
    """Fills the test's own realm."""
    return Filler(realm, ScriptedEmbedding(DIMENSIONS))


def reader_of(
    database: Database, realm: Realm, embedding: EmbeddingModel | None = None, space: str = "default"
) -> Reader:
    """A reader of an open realm."""
    library = Library(database, realm, embedding or ScriptedEmbedding(realm.info.dimensions))

    async def opened() -> Library:
        return library

    return Reader(opened, tokenizer_for("gpt-4o"), space)


@pytest.fixture(scope="session")
def belief_dsn(server_dsn: str, template_database: str) -> Iterator[str]:
    """One database for tests that write through an engine, a realm for each."""
    with fresh_database(server_dsn, f"pgr_{uuid.uuid4().hex[:12]}", template_database) as dsn:
        yield dsn
