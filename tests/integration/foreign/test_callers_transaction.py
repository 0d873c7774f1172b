"""Inside a transaction that the caller began: it decides what is kept, how long the lock is held, what is isolated."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import psycopg
import pytest

from post_graph_rag import Document, Models
from post_graph_rag.errors import Busy, Conflict, DatabaseError, EmbeddingError, RealmNotFound
from post_graph_rag.models.protocols import ChatReply, ChatRequest
from post_graph_rag.store.identifiers import schema_name
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, plain_facts
from tests.integration.foreign.engines import ACME, ELM, QUESTION, REALM, WIDTH, documents, engine, fill

RECORD = schema_name(REALM)
COUNTED = ("document", "passage", "entity", "relation", "posting", "passage_vector_1", "entity_vector_1", "reply")


@pytest.fixture
async def connection(database: str) -> AsyncIterator[asyncpg.Connection]:
    await fill(database, ACME)
    opened = await asyncpg.connect(database)
    yield opened
    await opened.close()


def counts(database: str) -> dict[str, int]:
    with psycopg.connect(database) as other:
        return {
            table: other.execute(f'SELECT count(*) FROM "{RECORD}".{table}').fetchone()[0]  # type: ignore[index]
            for table in COUNTED
        }


async def test_what_was_indexed_goes_with_a_rollback(connection: asyncpg.Connection, database: str) -> None:
    before = counts(database)
    transaction = connection.transaction()
    await transaction.start()
    async with engine(connection=connection) as rag:
        await rag.index_text(ELM, key="Elm")
        assert {p.sources[0].document for p in (await rag.query_data("Who hired Dora Lind?")).passages} == {
            "Acme",
            "Elm",
        }
    assert counts(database) == before
    await transaction.rollback()
    assert counts(database) == before
    async with engine(database) as rag:
        assert (await rag.query_data("Who hired Dora Lind?")).passages[0].sources[0].document == "Acme"
        assert await rag.cypher("MATCH (d:Document) RETURN d.key", columns=["key"]) == [{"key": "Acme"}]


async def test_what_was_indexed_stays_with_a_commit(connection: asyncpg.Connection, database: str) -> None:
    async with connection.transaction(), engine(connection=connection) as rag:
        report = await rag.index_text(ELM, key="Elm")
    assert (report.status, report.pending, report.pending_vectors) == ("new", 0, 0)
    assert await documents(database) == 2
    async with engine(database) as rag:
        found = await rag.query_data("Who hired Dora Lind?")
        assert {relation.subject for relation in found.relations} >= {"Elm Works"}
        assert [finding for finding in await rag.doctor() if not finding.ok] == []


async def test_a_transaction_begun_by_a_statement_serves_as_well(connection: asyncpg.Connection, database: str) -> None:
    await connection.execute("BEGIN")
    async with engine(connection=connection) as rag:
        await rag.index_text(ELM, key="Elm")
        assert len(await rag.cypher("MATCH (d:Document) RETURN d")) == 2
        await rag.doctor()
    await connection.execute("ROLLBACK")
    assert await documents(database) == 1


class Watched:
    """Models that note whether the realm's write lock was held when they were asked."""

    def __init__(self, database: str) -> None:
        self.database = database
        self.held: list[bool] = []
        self.chat = ScriptedChat({"extraction": self.extraction})
        self.embedding = ScriptedEmbedding(WIDTH)
        self.embedding.embed = self.embed  # type: ignore[method-assign,assignment]

    @property
    def models(self) -> Models:
        return Models(self.chat, self.embedding)

    async def look(self) -> None:
        other = await asyncpg.connect(self.database)
        try:
            await other.fetch(f'SELECT FROM "{RECORD}".clock FOR SHARE NOWAIT')
            self.held.append(False)
        except asyncpg.LockNotAvailableError:
            self.held.append(True)
        finally:
            await other.close()

    async def extraction(self, request: ChatRequest) -> ChatReply:
        await self.look()
        text = plain_facts(request.inputs["text"]).model_dump_json()
        return ChatReply(text=text, model="scripted")

    async def embed(self, texts: list[str], kind: str = "passage") -> object:
        await self.look()
        return await ScriptedEmbedding(WIDTH).embed(texts)


async def test_models_are_asked_before_the_lock_is_taken(connection: asyncpg.Connection, database: str) -> None:
    watched = Watched(database)
    texts = [Document(text=ELM, key="Elm"), Document(text=ACME + " Acme Corp sued Elm Works.", key="Acme")]
    async with connection.transaction(), engine(connection=connection, models=watched.models) as rag:
        reports = await rag.index_documents(texts)
        await watched.look()
    assert [report.pending_vectors for report in reports] == [0, 0]
    assert (watched.held[:-1], watched.held[-1]) == ([False] * (len(watched.held) - 1), True)


async def test_of_one_key_twice_only_the_later_is_read(connection: asyncpg.Connection, database: str) -> None:
    watched = Watched(database)
    texts = [Document(text=text, key="Elm") for text in (ACME + " Acme Corp sued Elm Works.", ELM)]
    async with connection.transaction(), engine(connection=connection, models=watched.models) as rag:
        reports = await rag.index_documents(texts)
    assert [(report.key, report.status, report.model_calls) for report in reports] == [
        ("Elm", "new", 0),
        ("Elm", "new", 1),
    ]
    assert not any(watched.held)
    async with engine(database) as rag:
        assert (await rag.realm_stats()).documents == 2
        assert [finding for finding in await rag.doctor() if not finding.ok] == []


