"""One engine in several event loops, several engines on one realm, engines that were closed."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import psycopg

from post_graph_rag import GraphRAG, Settings
from post_graph_rag.embedded import EmbeddedServer
from tests.integration.foreign.engines import ACME, ELM, QUESTION, engine, scripted


async def index_and_ask(rag: GraphRAG, text: str) -> int:
    await rag.index_text(text, key=text.split()[0])
    assert (await rag.query(QUESTION)).references
    return (await rag.realm_stats()).documents


def nobody_is_connected(database: str) -> bool:
    """Whether all other sessions of the database end, which takes the server a moment."""
    query = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    end = time.monotonic() + 5
    with psycopg.connect(database, autocommit=True) as connection:
        while (left := connection.execute(query).rowcount) and time.monotonic() < end:
            time.sleep(0.01)
    return left == 0


def test_one_engine_serves_several_event_loops_in_turn(database: str) -> None:
    rag = engine(database)
    assert asyncio.run(index_and_ask(rag, ACME)) == 1
    assert nobody_is_connected(database)
    assert asyncio.run(index_and_ask(rag, ELM)) == 2
    assert nobody_is_connected(database)
    asyncio.run(rag.close())


def test_so_does_one_that_was_closed_in_between(database: str) -> None:
    rag = engine(database)

    async def session(text: str) -> int:
        async with rag:
            return await index_and_ask(rag, text)

    assert [asyncio.run(session(ACME)), asyncio.run(session(ELM))] == [1, 2]


def test_so_does_one_with_a_server_of_its_own(ready_home: Path, server_dir: Path) -> None:
    settings = Settings(embedded=True, home=ready_home, server_dir=server_dir, realm="one")
    rag = GraphRAG(settings, models=scripted())
    assert asyncio.run(index_and_ask(rag, ACME)) == 1
    assert asyncio.run(index_and_ask(rag, ELM)) == 2
    asyncio.run(rag.close())
    assert not EmbeddedServer(ready_home, server_dir).status().running


def test_tasks_that_open_a_server_together_leave_it_together(ready_home: Path, server_dir: Path) -> None:
    settings = Settings(embedded=True, home=ready_home, server_dir=server_dir, realm="one")

    async def together() -> None:
        rag = GraphRAG(settings, models=scripted())
        await asyncio.gather(*(rag.index_text(text, key=text) for text in (ACME, ELM)))
        await asyncio.gather(rag.close(), rag.close())

    asyncio.run(together())
    assert not EmbeddedServer(ready_home, server_dir).status().running


async def test_two_engines_share_a_realm(database: str) -> None:
    async with engine(database) as one, engine(database) as two:
        await asyncio.gather(one.index_text(ACME, key="Acme"), two.index_text(ELM, key="Elm"))
        assert [(await rag.realm_stats()).documents for rag in (one, two)] == [2, 2]
        assert (await two.index_text(ACME, key="Acme")).status == "unchanged"


async def test_closing_twice_does_nothing_more(database: str) -> None:
    rag = engine(database)
    await rag.close()
    report = await rag.index_text(ACME)
    await rag.close()
    await rag.close()
    assert report.status == "new"


async def test_an_engine_that_is_used_after_it_was_closed_opens_again(database: str) -> None:
    async with engine(database) as rag:
        await rag.index_text(ACME)
    assert (await rag.query(QUESTION)).references
    await rag.close()
