"""PgBouncer in transaction mode: no two transactions need the same session, and none is left changed."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from post_graph_rag import Document
from post_graph_rag.errors import RAGError
from tests.integration.foreign.engines import QUESTION, documents, engine
from tests.servers import pgbouncer

TEXTS = [f"Acme{n} Corp acquired Birch Labs from 2001. Birch Labs employs Clara{n} Voss." for n in range(8)]


@pytest.mark.parametrize(("kept", "cache"), [(0, 0), (100, 200)], ids=["without", "with prepared statements"])
async def test_eight_tasks_index_and_ask_through_it(database: str, kept: int, cache: int) -> None:
    with pgbouncer(database, prepared_statements=kept) as dsn:
        async with engine(dsn, statement_cache_size=cache, create=True, gleaning_passes=1) as rag:

            async def work(n: int) -> None:
                await rag.index_documents([Document(text=TEXTS[n], key=f"{n}")])
                await rag.index_documents([Document(text=TEXTS[n] + " It is so.", key=f"{n}")])
                assert (await rag.query(QUESTION)).references
                assert await rag.cypher(
                    "MATCH (e:Entity {name: $name}) RETURN e.name", {"name": "Birch Labs"}, ["name"]
                )

            await asyncio.gather(*(work(n) for n in range(8)))
            assert [finding for finding in await rag.doctor() if not finding.ok] == []
    assert await documents(database) == 8


async def test_sessions_go_back_to_it_as_they_were(database: str) -> None:
    with pgbouncer(database) as dsn:
        plain = await asyncpg.connect(dsn, statement_cache_size=0)
        # an extension's settings are there once its library is loaded
        left_out = "^(age|hnsw|ivfflat|plpgsql)[.]|^application_name$"
        wanted = f"SELECT name, setting FROM pg_settings WHERE name !~ '{left_out}' ORDER BY 1"
        before = await plain.fetch(wanted)
        async with engine(dsn, statement_cache_size=0) as rag:
            await rag.index_text(TEXTS[0])
            await rag.query(QUESTION)
            await rag.cypher("MATCH (n) RETURN count(n)")
        assert await plain.fetch(wanted) == before
        await plain.close()


async def test_a_callers_pool_behind_it_serves_too(database: str) -> None:
    with pgbouncer(database) as dsn:
        async with (
            asyncpg.create_pool(dsn, statement_cache_size=0, min_size=1, max_size=6) as pool,
            engine(connection=pool) as rag,
        ):
            await asyncio.gather(*(rag.index_text(text, key=text) for text in TEXTS))
            answers = await asyncio.gather(*(rag.query(QUESTION) for _ in range(8)))
    assert all(answer.references for answer in answers)


async def test_prepared_statements_that_it_loses_are_said_to_be_the_cause(database: str) -> None:
    with pgbouncer(database) as dsn:
        one, two = engine(dsn, create=True), engine(dsn)
        calls = [rag.index_text(text) for rag in (one, two) for text in TEXTS]
        told = [said for said in await asyncio.gather(*calls, return_exceptions=True) if isinstance(said, RAGError)]
        await asyncio.gather(one.close(), two.close())
    assert told
    assert all("statement_cache_size=0" in str(error) for error in told)