async def test_of_one_key_twice_both_fail_when_the_later_does(connection: asyncpg.Connection) -> None:
    models = Models(ScriptedChat(extract=plain_facts), ScriptedEmbedding(WIDTH))
    models.embedding.embed = _refuse  # type: ignore[union-attr,method-assign]
    async with connection.transaction(), engine(connection=connection, models=models) as rag:
        with pytest.raises(EmbeddingError):
            await rag.index_documents([Document(text=text, key="Elm") for text in ("Elm Works hired Jo Low.", ELM)])


async def _refuse(texts: list[str], kind: str = "passage") -> object:
    raise EmbeddingError("not now")


async def test_the_lock_lasts_to_the_callers_commit(connection: asyncpg.Connection, database: str) -> None:
    waiting = await asyncpg.connect(database, server_settings={"lock_timeout": "200ms"})
    async with engine(connection=connection) as first, engine(connection=waiting) as second:
        async with connection.transaction():
            await first.index_text(ELM, key="Elm")
            with pytest.raises(Busy):
                await second.index_text("Fern Bank hired Gus Hart.", key="Fern")
        assert (await second.index_text("Fern Bank hired Gus Hart.", key="Fern")).status == "new"
    await waiting.close()


@pytest.mark.parametrize("isolation", ["repeatable_read", "serializable"])
async def test_a_stricter_isolation_of_the_callers_is_kept(
    connection: asyncpg.Connection, database: str, isolation: str
) -> None:
    async with connection.transaction(isolation=isolation), engine(connection=connection) as rag:
        await rag.index_text(ELM, key="Elm")
        await rag.query(QUESTION)
        shown = await connection.fetchval("SHOW transaction_isolation")
    assert shown == isolation.replace("_", " ")
    assert await documents(database) == 2


async def test_in_a_snapshot_that_is_too_old_to_write_a_conflict_says_so(
    connection: asyncpg.Connection, database: str
) -> None:
    async with connection.transaction(isolation="repeatable_read"), engine(connection=connection) as rag:
        assert await connection.fetchval("SELECT 1") == 1
        await fill(database, ELM)
        with pytest.raises(Conflict, match="roll it back"):
            await rag.index_text("Fern Bank hired Gus Hart.", key="Fern")
        assert await connection.fetchval("SELECT 1") == 1
    assert await documents(database) == 2


async def test_an_error_leaves_the_callers_transaction_usable(connection: asyncpg.Connection, database: str) -> None:
    async with connection.transaction(), engine(connection=connection) as rag:
        await connection.execute("CREATE TABLE mine (id integer); INSERT INTO mine VALUES (1)")
        with pytest.raises(DatabaseError):
            await rag.cypher("MATCH (n RETURN n")
        await connection.execute(f'SET LOCAL statement_timeout = 1; SELECT FROM "{RECORD}".clock FOR UPDATE')
        with pytest.raises(DatabaseError, match="statement_timeout"):
            await rag.index_text(ELM * 400, key="Elm")
        await connection.execute("SET LOCAL statement_timeout = 0; INSERT INTO mine VALUES (2)")
        assert (await rag.index_text(ELM, key="Elm")).status == "new"
    assert await connection.fetchval("SELECT count(*) FROM mine") == 2
    assert await documents(database) == 2


async def test_a_cancelled_call_leaves_the_callers_transaction_usable(
    connection: asyncpg.Connection, database: str
) -> None:
    async with connection.transaction(), engine(connection=connection) as rag:
        await connection.execute("CREATE TABLE mine (id integer)")
        call = asyncio.create_task(rag.index_documents([Document(text=f"{ELM} {n}", key=f"{n}") for n in range(20)]))
        await asyncio.sleep(0.08)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        assert (await rag.index_text(ELM, key="Elm")).status == "new"
    assert await connection.fetchval("SELECT count(*) FROM mine") == 0


@pytest.mark.parametrize("create", [False, True])
async def test_no_realm_is_made_in_it(database: str, create: bool) -> None:
    connection = await asyncpg.connect(database)
    async with connection.transaction():
        with pytest.raises(RealmNotFound, match="realm create"):
            async with engine(connection=connection, create=create) as rag:
                await rag.index_text(ACME)
    assert await connection.fetchval("SELECT to_regnamespace('post_graph_rag')") is None
    await connection.close()


async def test_pending_passages_can_be_completed_in_it(connection: asyncpg.Connection, database: str) -> None:
    broken = Models(ScriptedChat({"extraction": ["nonsense"]}), ScriptedEmbedding(WIDTH))
    async with engine(database, models=broken) as rag:
        await rag.index_documents([Document(text=ELM, key="Elm"), Document(text=ACME, key="Acme")])
    watched = Watched(database)
    async with connection.transaction(), engine(connection=connection, models=watched.models) as rag:
        report = await rag.complete_pending()
    assert (report.passages_completed, report.passages_left, report.vectors_left) == (1, 0, 0)
    assert not any(watched.held)
