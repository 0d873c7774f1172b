"""What a relation is called, and the difference between what is written of relations and what should be."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from post_graph_rag.names import predicate_words
from post_graph_rag.periods import Holding
from post_graph_rag.store.write import Group, GroupChanges


@dataclass(frozen=True, slots=True)
class Settled:
    """A relation and the spans in which it holds; slots: names of those in which others take turns with it."""

    group: Group
    number: int
    slots: tuple[str, ...]
    held: frozenset[Holding]

    @property
    def current(self) -> bool:
        """Whether nothing has superseded it."""
        return any(holding.closed_by is None for holding in self.held)

    @property
    def reworded(self) -> bool:
        """Whether it is found by other words than before, if it was there."""
        return self.group.relation is None or fact_of(self.group) != self.group.fact

    @property
    def changed(self) -> bool:
        """Whether anything of it is shown differently from now on."""
        return self.reworded or self.held != self.group.periods.keys()


def differences(settled: Sequence[Settled], renewed: Collection[int] = ()) -> GroupChanges:
    """The rows to write and to end so that each relation is what its live assertions make it.

    renewed: relations whose points are written anew, since their slots may be others than before.
    """
    every = list(enumerate(settled))
    return GroupChanges(
        relations=[_row(n, one) for n, one in every],
        periods=[_period(n, holding) for n, one in every for holding in sorted(_new(one), key=repr)],
        evidence=[
            {"n": n, "assertion": carrier.id, "passage": carrier.passage}
            for n, one in every
            for carrier in one.group.carried
            if carrier.new
        ],
        points=[row for n, one in every for row in _points(n, one, one.group.relation in renewed)],
        ended_periods=[id for one in settled for holding, id in one.group.periods.items() if holding not in one.held],
        ended_evidence=[
            (one.group.relation, assertion)
            for one in settled
            if one.group.relation is not None
            for assertion in sorted(one.group.gone)
        ],
        renewed=sorted(renewed),
    )


def _row(n: int, one: Settled) -> dict[str, Any]:
    names = ("relation", "space", "subject", "predicate", "object", "negated")
    row = {name: getattr(one.group, name) for name in names}
    return {**row, "n": n, "fact": fact_of(one.group), "current": one.current, **_alone(one)}


def _alone(one: Settled) -> dict[str, Any]:
    """The only period of a relation, which spares questions about a time the look-up of periods."""
    holding = next(iter(one.held)) if len(one.held) == 1 else None
    if holding is None or holding.retracted:
        return {}
    span = holding.span
    return {"alone": True, "period": one.group.periods.get(holding), "starts": span.start, "ends": span.end}


def _new(one: Settled) -> frozenset[Holding]:
    return one.held - one.group.periods.keys()


def _period(n: int, holding: Holding) -> dict[str, Any]:
    closing, span = holding.closed_by, holding.span
    row = {"n": n, "dated": holding.dated, "starts": span.start, "ends": span.end, "retracted": holding.retracted}
    if closing is None:
        return row
    return {**row, "cause": closing.cause, "closers": sorted(closing.facts), "reason": closing.reason}


def _points(n: int, one: Settled, renewed: bool) -> Iterator[dict[str, Any]]:
    for carrier in one.group.carried:
        if carrier.new or renewed:
            for slot in one.slots:
                for at in sorted(carrier.testimony.points()):
                    yield {"n": n, "slot": slot, "at": at, "assertion": carrier.id}


def fact_of(group: Group) -> str:
    """The best wording: of the most confident assertion, then the fullest; without any, the one it had."""
    return group.fact or "" if group.best is None else group.best


@dataclass(frozen=True, slots=True)
class Triple:
    """A relation in words."""

    subject: str
    predicate: str
    object: str
    negated: bool

    @property
    def text(self) -> str:
        """What the relation's vector is made from: "Acme acquired Birch", with "not" before a denied predicate."""
        denial = "not " if self.negated else ""
        return f"{self.subject} {denial}{predicate_words(self.predicate)} {self.object}"


def triple_of(group: Group) -> Triple:
    """The group's relation in the names its entities have at this moment."""
    return Triple(group.subject_name, group.predicate, group.object_name, group.negated)


def words_of(group: Group) -> str:
    """What the relation is found by: its best wording and the keys of its entities, which no order of arrival sways."""
    return f"{group.subject_key} {predicate_words(group.predicate)} {group.object_key} {fact_of(group)}"
