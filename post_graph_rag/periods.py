"""When a relation holds: a pure function of what is asserted, of what takes its place, and of people's words.

Moments are integers, microseconds since 1970 in UTC, so that no calendar limits them; None is an open end.

Facts of which only one can hold at a time share a slot. Each live assertion says of its fact that it holds at certain
points; at any moment that fact has its turn in the slot whose point was the last before it. So later events win
whatever came to us first, a fact that is repeated does not end itself, one that comes back has its turn again, and what
has no point, since nobody says when, neither ends anything nor is ended.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal, NamedTuple

_FIRST = float("-inf")
_LAST = float("inf")

Cause = Literal["superseded", "denied", "verdict", "override"]
_FIRMNESS: tuple[Cause, ...] = ("override", "superseded", "denied", "verdict")


# Tuples, since a busy subject's facts are compared by thousands: hashed and compared without a step of Python.
class Span(NamedTuple):
    """Half-open span of time [start, end); None at either side is open."""

    start: int | None
    end: int | None


ALWAYS = Span(None, None)


class Closing(NamedTuple):
    """What ended a holding: the facts that had their turn next, or a person. reason: a person's, or who judged so."""

    cause: Cause
    facts: frozenset[int] = frozenset()
    reason: str = ""


class Holding(NamedTuple):
    """A span in which a relation holds.

    dated: False where no passage states a date, so that its bounds follow only from turns.
    closed_by: what cut its end short; None while nothing did. retracted: somebody says that it never held.
    """

    span: Span
    dated: bool
    closed_by: Closing | None = None
    retracted: bool = False


class Testimony(NamedTuple):
    """What live assertions say of when: the span they state (None: no date), and when their source was written."""

    span: Span | None
    event: int | None = None

    def points(self) -> frozenset[int]:
        """The moments at which it says that the fact holds: from the stated start on, and still when it was written."""
        found = set() if self.span is None or self.span.start is None else {self.span.start}
        if self.event is not None and (self.span is None or _covers(self.span, self.event)):
            found.add(self.event)
        return frozenset(found)


@dataclass(frozen=True, slots=True)
class Override:
    """A person's word. close: it ended at `at`, or never held where that is None; reopen: nothing ended it."""

    action: Literal["close", "reopen"]
    at: int | None = None
    reason: str = ""


class Turn(NamedTuple):
    """A span in which a fact had its turn in a slot, and the facts that had it next."""

    span: Span
    next: frozenset[int]


class Slot:
    """Whose turn it is when, from the points of facts (moment -> facts, which stand for themselves by a number).

    cause, reason: what is said of a fact whose turn ends.
    past: what ended by its own words before others had their turn is closed by them as well. A denial, in contrast,
        says nothing of a span that was over before.
    """

    def __init__(
        self, cause: Cause, points: Mapping[int, Collection[int]], reason: str = "", *, past: bool = True
    ) -> None:
        self._cause = cause
        self._reason = reason
        self._past = past
        self._points = points
        self._moments = sorted(points)

    def turns(self, fact: int, points: Sequence[int]) -> list[Turn]:
        """The spans in which it is the turn of a fact that has these points, in order, in the slot."""
        turns: list[Turn] = []
        for point in points:
            place = bisect_left(self._moments, point)
            # Before the first point of a slot nothing is known to have held, so its facts may have begun at any time.
            start = point if place else None
            if turns and turns[-1].span.end == start:
                start = turns.pop().span.start
            turns.append(self._turn(fact, start, place + 1))
        return turns

    def _turn(self, fact: int, start: int | None, next: int) -> Turn:
        if next == len(self._moments):
            return Turn(Span(start, None), frozenset())
        end = self._moments[next]
        return Turn(Span(start, end), frozenset(self._points[end]) - {fact})

    def closing(self, turn: Turn, held: Span) -> Closing | None:
        """What closes the part of a holding that lies in a turn, if anything does."""
        if turn.next and (self._past or end_of(turn.span) < end_of(held)):
            return Closing(self._cause, turn.next, self._reason)
        return None


