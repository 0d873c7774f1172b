"""Gates drop or mend what must not be stored, and nothing else."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.errors import InputError
from post_graph_rag.ingest.gates import DEFAULT_GATES, apply_gates
from post_graph_rag.records import ExtractedEntity, ExtractedRelation, Extraction


def relation(subject: str = "Alice", predicate: str = "works at", object_: str = "Acme", **more: Any) -> Extraction:
    return Extraction(relations=(ExtractedRelation(subject=subject, predicate=predicate, object=object_, **more),))


def entity(name: str, **more: Any) -> Extraction:
    return Extraction(entities=(ExtractedEntity(name=name, **more),))


@pytest.mark.parametrize(
    "name",
    [
        "Johnson and Johnson",
        "Marks and Spencer",
        "IT",
        "WHO",
        "US",
        "1984",
        "747",
        "Her Majesty",
        "The Who",
        "😀",
        "C",
        "東京",
        "x" * 600,
        "$$ '; DROP TABLE",
        "It Ends with Us",
    ],
)
def test_a_name_that_only_looks_odd_is_kept_as_entity_and_as_end(name: str) -> None:
    given_ = Extraction(entities=entity(name).entities, relations=relation(subject=name).relations)
    assert apply_gates(given_) == (given_, Counter())


@pytest.mark.parametrize("name", ["it", "It", "she", "They", "who", "I", " himself "])
def test_a_pronoun_is_no_entity_and_no_end(name: str) -> None:
    given_ = Extraction(entities=entity(name, type="person").entities, relations=relation(object_=name).relations)
    assert apply_gates(given_) == (Extraction(), Counter(pronoun=2))


def test_a_pronoun_that_is_the_name_of_a_work_is_kept() -> None:
    given_ = Extraction(entities=entity("Her", type="film").entities, relations=relation(object_="Her").relations)
    assert apply_gates(given_) == (given_, Counter())


@pytest.mark.parametrize("name", ["", "  ", "...", "—", "\u200b"])
def test_a_name_without_letters_digits_or_symbols_is_dropped(name: str) -> None:
    given_ = Extraction(entities=entity(name).entities, relations=relation(subject=name).relations)
    assert apply_gates(given_) == (Extraction(), Counter(empty_name=2))


def test_empty_and_pronoun_aliases_are_dropped_and_the_entity_is_kept() -> None:
    kept, counts = apply_gates(entity("Acme", aliases=("", "it", "ACME Corp")))
    assert kept.entities[0].aliases == ("ACME Corp",)
    assert counts == Counter(empty_name=1, pronoun=1)


@pytest.mark.parametrize(
    "predicate",
    ["related to", "is related to", "RELATED_TO", "no relationship", "None", "n/a", "and", "not", "unknown"],
)
def test_a_predicate_that_says_nothing_is_dropped(predicate: str) -> None:
    kept, counts = apply_gates(relation(predicate=predicate))
    assert kept == Extraction()
    assert counts["vague_predicate"] + counts["empty_predicate"] == 1


@pytest.mark.parametrize(
    "predicate",
    ["is", "has", "was", "of", "owned by", "owns", "part of", "has part", "is in", "knows", "notable for", "是"],
)
def test_a_predicate_that_says_something_is_kept_as_it_is(predicate: str) -> None:
    given_ = relation(predicate=predicate)
    assert apply_gates(given_) == (given_, Counter())


def test_a_bare_connection_is_kept_where_its_description_makes_a_statement_of_it() -> None:
    told = relation(predicate="related to", description="Alice mends the looms of Acme.")
    assert apply_gates(told) == (told, Counter())


def test_that_there_is_no_relation_is_no_relation_however_it_is_described() -> None:
    absent = relation(predicate="no relationship", description="The passage names both.")
    assert apply_gates(absent) == (Extraction(), Counter(vague_predicate=1))


@pytest.mark.parametrize(
    ("predicate", "without"),
    [
        ("is not owned by", "is owned by"),
        ("not_owned_by", "owned_by"),
        ("was never in", "was in"),
        ("cannot own", "can own"),
        ("never visited", "visited"),
        ("isn't owned by", "is owned by"),
        ("did not join", "did join"),
        ("is not", "is"),
        ("hasn't", "has"),
    ],
)
def test_a_denial_in_the_predicate_becomes_a_negated_relation(predicate: str, without: str) -> None:
    kept, counts = apply_gates(relation(predicate=predicate))
    assert kept == relation(predicate=without, negated=True)
    assert counts == Counter(negated_predicate=1)


@pytest.mark.parametrize("predicate", ["may not own", "not yet in", "is not only in", "notes", "decided not to join"])
def test_a_denial_that_says_more_than_no_stays_in_the_words(predicate: str) -> None:
    assert apply_gates(relation(predicate=predicate)) == (relation(predicate=predicate), Counter())


def test_a_relation_of_a_thing_with_itself_is_dropped_whatever_the_spelling() -> None:
    assert apply_gates(relation(subject="Acme Corp.", object_="ACME Corporation"))[1] == Counter(self_loop=1)


def test_a_relation_below_the_confidence_asked_for_is_dropped() -> None:
    assert apply_gates(relation(confidence=0.4), min_confidence=0.5) == (Extraction(), Counter(low_confidence=1))
    assert apply_gates(relation(confidence=0.5), min_confidence=0.5)[1] == Counter()


@pytest.mark.parametrize(
    ("stated", "counted"),
    [
        (("2020-13", "2021"), 1),
        (("2020", "soon"), 1),
        (("once", "soon"), 2),
        (("2021", "2020"), 1),
        (("2020", "2020"), 0),
        (("March 2011", "present"), 0),
        (("unknown", None), 0),
    ],
)
def test_impossible_dates_are_counted_and_kept_as_stated(stated: tuple[str, str | None], counted: int) -> None:
    said = relation(valid_from=stated[0], valid_to=stated[1])
    kept, counts = apply_gates(said)
    assert kept == said
    assert counts == Counter({"impossible_date": counted} if counted else {})


def test_repeated_relations_are_one_with_the_best_confidence() -> None:
    twice = Extraction(relations=relation(confidence=0.5).relations + relation("ALICE", "worksAt", "Acme").relations)
    kept, counts = apply_gates(twice)
    assert kept.relations == relation(confidence=1.0).relations
    assert counts == Counter(duplicate=1)


def test_a_denial_and_different_dates_are_no_repeats() -> None:
    three = relation().relations + relation(negated=True).relations + relation(valid_from="2020").relations
    assert apply_gates(Extraction(relations=three))[0].relations == three


def test_repeated_entities_are_one_with_both_descriptions_and_aliases() -> None:
    twice = entity("Acme", description="A mill.", aliases=("A",)).entities
    twice += entity("ACME", description="It is old.", aliases=("B",)).entities
    kept = apply_gates(Extraction(entities=twice))[0]
    assert kept == entity("Acme", description="A mill. It is old.", aliases=("A", "B"))


def test_namesakes_of_other_kinds_are_two_entities() -> None:
    two = entity("Mercury", type="planet").entities + entity("Mercury", type="person").entities
    assert apply_gates(Extraction(entities=two))[0].entities == two


@pytest.mark.parametrize(
    "extraction",
    [
        relation(predicate="related to"),
        relation(object_="it"),
        relation(confidence=0.0),
        relation(object_="alice"),
        relation(valid_from="2020-13"),
        relation(predicate="not in"),
        relation(subject=""),
        relation(predicate=""),
    ],
)
def test_an_open_gate_lets_everything_through(extraction: Extraction) -> None:
    assert apply_gates(extraction, gates=()) == (extraction, Counter())


def test_an_unknown_gate_is_refused() -> None:
    with pytest.raises(InputError, match="there are"):
        apply_gates(Extraction(), gates=("gate",))  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.text(), st.text(), st.text()), max_size=5))
def test_any_text_goes_through_and_a_second_pass_changes_nothing(triples: list[tuple[str, str, str]]) -> None:
    relations = tuple(ExtractedRelation(subject=s, predicate=p, object=o) for s, p, o in triples)
    once = apply_gates(Extraction(relations=relations), DEFAULT_GATES - {"negated_predicate"})[0]
    assert apply_gates(once, DEFAULT_GATES - {"negated_predicate"}) == (once, Counter())
