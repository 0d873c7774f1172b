"""Drawing the graph anew waits for nobody for long: whoever writes would wait behind it."""

from __future__ import annotations

import psycopg
import pytest

from post_graph_rag.errors import Busy
from post_graph_rag.store import projection
from post_graph_rag.store.identifiers import graph_name, schema_name
from tests.integration.foreign.engines import ACME, ELM, REALM, engine, fill

RECORD = schema_name(REALM)
GRAPH = graph_name(RECORD)


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projection, "LOCK_TIMEOUT", "100ms")
    monkeypatch.setattr(projection, "DDL_TIMEOUT", "100ms")


async def test_a_graph_that_an_idle_transaction_has_read_is_left_as_it_is(database: str) -> None:
    await fill(database, ACME)
    async with engine(database) as rag:
        before = await rag.cypher("MATCH (n) RETURN n")
        with psycopg.connect(database) as idle:
            idle.execute(f'SELECT count(*) FROM {GRAPH}."Entity"')
            with pytest.raises(Busy):
                await rag.rebuild_graph()
            assert (await rag.index_text(ELM, key="Elm")).status == "new"
        await rag.rebuild_graph()
        assert len(await rag.cypher("MATCH (n) RETURN n")) > len(before) > 0


async def test_a_writer_who_does_not_end_is_not_waited_for(database: str) -> None:
    await fill(database, ACME)
    with psycopg.connect(database) as writer:
        writer.execute(f"SELECT FROM {RECORD}.clock FOR UPDATE")
        async with engine(database) as rag:
            with pytest.raises(Busy):
                await rag.rebuild_graph()


async def test_it_is_no_belief_of_its_own(database: str, admin: psycopg.Connection) -> None:
    await fill(database, ACME)
    before = admin.execute(f"SELECT stamp FROM {RECORD}.clock").fetchone()
    async with engine(database) as rag:
        await rag.rebuild_graph()
    assert admin.execute(f"SELECT stamp FROM {RECORD}.clock").fetchone() == before
