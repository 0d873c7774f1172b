"""What a user's schema, and the prompt itself, keep out of the graph."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from post_graph_rag.ingest.expected import Expected, Told
from post_graph_rag.ingest.gates import DEFAULT_GATES, apply_gates
from post_graph_rag.records import (
    DocumentContext,
    ExtractedEntity,
    ExtractedRelation,
    Extraction,
    ExtractionSchema,
    PredicateSpec,
)

OPEN = ExtractionSchema(
    entity_types={"Person": "", "organization": ""},
    predicates={
        "works at": PredicateSpec(
            subject_types=("Person",), object_types=("organization",), aliases=("employed by", "has post at")
        ),
        "owns": PredicateSpec(),
    },
)
STRICT = OPEN.model_copy(update={"strict": True})
ADA = ExtractedEntity(name="Ada", type="Person")
ACME = ExtractedEntity(name="Acme", type="organization", aliases=("The Mill",))
LYON = ExtractedEntity(name="Lyon", type="city")


def said(subject: str, predicate: str, object_: str, **more: Any) -> ExtractedRelation:
    return ExtractedRelation(subject=subject, predicate=predicate, object=object_, **more)


def found(*items: ExtractedEntity | ExtractedRelation) -> Extraction:
    return Extraction(
        entities=tuple(item for item in items if isinstance(item, ExtractedEntity)),
        relations=tuple(item for item in items if isinstance(item, ExtractedRelation)),
    )


def gated(extraction: Extraction, schema: ExtractionSchema = OPEN) -> tuple[Extraction, Counter[str]]:
    return apply_gates(extraction, expected=Expected.by(schema))


ALIEN = found(ADA, ACME, LYON, said("Ada", "lives in", "Lyon"), said("Acme", "works at", "Ada"))


def test_without_a_schema_nothing_is_unexpected() -> None:
    assert apply_gates(ALIEN) == (ALIEN, Counter())


def test_what_is_not_listed_is_kept_and_counted() -> None:
    assert gated(ALIEN) == (ALIEN, Counter(unknown_type=1, unknown_predicate=1, unfit_type=1))


def test_a_strict_schema_drops_what_is_not_listed_and_says_so() -> None:
    assert gated(ALIEN, STRICT) == (found(ADA, ACME), Counter(unknown_type=2, unfit_type=1))


def test_a_strict_schema_drops_predicates_that_are_not_listed() -> None:
    assert gated(found(ADA, ACME, said("Ada", "likes", "Acme")), STRICT) == (
        found(ADA, ACME),
        Counter(unknown_predicate=1),
    )


@pytest.mark.parametrize("schema", [OPEN, STRICT])
def test_what_is_listed_stays_as_it_is(schema: ExtractionSchema) -> None:
    listed = found(ADA, ACME, said("Ada", "works at", "The Mill"), said("Ada", "owns", "Acme"))
    assert gated(listed, schema) == (listed, Counter())


def test_types_take_the_spelling_of_the_schema() -> None:
    assert gated(found(ADA.model_copy(update={"type": "PERSON"}))) == (found(ADA), Counter())


def test_a_finer_type_counts_as_the_listed_one_it_is_a_kind_of_and_gives_way_where_strict() -> None:
    mill = found(ACME.model_copy(update={"type": "software company"}), ADA, said("Ada", "works at", "Acme"))
    assert gated(mill) == (mill, Counter())
    kept, counts = gated(mill, STRICT)
    assert [entity.type for entity in kept.entities] == ["organization", "Person"]
    assert counts == Counter()


def test_a_listed_type_is_no_home_for_what_is_broader() -> None:
    schema = ExtractionSchema(entity_types={"university": ""}, strict=True)
    assert gated(found(ExtractedEntity(name="Acme", type="company")), schema)[1] == Counter(unknown_type=1)


@pytest.mark.parametrize("alias", ["employed by", "is employed by", "EmployedBy", "has post at"])
def test_an_alias_becomes_the_name_of_its_predicate_and_the_ends_stay_where_they_are(alias: str) -> None:
    kept, counts = gated(found(ADA, ACME, said("Ada", alias, "Acme", valid_from="2020")))
    assert kept == found(ADA, ACME, said("Ada", "works at", "Acme", valid_from="2020"))
    assert counts == Counter(predicate_alias=1)


@pytest.mark.parametrize("predicate", ["owned by", "is owned by", "employs", "was owned by"])
def test_the_inverse_of_a_listed_predicate_is_not_snapped_to_it(predicate: str) -> None:
    inverse = found(ADA, ACME, said("Acme", predicate, "Ada"))
    assert gated(inverse) == (inverse, Counter(unknown_predicate=1))


def test_a_denied_alias_is_the_denied_predicate() -> None:
    kept, counts = gated(found(ADA, ACME, said("Ada", "is not employed by", "Acme")))
    assert kept.relations == (said("Ada", "works at", "Acme", negated=True),)
    assert counts == Counter(negated_predicate=1, predicate_alias=1)


@pytest.mark.parametrize("gate", ["unknown_type", "unknown_predicate", "unfit_type"])
def test_each_bound_of_a_strict_schema_can_be_opened(gate: str) -> None:
    kept, counts = apply_gates(ALIEN, DEFAULT_GATES - {gate}, expected=Expected.by(STRICT))
    assert gate not in counts
    assert kept == found(*{"unknown_type": (ADA, ACME, LYON)}.get(gate, (ADA, ACME)), *kept.relations)


# ---------------------------------------------------------------- names that only the prompt holds

TOLD = Told(
    instructions="A firm is a company, such as Tern Mills or Quill & Co.",
    text="Ada works at\nQuill & Co. in Lyon.",
    context=DocumentContext(title="About Birch Hall"),
    known_names=("Ada",),
)


def test_a_name_that_only_the_prompt_holds_is_no_entity_no_end_and_no_alias() -> None:
    leaked = found(
        ExtractedEntity(name="Tern Mills", type="company"),
        ADA.model_copy(update={"aliases": ("Tern Mills",)}),
        said("Ada", "works at", "Tern Mills"),
    )
    assert apply_gates(leaked, told=TOLD) == (found(ADA), Counter(prompt_name=3))


@pytest.mark.parametrize("name", ["Quill & Co.", "Ada", "Birch Hall", "Tern", "firm is", "Mills or"])
def test_a_name_that_was_read_stays_also_where_the_prompt_holds_it(name: str) -> None:
    told = Told(TOLD.instructions + " Birch Hall. Ada.", TOLD.text + " Tern, a firm is, Mills or", TOLD.context)
    assert apply_gates(found(ExtractedEntity(name=name)), told=told)[1] == Counter()


@pytest.mark.parametrize("name", ["Elsewhere", "Ern Mill", "Company", "Comp"])
def test_a_name_that_the_prompt_does_not_hold_word_for_word_is_no_leak(name: str) -> None:
    assert apply_gates(found(ExtractedEntity(name=name)), told=TOLD)[1] == Counter()
