"""Extractions as rows of the record."""

from __future__ import annotations

from post_graph_rag.ingest.structure import structure_rows
from post_graph_rag.records import ExtractedEntity, ExtractedRelation, Extraction

ACME = ExtractedEntity(
    name="Acme Corp.", type="company", description="Makes kilns.", aliases=("Acme", "ACME Corporation")
)
HIRED = ExtractedRelation(subject="Acme Corporation", predicate="Hired", object="Cora Doe")


def test_names_of_one_key_are_one_entity() -> None:
    keys, _ = structure_rows({1: (5, Extraction(entities=(ACME,), relations=(HIRED,)))})
    assert keys == [(5, "acme corp", 3), (5, "cora doe", 0)]


def test_each_entity_is_mentioned_once_in_a_passage() -> None:
    again = ExtractedEntity(name="acme corporation", type="firm", description="Sells kilns.")
    keys, rows = structure_rows({1: (5, Extraction(entities=(ACME, again), relations=(HIRED,)))})
    made = rows({key: n for n, key in enumerate(keys)})
    assert made["mentions"] == [{"passage": 1, "entity": 0}, {"passage": 1, "entity": 1}]
    assert [row["description"] for row in made["observations"]] == ["Makes kilns.", "Sells kilns.", ""]


def test_only_aliases_with_a_key_of_their_own_are_claims() -> None:
    _, rows = structure_rows({1: (5, Extraction(entities=(ACME,)))})
    assert rows({(5, "acme corp", 3): 0})["claims"] == [{"passage": 1, "entity": 0, "alias": "Acme", "key": "acme"}]


def test_equal_names_in_two_spaces_are_two_entities() -> None:
    keys, rows = structure_rows({1: (5, Extraction(entities=(ACME,))), 2: (6, Extraction(entities=(ACME,)))})
    assert keys == [(5, "acme corp", 3), (6, "acme corp", 3)]
    assert [row["entity"] for row in rows({keys[0]: 10, keys[1]: 11})["mentions"]] == [10, 11]


def test_a_fact_said_twice_is_one_assertion_but_for_other_dates() -> None:
    dated = HIRED.model_copy(update={"valid_from": "2001"})
    _, rows = structure_rows({1: (5, Extraction(relations=(HIRED, HIRED, dated)))})
    made = rows({(5, "acme corp", 0): 0, (5, "cora doe", 0): 1})["assertions"]
    assert [row["valid"] for row in made] == [None, '["2001-01-01 00:00:00+00",)']


def test_a_fact_without_wording_gets_one() -> None:
    denied = HIRED.model_copy(update={"negated": True})
    _, rows = structure_rows({1: (5, Extraction(relations=(denied,)))})
    [row] = rows({(5, "acme corp", 0): 0, (5, "cora doe", 0): 1})["assertions"]
    assert (row["fact"], row["predicate"]) == ("Acme Corporation not hired Cora Doe", "hired")


def test_observations_that_differ_in_anything_have_digests_of_their_own() -> None:
    kinds = [ACME, ACME.model_copy(update={"type": "firm"}), ACME.model_copy(update={"name": "Acme Corp"})]
    _, rows = structure_rows({n: (5, Extraction(entities=(kind,))) for n, kind in enumerate([*kinds, ACME])})
    digests = [row["digest"] for row in rows({(5, "acme corp", 3): 0})["observations"]]
    assert len(set(digests)) == 3
    assert digests[0] == digests[3]


def named(name: str, type_: str) -> ExtractedEntity:
    return ExtractedEntity(name=name, type=type_)


def test_namesakes_of_two_kinds_are_two_entities() -> None:
    keys, _ = structure_rows({1: (5, Extraction(entities=(named("Jordan", "person"), named("Jordan", "country"))))})
    assert keys == [(5, "jordan", 1), (5, "jordan", 2)]


def test_what_a_passage_gives_no_kind_is_what_it_else_calls_so() -> None:
    relation = ExtractedRelation(subject="JORDAN", predicate="borders", object="Iraq")
    keys, rows = structure_rows({1: (5, Extraction(entities=(named("Jordan", "country"),), relations=(relation,)))})
    made = rows({key: n for n, key in enumerate(keys)})
    assert keys == [(5, "iraq", 0), (5, "jordan", 2)]
    assert (made["assertions"][0]["subject"], made["assertions"][0]["object"]) == (1, 0)


def test_what_a_passage_leaves_open_between_two_kinds_is_mentioned_as_neither() -> None:
    relation = ExtractedRelation(subject="Jordan", predicate="borders", object="Iraq")
    both = (named("Jordan", "person"), named("Jordan", "country"))
    keys, rows = structure_rows({1: (5, Extraction(entities=both, relations=(relation,)))})
    made = rows({key: n for n, key in enumerate(keys)})
    assert keys[1] == (5, "jordan", 0)
    assert made["assertions"][0]["subject"] == 1
    assert {"passage": 1, "entity": 1} in made["mentions"]
