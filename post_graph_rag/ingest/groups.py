"""What a change makes of the relations it touches: the difference between what is written and what should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from post_graph_rag.names import predicate_words
from post_graph_rag.periods import holdings
from post_graph_rag.store.write import Group, GroupChanges, Stated


def differences(groups: Sequence[Group]) -> GroupChanges:
    """The rows to write and to end so that each relation is what its live assertions make it."""
    relations: list[dict[str, Any]] = []
    periods: list[dict[str, Any]] = []
    evidence: list[dict[str, Any]] = []
    ended_periods: list[int] = []
    ended_evidence: list[tuple[int, int]] = []
    for n, group in enumerate(groups):
        wanted = holdings(stated.span for stated in group.assertions)
        relations.append(_row(n, group, bool(wanted)))
        for holding in sorted(wanted - group.periods.keys(), key=repr):
            span = holding.span
            periods.append({"n": n, "dated": holding.dated, "starts": span.start, "ends": span.end})
        ended_periods += [id for holding, id in group.periods.items() if holding not in wanted]
        evidence += [
            {"n": n, "assertion": stated.id, "passage": stated.passage}
            for stated in group.assertions
            if stated.id not in group.evidence
        ]
        gone = group.evidence - {stated.id for stated in group.assertions}
        if group.relation is not None:
            ended_evidence += [(group.relation, assertion) for assertion in sorted(gone)]
    return GroupChanges(relations, periods, evidence, ended_periods, ended_evidence)


def _row(n: int, group: Group, current: bool) -> dict[str, Any]:
    names = ("relation", "space", "subject", "predicate", "object", "negated")
    row = {name: getattr(group, name) for name in names}
    return {**row, "n": n, "fact": fact_of(group), "current": current}


def fact_of(group: Group) -> str:
    """The best wording: of the most confident assertion, then the fullest; without any, the one it had."""
    if not group.assertions:
        return group.fact or ""
    return max(group.assertions, key=_worth).fact


def _worth(stated: Stated) -> tuple[float, int, str]:
    return (stated.confidence, min(len(stated.fact), 300), stated.fact)


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
