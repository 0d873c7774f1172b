"""When a relation holds: a pure function of what is asserted of it.

Moments are integers, microseconds since 1970 in UTC, so that no calendar limits them; None is an open end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_FIRST = float("-inf")
_LAST = float("inf")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open span of time [start, end); None at either side is open."""

    start: int | None
    end: int | None


ALWAYS = Span(None, None)


@dataclass(frozen=True, slots=True)
class Holding:
    """A span in which a relation holds; dated is False where no passage states a date, so it matches any moment."""

    span: Span
    dated: bool


def holdings(stated: Iterable[Span | None]) -> frozenset[Holding]:
    """The spans in which a relation holds, from the span each of its live assertions states (None: no date stated).

    Spans that overlap or touch become one, disjoint ones stay apart, and an assertion without dates is a holding of
    its own. The order of the assertions does not matter.
    """
    every = list(stated)
    dated = [Holding(span, True) for span in _union(span for span in every if span is not None)]
    undated = [Holding(ALWAYS, False)] if None in every else []
    return frozenset(dated + undated)


def _union(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(set(spans), key=_start):
        if merged and _start(span) <= _end(merged[-1]):
            last = merged.pop()
            span = Span(last.start, max(last, span, key=_end).end)
        merged.append(span)
    return merged


def _start(span: Span) -> float:
    return _FIRST if span.start is None else span.start


def _end(span: Span) -> float:
    return _LAST if span.end is None else span.end
