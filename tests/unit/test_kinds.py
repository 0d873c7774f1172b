"""Coarse kinds of free-text types."""

from __future__ import annotations

import pytest

from post_graph_rag.kinds import coarse_type, sense_of, types_compatible


@pytest.mark.parametrize(
    ("type_", "kind"),
    [
        ("PERSON", "person"),
        ("Fictional character", "person"),
        ("Software company", "organization"),
        ("football club", "organization"),
        ("Cities", "place"),
        ("GPE", "place"),
        ("historical_event", "event"),
        ("work of art", "work"),
        ("Video game", "work"),
        ("Software", "product"),
        ("Idea", "concept"),
        ("Person (fictional)", "person"),
        ("", ""),
        ("entity", ""),
        ("personal", ""),
    ],
)
def test_the_head_noun_of_a_type_decides_its_kind(type_: str, kind: str) -> None:
    assert coarse_type(type_) == kind


@pytest.mark.parametrize(("one", "other"), [("person", "city"), ("Company", "Politician"), ("river", "festival")])
def test_a_place_is_no_person_and_a_company_no_event(one: str, other: str) -> None:
    assert not types_compatible(one, other)


@pytest.mark.parametrize(
    ("one", "other"), [("person", ""), ("thing", "city"), ("city", "country"), ("software", "book"), ("war", "topic")]
)
def test_an_unknown_kind_goes_with_all_and_like_kinds_with_each_other(one: str, other: str) -> None:
    assert types_compatible(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("person", "country"), ("company", "fruit"), ("planet", "chemical element"), ("river", "company")],
)
def test_types_of_different_things_make_two_of_one_name(one: str, other: str) -> None:
    assert 0 != sense_of(one) != sense_of(other) != 0


@pytest.mark.parametrize(
    ("one", "other"), [("city", "GPE"), ("politician", "author"), ("book", "product"), ("war", "idea")]
)
def test_types_that_one_thing_is_given_in_turn_make_one(one: str, other: str) -> None:
    assert sense_of(one) == sense_of(other) != 0


def test_a_type_of_no_known_kind_tells_nothing() -> None:
    assert sense_of("thingummy") == sense_of("") == 0
