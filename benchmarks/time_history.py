"""When each relation of a drawn graph holds, and how that changed while its documents arrived.

By the library's own function of what is asserted, so that loaded rows are those which indexing would have written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby

from benchmarks.time_graph import PASSAGES, Fact, Graph
from benchmarks.time_words import LED
from post_graph_rag.moments import Moment
from post_graph_rag.names import predicate_key
from post_graph_rag.periods import Holding, Slot, Span, Testimony, holdings

SLOT = "subject:{}:" + predicate_key(LED)


@dataclass(frozen=True, slots=True)
class PeriodRow:
    """A holding of a relation, by its number, and the numbers of the arrivals between which it was believed."""

    relation: int
    holding: Holding
    came: int
    went: int | None


@dataclass(slots=True)
class _Contest:
    """Relations that take turns, with what was said of each so far and the periods that are believed."""

    ruled: bool
    said: dict[int, set[Testimony]] = field(default_factory=dict)
    open: dict[tuple[int, Holding], int] = field(default_factory=dict)

    def held(self) -> set[tuple[int, Holding]]:
        slots = [Slot("superseded", self._points())] if self.ruled else []
        return {(id, one) for id, said in self.said.items() for one in holdings(id, said, slots)}

    def _points(self) -> dict[int, set[int]]:
        points: dict[int, set[int]] = {}
        for relation, said in self.said.items():
            for testimony in said:
                for point in testimony.points():
                    points.setdefault(point, set()).add(relation)
        return points


def period_rows(graph: Graph, arrivals: int) -> Iterator[PeriodRow]:
    """All periods that were ever believed; documents come in this many arrivals, one after the other."""
    for (_, ruled), facts in _contests(graph.facts).items():
        yield from _replayed(graph, _Contest(ruled), facts, arrivals)


def arrival(graph: Graph, passage: int, arrivals: int) -> int:
    """With which of the arrivals a passage comes."""
    return graph.document(passage) * arrivals // len(graph.days)


def testimony(graph: Graph, fact: Fact) -> Testimony:
    """What a fact says of when it holds."""
    return Testimony(span(*fact.stated), moment(str(graph.days[fact.passage // PASSAGES])).start)


def span(start: str | None, end: str | None) -> Span | None:
    """The span between two stated dates, the end inclusive; None where none is stated."""
    if start is None and end is None:
        return None
    return Span(moment(start).start if start else None, moment(end).end if end else None)


@lru_cache(maxsize=1 << 16)
def moment(text: str) -> Moment:
    """A date, read once."""
    return Moment.parse(text)


def _contests(facts: Iterable[Fact]) -> dict[tuple[int, bool], list[Fact]]:
    """Facts of relations that take turns, and of each other relation alone; keyed by subject or relation."""
    made: dict[tuple[int, bool], list[Fact]] = {}
    for fact in facts:
        ruled = fact.predicate == LED
        made.setdefault((fact.subject if ruled else fact.relation, ruled), []).append(fact)
    return made


def _replayed(graph: Graph, contest: _Contest, facts: list[Fact], arrivals: int) -> Iterator[PeriodRow]:
    for number, arrived in groupby(facts, key=lambda fact: arrival(graph, fact.passage, arrivals)):
        for fact in arrived:
            # Closings name relations by their ids, which begin at 1.
            contest.said.setdefault(fact.relation + 1, set()).add(testimony(graph, fact))
        held = contest.held()
        for gone in contest.open.keys() - held:
            yield PeriodRow(gone[0] - 1, gone[1], contest.open.pop(gone), number)
        for one in held:
            contest.open.setdefault(one, number)
    for (relation, holding), number in contest.open.items():
        yield PeriodRow(relation - 1, holding, number, None)
