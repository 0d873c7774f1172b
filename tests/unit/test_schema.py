"""A schema that cannot mean one thing is refused where it is made."""

from __future__ import annotations

import pytest

from post_graph_rag import ExtractionSchema, InputError, PredicateRule, PredicateSpec

FIRMS = ExtractionSchema(
    entity_types={"person": "", "organization": "a firm or a body"},
    predicates={
        "works at": PredicateSpec(subject_types=("Person",), object_types=("organization",), aliases=("employed by",)),
        "chief executive of": PredicateSpec(single_per="object"),
        "friend of": PredicateSpec(single_per="pair", exclusive="regard"),
    },
)


def test_its_rules_are_those_of_predicates_of_which_one_holds_at_a_time() -> None:
    assert FIRMS.rules == (
        PredicateRule(predicate="chief executive of", per="object"),
        PredicateRule(predicate="friend of", per="pair", exclusive="regard"),
    )


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"entity_types": {"Person": "", "person": ""}}, "mean two things"),
        ({"entity_types": {" ": ""}}, "empty name"),
        ({"predicates": {"works at": {}, "worksAt": {}}}, "mean two things"),
        ({"predicates": {"owns": {"aliases": ["holds"]}, "keeps": {"aliases": ["Holds"]}}}, "mean two things"),
        ({"predicates": {"owns": {"aliases": ["keeps"]}, "keeps": {}}}, "mean two things"),
        ({"predicates": {"owns": {"aliases": [""]}}}, "empty name"),
        ({"predicates": {"owns": {"aliases": ["is owned by"]}}}, "of their own"),
        ({"predicates": {"owns": {"subject_types": ["robot"]}}}, "robot"),
        ({"predicates": {"owns": {"exclusive": "holding"}}}, "single_per"),
        ({"entity_types": {"thing": "x" * 8_000}}, "at most 8000"),
        ({"types": {}}, "there are"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_reason(fields: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ExtractionSchema.model_validate(fields)


def test_an_alias_may_repeat_its_own_predicate() -> None:
    spec = PredicateSpec(aliases=("Works At", "employed at"))
    assert ExtractionSchema(predicates={"works at": spec}).predicates["works at"] == spec
