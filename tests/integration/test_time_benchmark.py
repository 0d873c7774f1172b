"""The graph that the benchmark of time loads is one that the library itself would have written."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg
import pytest

from benchmarks.time_graph import PASSAGES, Graph, draw_graph
from benchmarks.time_load import Loaded, load_graph
from benchmarks.time_words import LED, WordVectors
from post_graph_rag import Document, GraphRAG, QueryParam, Settings
from post_graph_rag.models.roles import Models
from post_graph_rag.records import PredicateRule
from tests.integration.writing.support import SCHEMA, facts_chat, faults

RELATIONS = 400
REALM = "drawn"
HELD = """
SELECT relation, valid::text, dated, closed_by::text FROM {}.relation_period WHERE upper_inf(recorded) ORDER BY 1, 2, 3
"""


@dataclass
class Drawn:
    """A small loaded graph and an engine on its realm."""

    dsn: str
    rag: GraphRAG
    graph: Graph
    loaded: Loaded

    async def held(self) -> list[asyncpg.Record]:
        """When relations hold."""
        connection = await asyncpg.connect(self.dsn)
        try:
            schema = await connection.fetchval(SCHEMA, REALM)
            return list(await connection.fetch(HELD.format(schema)))
        finally:
            await connection.close()

    async def texts(self, question: str, mark: str) -> list[str]:
        """Passages that were found with what was believed at a mark."""
        data = await self.rag.query_data(question, QueryParam(as_believed_at=mark))
        return [hit.text for hit in data.passages]


@pytest.fixture
async def drawn(database: str) -> AsyncIterator[Drawn]:
    vectors = WordVectors(32)
    settings = Settings(dsn=database, realm=REALM, create=True)
    async with GraphRAG(settings, models=Models(facts_chat(), vectors)) as rag:
        graph = draw_graph(RELATIONS)
        loaded = await load_graph(database, REALM, graph, vectors)
        await rag.rebuild_graph()
        yield Drawn(database, rag, graph, loaded)


async def test_doctor_finds_no_fault_with_a_loaded_graph(drawn: Drawn) -> None:
    assert await faults(drawn.rag) == []


async def test_a_loaded_graph_has_as_many_relations_as_were_asked_for(drawn: Drawn) -> None:
    assert (await drawn.rag.realm_stats()).relations == round(RELATIONS * (1 - drawn.loaded.superseded))


async def test_about_a_tenth_of_the_loaded_relations_is_superseded(drawn: Drawn) -> None:
    assert 0.05 < drawn.loaded.superseded < 0.15


async def test_the_library_settles_loaded_relations_as_they_were_loaded(drawn: Drawn) -> None:
    before = await drawn.held()
    await drawn.rag.set_rules([])
    assert await drawn.held() != before
    await drawn.rag.set_rules([PredicateRule(predicate=LED, per="subject")])
    assert await drawn.held() == before


async def test_a_loaded_document_counts_as_indexed(drawn: Drawn) -> None:
    chunks = tuple(map(drawn.graph.text, range(PASSAGES)))
    again = Document(key="report-0", chunks=chunks, observed_at=drawn.graph.days[0].isoformat())
    assert (await drawn.rag.index_document(again)).status == "unchanged"


async def test_what_arrived_last_is_found_at_the_latest_mark_and_not_in_the_middle(drawn: Drawn) -> None:
    last = len(drawn.graph.passages) - 1
    question = drawn.graph.sentence(drawn.graph.passages[last][0])
    assert drawn.graph.text(last) in await drawn.texts(question, drawn.loaded.latest)
    assert drawn.graph.text(last) not in await drawn.texts(question, drawn.loaded.middle)
