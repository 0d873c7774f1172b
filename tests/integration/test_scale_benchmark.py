"""The graph in several spaces that the benchmark of scale loads is one that the library itself would have written."""

from __future__ import annotations

from benchmarks.scale_graph import SMALL, SPACES, draw_spaces
from benchmarks.time_load import load_graph
from benchmarks.time_words import WordVectors
from post_graph_rag import GraphRAG, QueryParam, Settings
from post_graph_rag.models.roles import Models
from tests.integration.writing.support import facts_chat, faults

GRAPH = draw_spaces(passages=300, entities=400, relations=900)


def test_it_has_just_so_many_passages_and_relations() -> None:
    assert (len(GRAPH.filler), len(GRAPH.relations)) == (300, 900)


def test_what_a_passage_states_is_of_entities_of_its_space() -> None:
    places = {(GRAPH.space_of(f.passage), GRAPH.home(f.subject), GRAPH.home(f.object)) for f in GRAPH.facts}
    assert places == {(space, space, space) for space in range(len(SPACES))}


async def test_doctor_finds_no_fault_with_it_and_the_small_space_answers(database: str) -> None:
    vectors = WordVectors(32)
    settings = Settings(dsn=database, realm="spaces", create=True)
    async with GraphRAG(settings, models=Models(facts_chat(), vectors)) as rag:
        await load_graph(database, "spaces", GRAPH, vectors)
        await rag.rebuild_graph()
        assert await faults(rag) == []
        found = await rag.query_data("What is known?", QueryParam(mode="naive", space=SMALL))
    assert {hit.space for hit in found.passages} == {SMALL}
