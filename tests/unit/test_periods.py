"""When a relation holds, from the spans its assertions state."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.periods import ALWAYS, Holding, Span, holdings

MOMENTS = st.integers(-20, 20)


@st.composite
def spans(draw: st.DrawFn) -> Span:
    start, length = draw(st.none() | MOMENTS), draw(st.integers(1, 9))
    end = draw(st.none() | MOMENTS) if start is None else draw(st.sampled_from([None, start + length]))
    return Span(start, end)


STATED = st.lists(st.none() | spans(), max_size=8)


def covers(span: Span, moment: int) -> bool:
    return (span.start is None or span.start <= moment) and (span.end is None or moment < span.end)


def test_nothing_asserted_is_nothing_held() -> None:
    assert holdings([]) == frozenset()


def test_an_assertion_without_a_date_holds_undated() -> None:
    assert holdings([None, None]) == {Holding(ALWAYS, False)}


def test_an_open_span_that_is_stated_is_not_an_undated_one() -> None:
    assert holdings([None, ALWAYS]) == {Holding(ALWAYS, False), Holding(ALWAYS, True)}


def test_spans_that_touch_become_one_and_disjoint_ones_stay_apart() -> None:
    found = holdings([Span(1, 3), Span(3, 5), Span(7, None), Span(None, 0)])
    assert found == {Holding(Span(1, 5), True), Holding(Span(7, None), True), Holding(Span(None, 0), True)}


@given(STATED, st.randoms())
def test_the_order_of_assertions_does_not_matter(stated: list[Span | None], chance: random.Random) -> None:
    assert holdings(stated) == holdings(chance.sample(stated, len(stated)))


@given(STATED)
def test_the_same_moments_are_covered_as_the_assertions_cover(stated: list[Span | None]) -> None:
    found = [holding.span for holding in holdings(stated) if holding.dated]
    for moment in range(-40, 40):
        stands = any(span is not None and covers(span, moment) for span in stated)
        assert sum(covers(span, moment) for span in found) == stands


@given(STATED)
def test_holdings_of_holdings_are_the_same(stated: list[Span | None]) -> None:
    found = holdings(stated)
    assert holdings(holding.span if holding.dated else None for holding in found) == found
