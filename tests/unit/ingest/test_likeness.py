"""What two names are to each other: certain only where they differ in how one thing is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.ingest.alike import certain, merges_of
from post_graph_rag.ingest.likeness import Called, Evidence, likeness, worth_a_look
from post_graph_rag.store.similar import CalledEntity

CLOSE = Evidence(similarity=0.95, shared=1)


def said(one: str, other: str, evidence: Evidence = CLOSE) -> str:
    return likeness(Called(one, ""), Called(other, ""), evidence)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("U.S. Navy", "United States Navy"),
        ("Treaty of Versailles", "Versailles Treaty"),
        ("European Free Trade Association (EFTA)", "European Free Trade Association"),
        ("Toronto, Ontario, Canada", "Toronto, Ontario"),
        ("6 August 1945", "August 6, 1945"),
        ("Summer Olympics 1960", "1960 Summer Olympics"),
        ("Mt. Baker Ski Area", "Mount Baker Ski Area"),
        ("First Amendment", "1st Amendment"),
        ("South East Asia", "Southeast Asia"),
        ("a member of the Senate", "member of the Senate"),
    ],
)
def test_spellings_of_one_name_are_the_same_whatever_else_is_known(one: str, other: str) -> None:
    assert said(one, other, Evidence()) == said(other, one, Evidence()) == "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Boeing 747", "Boeing 737"),
        ("Henry IV", "Henry V"),
        ("World War I", "World War II"),
        ("University of Miami", "Miami University"),
        ("election of 1968", "1968 election"),
        ("Pocahontas Mound A", "Pocahontas Mound B"),
        ("Betrayed (1917 film)", "Betrayed"),
        ("George A. Smith", "George B. Smith"),
        ("Paris, London, Rome", "Paris, London"),
        ("Andrew Johnson", "Andrew Johnston"),
        ("South Korea", "South Korean"),
        ("A Man of the Sea", "The Man of the Sea"),
    ],
)
def test_names_of_two_things_are_never_certain_however_near_their_vectors(one: str, other: str) -> None:
    assert said(one, other) in ("doubt", "other")


@pytest.mark.parametrize(("one", "other"), [("Boeing 747", "Boeing 737"), ("Henry IV", "Henry V")])
def test_where_numbers_differ_no_model_is_asked(one: str, other: str) -> None:
    assert said(one, other) == "other"


def test_a_slip_inside_a_word_is_near_only_beside_evidence() -> None:
    names = ("Murtala Mohammed Airport", "Murtala Muhammed Airport")
    assert (said(*names), said(*names, Evidence())) == ("near", "doubt")


def test_what_an_initial_stands_for_is_near_only_with_a_neighbour_in_common() -> None:
    names = ("Hyman B. Samuels", "Hyman Bernard Samuels")
    assert (said(*names), said(*names, Evidence(similarity=0.99))) == ("near", "doubt")


def test_kinds_that_do_not_go_together_keep_two_spellings_apart() -> None:
    assert likeness(Called("US Navy", "organization"), Called("United States Navy", "river"), CLOSE) == "other"


@given(st.text(max_size=30), st.text(max_size=30))
def test_the_order_of_two_names_plays_no_part(one: str, other: str) -> None:
    assert said(one, other) == said(other, one)


def test_one_that_is_near_to_two_goes_with_neither() -> None:
    assert certain([((1, 2), "near"), ((2, 3), "near"), ((4, 5), "same"), ((6, 7), "near")]) == [(4, 5), (6, 7)]


def test_all_that_pairs_tie_goes_into_the_one_mentioned_most() -> None:
    called = {n: CalledEntity(n, f"k{n}", "", "", "", mentions) for n, mentions in ((1, 2), (2, 9), (3, 9), (4, 1))}
    assert merges_of([(1, 2), (3, 4), (2, 4)], called) == [(1, 2), (3, 2), (4, 2)]


WORDS = st.sampled_from(
    ["Mt.", "US", "United", "States", "Navy", "Mohammed", "Muhammed", "B.", "Bernard", "Samuels", "Fort", "of"]
)
NAMES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join) | st.lists(WORDS, min_size=1, max_size=4).map("".join)


@given(NAMES, NAMES)
def test_no_pair_is_passed_over_that_evidence_could_make_one(one: str, other: str) -> None:
    assert worth_a_look(one, other) or said(one, other) not in ("same", "near")


def test_pairs_that_only_a_model_could_know_to_be_one_are_passed_over() -> None:
    assert not worth_a_look("Maria Lopez Ortega", "Mario Lopes Ortegas")
