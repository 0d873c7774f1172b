"""A schema given once bounds what is found, and says which facts exclude one another."""

from __future__ import annotations

from typing import Any

import asyncpg
import pytest

from post_graph_rag import ExtractionSchema, GraphRAG, InputError, Models, PredicateRule, PredicateSpec, Settings
from tests.integration.writing.support import Place, document, facts_chat, faults, small_embedding

LEADERS = ExtractionSchema(
    entity_types={"person": "such as Olga Tern", "firm": ""},
    predicates={"led": PredicateSpec(single_per="object", aliases=("ran",)), "owned": PredicateSpec()},
)
FOUNDED = PredicateRule(predicate="founded", per="object")
LED = PredicateRule(predicate="led", per="object")
CURRENT = """
    SELECT a.key, r.predicate, b.key FROM {r}.relation r
    JOIN {r}.entity a ON a.id = r.subject JOIN {r}.entity b ON b.id = r.object
    JOIN {r}.relation_period p ON p.relation = r.id AND upper_inf(p.recorded) AND p.closed_by IS NULL"""


def engine(place: Place, schema: ExtractionSchema = LEADERS, **more: Any) -> GraphRAG:
    """An engine with a schema, in the place's realm."""
    settings = Settings(dsn=place.dsn, realm=place.realm, graph="none", gleaning_passes=0)
    made = GraphRAG(settings, models=Models(more.pop("chat", facts_chat()), small_embedding()), schema=schema, **more)
    place.engines.append(made)
    return made


async def test_an_alias_takes_its_turn_as_the_predicate_it_stands_for(place: Place) -> None:
    rag = engine(place)
    await rag.index_document(document("a", "Ada Lane led Acme from 2001", "Ada Lane owned Acme"))
    report = await rag.index_document(document("b", "Bo Reed ran Acme from 2010"))
    assert report.gates["predicate_alias"] == 1
    assert set(await place.rows(CURRENT)) == {("bo reed", "led", "acme"), ("ada lane", "owned", "acme")}
    assert await faults(rag) == []


async def test_rules_about_other_predicates_stay_and_only_those_that_differ_are_written(place: Place) -> None:
    await engine(place, ExtractionSchema()).set_rules([FOUNDED, PredicateRule(predicate="led", per="subject")])
    for key in ("a", "b"):
        await engine(place).index_document(document(key, f"Ada Lane led Acme {key.upper()}"))
    assert set(await engine(place).rules()) == {FOUNDED, LED}
    assert len(await place.rows("SELECT FROM {r}.predicate_rule WHERE predicate = 'led'")) == 2


async def test_a_schema_in_a_caller_s_transaction_holds_for_what_was_indexed_in_it(place: Place) -> None:
    await engine(place, ExtractionSchema()).index_document(document("a", "Ada Lane led Acme from 2001"))
    connection = await asyncpg.connect(place.dsn)
    try:
        async with connection.transaction():
            await engine(place, connection=connection).index_document(document("b", "Bo Reed ran Acme from 2010"))
    finally:
        await connection.close()
    assert await place.rows(CURRENT) == [("bo reed", "led", "acme")]


async def test_a_name_that_only_the_schema_mentions_does_not_come_into_the_graph(place: Place) -> None:
    leak = {"relations": [["Olga Tern", "led", "Acme"], ["Ada Lane", "led", "Acme"]]}
    report = await engine(place, chat=facts_chat(script={"extraction": leak})).index_text("Ada Lane led Acme.")
    assert report.gates == {"prompt_name": 2, "unknown_type": 2}
    assert {row[0] for row in await place.rows("SELECT key FROM {r}.entity")} == {"ada lane", "acme"}


async def test_a_fact_shows_the_sentence_that_states_it_where_that_is_asked_for(place: Place) -> None:
    fact = {"subject": "Ada Lane", "predicate": "led", "object": "Acme", "evidence": "in 2001 Ada Lane"}
    rag = place.engine(facts_chat(script={"extraction": {"relations": [fact]}}), quote_evidence=True, graph="none")
    report = await rag.index_text("Acme is a mill. In 2001 Ada Lane led it. Then it closed.")
    [(id,)] = await place.rows("SELECT id FROM {r}.relation")
    [evidence] = (await rag.get_relation(id)).evidence
    assert (evidence.quote, evidence.offsets) == ("In 2001 Ada Lane led it.", (16, 40))
    assert "evidence" not in report.repairs


async def test_an_open_gate_lets_its_kind_in(place: Place) -> None:
    rag = engine(place, ExtractionSchema(), chat=facts_chat(script={"extraction": {"entities": ["She"]}}))
    wide = engine(
        place,
        ExtractionSchema(),
        chat=facts_chat(script={"extraction": {"entities": ["She"]}}),
        open_gates=("pronoun",),
    )
    assert (await rag.index_text("She sang.", key="a")).entities == 0
    assert (await wide.index_text("She danced.", key="b")).entities == 1


def test_a_gate_that_is_not_there_is_refused_at_once() -> None:
    with pytest.raises(InputError, match="self_loop"):
        GraphRAG(Settings(), open_gates=("self-loop",))  # type: ignore[arg-type]