def holdings(
    fact: int, testimonies: Iterable[Testimony], slots: Iterable[Slot] = (), override: Override | None = None
) -> frozenset[Holding]:
    """The spans in which a fact holds, from its live testimonies, the slots it is in, and a person's word.

    Stated spans that overlap or touch become one, disjoint ones stay apart, and testimonies without dates are a holding
    of their own; then each is cut to the fact's turns. No order of any of the arguments matters.
    """
    said = list(testimonies)
    stated = [testimony.span for testimony in said]
    points = sorted({point for testimony in said for point in testimony.points()})
    held = [Holding(span, True) for span in union(span for span in stated if span is not None)]
    held += [Holding(ALWAYS, False)] if None in stated else []
    if points and (override is None or override.action == "close"):
        turns = [(slot, slot.turns(fact, points)) for slot in slots]
        held = [part for holding in held for part in _parts(holding, turns)]
    return frozenset(held if override is None else _closed(held, override))


def _parts(holding: Holding, slots: Iterable[tuple[Slot, Sequence[Turn]]]) -> list[Holding]:
    """The parts of a holding in which the fact has its turn in every slot."""
    parts: list[tuple[Span, tuple[tuple[float, Closing], ...]]] = [(holding.span, ())]
    for slot, turns in slots:
        parts = [
            (span, (*ends, (end_of(turn.span), closing)) if closing else ends)
            for part, ends in parts
            for turn in turns
            if (span := intersection(part, turn.span)) is not None
            for closing in [slot.closing(turn, holding.span)]
        ]
    return [Holding(span, holding.dated, _first(ends)) for span, ends in parts]


def _first(ends: Sequence[tuple[float, Closing]]) -> Closing | None:
    """What ended first; of what ended at one moment the firmest cause is told, and all facts."""
    if len(ends) < 2:
        return ends[0][1] if ends else None
    earliest = min(ends, key=itemgetter(0))[0]
    first = [closing for end, closing in ends if end == earliest]
    told = min(first, key=lambda closing: (_FIRMNESS.index(closing.cause), closing.reason))
    return told._replace(facts=frozenset().union(*(closing.facts for closing in first)))


def _closed(held: Sequence[Holding], override: Override) -> list[Holding]:
    if override.action == "reopen":
        return list(held)
    word = Closing("override", reason=override.reason)
    if override.at is not None and (kept := [part for holding in held for part in _until(holding, override.at, word)]):
        return kept
    return [holding._replace(closed_by=word, retracted=True) for holding in held]


def _until(holding: Holding, end: int, word: Closing) -> list[Holding]:
    """The part of a holding before a moment, if any."""
    span = intersection(holding.span, Span(None, end))
    if span is None:
        return []
    return [holding._replace(span=span, closed_by=word if span.end == end else holding.closed_by)]


def union(spans: Iterable[Span]) -> list[Span]:
    """The same moments in as few spans as can be, in order."""
    merged: list[Span] = []
    for span in sorted(set(spans), key=start_of):
        if merged and start_of(span) <= end_of(merged[-1]):
            last = merged.pop()
            span = Span(last.start, max(last, span, key=end_of).end)
        merged.append(span)
    return merged


def intersection(one: Span, other: Span) -> Span | None:
    """The moments of both; None if there are none."""
    span = Span(max(one, other, key=start_of).start, min(one, other, key=end_of).end)
    return span if start_of(span) < end_of(span) else None


def start_of(span: Span) -> float:
    """The start as a number, also where it is open."""
    return _FIRST if span.start is None else span.start


def end_of(span: Span) -> float:
    """The end as a number, also where it is open."""
    return _LAST if span.end is None else span.end


def _covers(span: Span, moment: int) -> bool:
    return start_of(span) <= moment < end_of(span)
