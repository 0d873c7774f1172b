"""When a relation holds, from what its assertions say, from what takes its place, and from people's words."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.periods import (
    ALWAYS,
    Closing,
    Holding,
    Override,
    Slot,
    Span,
    holdings,
)
from post_graph_rag.periods import (
    Testimony as Said,
)

MOMENTS = st.integers(-20, 20)


@st.composite
def spans(draw: st.DrawFn) -> Span:
    start, length = draw(st.none() | MOMENTS), draw(st.integers(1, 9))
    end = draw(st.none() | MOMENTS) if start is None else draw(st.sampled_from([None, start + length]))
    return Span(start, end)


STATED = st.lists(st.none() | spans(), max_size=8)


def stating(*spans: Span | None) -> list[Said]:
    return [Said(span) for span in spans]


def covers(span: Span, moment: int) -> bool:
    return (span.start is None or span.start <= moment) and (span.end is None or moment < span.end)


def test_nothing_asserted_is_nothing_held() -> None:
    assert holdings(1, []) == frozenset()


def test_an_assertion_without_a_date_holds_undated() -> None:
    assert holdings(1, stating(None, None)) == {Holding(ALWAYS, False)}


def test_an_open_span_that_is_stated_is_not_an_undated_one() -> None:
    assert holdings(1, stating(None, ALWAYS)) == {Holding(ALWAYS, False), Holding(ALWAYS, True)}


def test_spans_that_touch_become_one_and_disjoint_ones_stay_apart() -> None:
    found = holdings(1, stating(Span(1, 3), Span(3, 5), Span(7, None), Span(None, 0)))
    assert found == {Holding(Span(1, 5), True), Holding(Span(7, None), True), Holding(Span(None, 0), True)}


@given(STATED, st.randoms())
def test_the_order_of_assertions_does_not_matter(stated: list[Span | None], chance: random.Random) -> None:
    assert holdings(1, stating(*stated)) == holdings(1, stating(*chance.sample(stated, len(stated))))


@given(STATED)
def test_the_same_moments_are_covered_as_the_assertions_cover(stated: list[Span | None]) -> None:
    found = [holding.span for holding in holdings(1, stating(*stated)) if holding.dated]
    for moment in range(-40, 40):
        stands = any(span is not None and covers(span, moment) for span in stated)
        assert sum(covers(span, moment) for span in found) == stands


@given(STATED)
def test_holdings_of_holdings_are_the_same(stated: list[Span | None]) -> None:
    found = holdings(1, stating(*stated))
    assert holdings(1, stating(*(holding.span if holding.dated else None for holding in found))) == found


# ---------------------------------------------------------------- turns


def slot(*said: tuple[int, list[Said]]) -> Slot:
    """The slot that facts share, from what is said of each."""
    points: dict[int, set[int]] = {}
    for fact, testimonies in said:
        for point in (point for testimony in testimonies for point in testimony.points()):
            points.setdefault(point, set()).add(fact)
    return Slot("superseded", points)


def held(*said: tuple[int, list[Said]]) -> dict[int, frozenset[Holding]]:
    shared = slot(*said)
    return {fact: holdings(fact, testimonies, [shared]) for fact, testimonies in said}


def written(*events: int) -> list[Said]:
    """Sources of these moments say it without a date."""
    return [Said(None, event) for event in events]


def by(*facts: int) -> Closing:
    return Closing("superseded", frozenset(facts))


def test_what_is_said_later_closes_what_was_said_before() -> None:
    assert held((1, written(10)), (2, written(20))) == {
        1: {Holding(Span(None, 20), False, by(2))},
        2: {Holding(Span(20, None), False)},
    }


def test_a_fact_that_comes_back_is_open_again_and_alone() -> None:
    assert held((1, written(10, 30)), (2, written(20))) == {
        1: {Holding(Span(None, 20), False, by(2)), Holding(Span(30, None), False)},
        2: {Holding(Span(20, 30), False, by(1))},
    }


def test_a_fact_that_is_repeated_does_not_close_itself() -> None:
    assert held((1, written(10, 20, 30))) == {1: {Holding(ALWAYS, False)}}


def test_what_nobody_dates_closes_nothing_and_is_not_closed() -> None:
    assert held((1, written(10)), (2, [Said(None)])) == {1: {Holding(ALWAYS, False)}, 2: {Holding(ALWAYS, False)}}


def test_two_facts_of_one_moment_both_hold() -> None:
    assert held((1, written(10)), (2, written(10)), (3, written(5))) == {
        1: {Holding(Span(10, None), False)},
        2: {Holding(Span(10, None), False)},
        3: {Holding(Span(None, 10), False, by(1, 2))},
    }


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_what_ends_at_one_moment_in_several_slots_names_all_that_took_its_place(order: tuple[int, ...]) -> None:
    slots = [
        Slot("superseded", {10: {1}, 20: {2}}),
        Slot("verdict", {10: {1}, 20: {3}}, "a model"),
        Slot("verdict", {10: {1}, 30: {4}}, "a model"),
    ]
    found = holdings(1, written(10), [slots[n] for n in order])
    assert found == {Holding(Span(None, 20), False, Closing("superseded", frozenset((2, 3))))}


def test_a_closing_tells_the_slots_reason() -> None:
    found = holdings(1, written(10), [Slot("verdict", {10: {1}, 20: {2}}, "a model")])
    assert found == {Holding(Span(None, 20), False, Closing("verdict", frozenset((2,)), "a model"))}


def test_a_stated_start_counts_and_not_when_it_was_written() -> None:
    late_archive = [Said(Span(5, 8), 90)]
    assert held((1, written(10)), (2, late_archive)) == {
        1: {Holding(Span(10, None), False)},
        2: {Holding(Span(5, 8), True, by(1))},
    }


def test_an_open_span_is_said_to_hold_still_when_it_was_written() -> None:
    since_long = [Said(Span(5, None), 30)]
    assert held((1, since_long), (2, written(20))) == {
        1: {Holding(Span(5, 20), True, by(2)), Holding(Span(30, None), True)},
        2: {Holding(Span(20, 30), False, by(1))},
    }


def test_what_ended_by_its_own_words_is_past_once_another_had_its_turn() -> None:
    ended = [Said(Span(1, 4))]
    assert held((1, ended), (2, written(9)))[1] == {Holding(Span(1, 4), True, by(2))}
    assert held((1, ended))[1] == {Holding(Span(1, 4), True)}


def test_a_denial_says_nothing_of_a_span_that_was_over_before() -> None:
    denial = Slot("denied", {1: {1}, 9: {2}}, past=False)
    assert holdings(1, [Said(Span(1, 4))], [denial]) == {Holding(Span(1, 4), True)}
    closing = Closing("denied", frozenset({2}))
    assert holdings(1, [Said(Span(1, None))], [denial]) == {Holding(Span(1, 9), True, closing)}


def test_a_word_that_a_fact_ended_cuts_it_whatever_is_said() -> None:
    word = Override("close", 15, "she left")
    closing = Closing("override", reason="she left")
    assert holdings(1, written(10, 30), [slot((1, written(10, 30)))], word) == {Holding(Span(None, 15), False, closing)}


def test_a_word_that_a_fact_never_held_retracts_it() -> None:
    closing = Closing("override", reason="a hoax")
    found = holdings(1, [Said(Span(1, 4))], (), Override("close", None, "a hoax"))
    assert found == {Holding(Span(1, 4), True, closing, retracted=True)}


def test_a_word_that_reopens_lets_nothing_close_the_fact() -> None:
    shared = slot((1, written(10)), (2, written(20)))
    assert holdings(1, written(10), [shared], Override("reopen")) == {Holding(ALWAYS, False)}


TESTIMONIES = st.builds(Said, st.none() | spans(), st.none() | MOMENTS)
SAID = st.dictionaries(st.integers(0, 3), st.lists(TESTIMONIES, min_size=1, max_size=4), min_size=1)


@given(SAID, st.randoms())
def test_no_order_of_arrival_changes_what_holds(said: dict[int, list[Said]], chance: random.Random) -> None:
    facts = chance.sample(list(said), len(said))
    mixed = [(fact, chance.sample(said[fact], len(said[fact]))) for fact in facts]
    assert held(*mixed) == held(*said.items())


@given(SAID)
def test_at_each_moment_a_fact_holds_that_was_said_last(said: dict[int, list[Said]]) -> None:
    found = held(*said.items())
    points = {fact: sorted({p for t in told for p in t.points()}) for fact, told in said.items()}
    every = sorted({point for one in points.values() for point in one})
    for moment in range(-25, 35):
        last = max((point for point in every if point <= moment), default=every[0] if every else None)
        for fact, told in said.items():
            stated = any(t.span is None or covers(t.span, moment) for t in told)
            turn = not points[fact] or last in points[fact]
            assert any(covers(one.span, moment) for one in found[fact]) == (stated and turn)


@given(SAID)
def test_every_holding_that_is_closed_names_those_that_had_their_turn_next(said: dict[int, list[Said]]) -> None:
    points = {fact: {p for t in told for p in t.points()} for fact, told in said.items()}
    for fact, found in held(*said.items()).items():
        for one in found:
            if one.closed_by is not None:
                moments = {point for other in said for point in points[other]} - points[fact]
                after = min(moment for moment in moments if one.span.end is None or moment >= one.span.end)
                assert one.closed_by.facts == {other for other in said if after in points[other]} - {fact}


@given(SAID)
def test_a_fact_that_somebody_dates_never_vanishes(said: dict[int, list[Said]]) -> None:
    assert all(held(*said.items()).values())
