"""What a question may ask of the order: turns, floors, nearness, variety, folding."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.sqlcount import counting
from post_graph_rag.records import QueryParam
from post_graph_rag.retrieve.pipeline import Reader, retrieve
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm
from tests.integration.retrieve.conftest import reader_of
from tests.integration.retrieve.filling import Fact, Filler

ASKED = "Which town does Orion Foundry work in?"
TEXT = "The foundry of Orion stands by the harbour of Trieste and has cast propellers there for ninety years"


@pytest.fixture
async def told_twice(store: Database, realm: Realm, filler: Filler, database: str) -> Reader:
    """Three passages that say the same, each with a fact of its own, and one that says something else."""
    filler.document("a.md", f"{TEXT}.", [Fact("Orion", "stands_in", "Trieste")])
    filler.document("b.md", f"{TEXT}!", [Fact("Orion", "casts", "propellers")])
    filler.document("c.md", f"{TEXT} or more.", [Fact("Orion", "stands_by", "the harbour")])
    filler.document("d.md", "Vega owns a harbour of her own.", [Fact("Vega", "owns", "a harbour")])
    await filler.flush(database)
    return reader_of(store, realm)


async def test_passages_that_say_the_same_are_folded_into_the_best_of_them(told_twice: Reader) -> None:
    data = await retrieve(told_twice, TEXT, QueryParam(fold=0.7, top_k=2, weights={"walk": 0}))
    assert [(hit.id, sorted(hit.duplicates)) for hit in data.passages] == [(1, [2, 3]), (4, [])]


async def test_a_fact_of_a_folded_passage_cites_the_one_that_stays(told_twice: Reader) -> None:
    data = await retrieve(told_twice, TEXT, QueryParam(fold=0.7, weights={"walk": 0}))
    (line,) = [line for line in data.context.splitlines() if line.startswith("- Orion casts propellers")]
    (cited,) = [reference for reference in data.references if f"[{reference.number}]" in line]
    assert cited.document == "a.md"


async def test_a_passage_that_only_states_a_fact_is_folded_too(told_twice: Reader) -> None:
    asked = QueryParam(fold=0.7, top_k=1, weights={"walk": 0, "relation_text": 0}, search_query=TEXT)
    fact = asked.model_copy(update={"hl_keywords": ("Orion stands by the harbour",)})
    data = await retrieve(told_twice, TEXT, fact)
    assert [hit.predicate for hit in data.relations] == ["stands_by"]
    assert [(hit.id, 3 in hit.duplicates) for hit in data.passages] == [(1, True)]


async def test_the_passage_that_stays_names_the_sources_of_all(told_twice: Reader) -> None:
    data = await retrieve(told_twice, TEXT, QueryParam(fold=0.7, top_k=2, weights={"walk": 0}))
    assert [source.document for source in data.passages[0].sources] == ["a.md", "b.md", "c.md"]


async def test_a_folded_passage_is_explained_as_such(told_twice: Reader) -> None:
    data = await retrieve(told_twice, TEXT, QueryParam(fold=0.7, explain=True))
    assert data.explain is not None
    (funnel,) = [one for one in data.explain.funnels if one.channel == "passage_vector"]
    assert funnel.dropped == {"folded": 2}


async def test_unasked_only_passages_of_the_same_words_are_folded(told_twice: Reader) -> None:
    data = await retrieve(told_twice, TEXT)
    assert {hit.id: hit.duplicates for hit in data.passages} in ({1: (2,), 3: (), 4: ()}, {2: (1,), 3: (), 4: ()})


async def test_where_none_are_to_be_folded_each_is_shown(told_twice: Reader) -> None:
    data = await retrieve(told_twice, TEXT, QueryParam(fold=None))
    assert (len(data.passages), {hit.duplicates for hit in data.passages}) == (4, {()})


async def test_variety_prefers_what_is_unlike_what_was_taken(told_twice: Reader) -> None:
    data = await retrieve(told_twice, TEXT, QueryParam(mode="naive", mmr=0.3, top_k=2))
    assert [hit.id for hit in data.passages] == [1, 4]


async def test_variety_without_weight_leaves_the_order(told_twice: Reader) -> None:
    plain = await retrieve(told_twice, TEXT)
    same = await retrieve(told_twice, TEXT, QueryParam(mmr=1.0))
    assert [hit.id for hit in same.relations] == [hit.id for hit in plain.relations]


@pytest.mark.parametrize("top_k", [2, 50])
async def test_variety_costs_one_statement_however_much_is_found(world: Reader, top_k: int) -> None:
    await retrieve(world, ASKED, QueryParam(mmr=0.5))
    with counting() as plain:
        await retrieve(world, ASKED, QueryParam(top_k=top_k))
    with counting() as varied:
        await retrieve(world, ASKED, QueryParam(top_k=top_k, mmr=0.5, node_distance=True, fold=0.9, min_score=0.001))
    assert varied.statements == plain.statements + 1


async def test_in_turns_relations_come_from_vectors_and_the_walk_and_not_from_words(world: Reader) -> None:
    data = await retrieve(world, ASKED, QueryParam(fusion="quota"))
    first = [{place.channel for place in hit.channels if place.rank == 1} for hit in data.relations[:2]]
    every = {place.channel for hit in (*data.relations, *data.passages, *data.entities) for place in hit.channels}
    assert ("relation_vector" in first[0], every & {"passage_text", "entity_name", "relation_text"}) == (True, set())


async def test_what_is_less_similar_than_asked_for_is_left_out(world: Reader) -> None:
    data = await retrieve(world, ASKED, QueryParam(mode="naive", min_similarity=0.2))
    scores = [place.score for hit in data.passages for place in hit.channels if place.channel == "passage_vector"]
    assert scores
    assert min(scores) >= 0.2


async def test_what_scores_less_than_asked_for_is_left_out(world: Reader) -> None:
    every = [hit.score for hit in (await retrieve(world, ASKED)).entities]
    floor = float(np.median(every))
    kept = await retrieve(world, ASKED, QueryParam(min_score=floor))
    assert [hit.score for hit in kept.entities] == [score for score in every if score >= floor]


async def test_what_is_fewest_steps_away_comes_first(world: Reader) -> None:
    only = {"entity_vector": 0, "passage_vector": 0, "relation_vector": 0, "relation_text": 0, "passage_text": 0}
    data = await retrieve(world, "Ada Vidal", QueryParam(node_distance=True, max_hops=3, weights=only))
    assert [hit.predicate for hit in data.relations][2:] == ["based_in", "acquired"]


async def test_passages_too_come_by_how_many_steps_away_they_are(world: Reader) -> None:
    only = {"entity_vector": 0, "passage_vector": 0, "relation_vector": 0, "relation_text": 0, "evidence": 0}
    asked = "Ada Vidal: who bought after a long summer of talks"
    data = await retrieve(world, asked, QueryParam(node_distance=True, max_hops=3, weights=only))
    order = [hit.sources[0].document for hit in data.passages]
    assert order.index("orion.md") < order.index("kestrel.md")
