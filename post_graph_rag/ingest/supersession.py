"""Relations brought up to date: what changed, and those whose turn began or ended with it.

A point that comes into a slot or goes from it changes whose turn it is only from there to the next point; so besides
the changed relations only their neighbours in a slot are read, however many relations share it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal

from post_graph_rag.ingest.groups import Settled, differences
from post_graph_rag.periods import Slot, holdings
from post_graph_rag.store import write
from post_graph_rag.store.database import Session
from post_graph_rag.store.write import Group

Points = dict[int, set[int]]
Triple = tuple[int, str, int]
_VERDICT = "verdict:"


async def settle_relations(
    session: Session,
    stamp: datetime,
    passages: Iterable[int] = (),
    moved: Iterable[int] = (),
    relations: Iterable[int] = (),
    *,
    renewed: Collection[int] = (),
) -> dict[int, Settled]:
    """Write what follows for relations, under the realm's write lock; returns all that were looked at, by id.

    passages: whose structure changed; moved: entities that were merged or taken apart; relations: further ones.
    renewed: relations whose slots may be others than before.
    """
    evidence: Literal["every", "new"] = "every" if renewed else "new"
    found = await write.fetch_groups(session, passages, moved, {*relations, *renewed}, evidence=evidence)
    contest = _Contest([group for group in found if group.relation is not None or group.said])
    contest.take(await write.fetch_slots(session, contest.slots))
    if neighbours := contest.neighbours():
        contest.add(await write.fetch_groups(session, relations=neighbours, evidence="none"))
        contest.take(await write.fetch_slots(session, contest.slots.keys() - contest.points.keys()))
    settled = contest.settled()
    ids = await write.apply_groups(session, differences(settled, renewed), stamp)
    return {ids[n]: one for n, one in enumerate(settled)}


def slots_of(group: Group) -> tuple[str, ...]:
    """The slots a relation is in, by its rules and by verdicts on it."""
    if not (group.rules or group.verdicts):
        return ()
    holders = {"subject": f"{group.subject}", "object": f"{group.object}", "pair": f"{group.subject}>{group.object}"}
    ruled = [f"{rule.per}:{holders[rule.per]}:{rule.exclusive}" for rule in group.rules]
    return tuple(sorted({*ruled, *_judges(group)}))


def _judges(group: Group) -> dict[str, str]:
    """The slots a relation is in by verdicts, and the model behind each."""
    return {f"{_VERDICT}{one}:{other}": model for one, other, model in group.verdicts}


def points_of(group: Group) -> frozenset[int]:
    """The moments at which some live assertion says that the relation holds."""
    return frozenset(point for testimony in group.said for point in testimony.points())


class _Contest:
    """Relations that are looked at, the slots they are in, and the points of these as they are from now on.

    A relation that has no id yet stands in them by -1 - its place.
    """

    def __init__(self, groups: list[Group]) -> None:
        self.groups: list[Group] = []
        self.slots: dict[str, list[int]] = {}
        self.points: dict[str, Points] = {}
        self._moved: dict[str, set[int]] = {}
        self._places: dict[Triple, dict[bool, int]] = {}
        self.add(groups)
        self._changed = frozenset(map(self._number, range(len(groups))))

    def add(self, groups: Iterable[Group]) -> None:
        """Look at these too."""
        for group in groups:
            twins = self._places.setdefault((group.subject, group.predicate, group.object), {})
            if group.negated not in twins:
                twins[group.negated] = len(self.groups)
                for slot in slots_of(group):
                    self.slots.setdefault(slot, []).append(len(self.groups))
                self.groups.append(group)

    def _number(self, n: int) -> int:
        relation = self.groups[n].relation
        return -1 - n if relation is None else relation

    def take(self, fetched: Mapping[str, Sequence[tuple[int, int]]]) -> None:
        """Take in the points of slots as they are written down, and put those of changed relations in their place."""
        for slot in self.slots.keys() - self.points.keys():
            left: Points = {}
            before: set[tuple[int, int]] = set()
            for moment, relation in fetched.get(slot, ()):
                if relation in self._changed:
                    before.add((moment, relation))
                else:
                    left.setdefault(moment, set()).add(relation)
            after = self._changed_points(slot)
            for moment, number in after:
                left.setdefault(moment, set()).add(number)
            self.points[slot] = left
            self._moved[slot] = {moment for moment, _ in before ^ after}

    def _changed_points(self, slot: str) -> set[tuple[int, int]]:
        return {
            (point, number)
            for n in self.slots[slot]
            if (number := self._number(n)) in self._changed
            for point in points_of(self.groups[n])
        }

    def neighbours(self) -> frozenset[int]:
        """Relations that are not among the changed ones, but whose turn may have begun or ended."""
        found: set[int] = set()
        for slot, points in self.points.items():
            if moved := self._moved[slot]:
                moments = sorted(points)
                found.update(*(points[near] for moment in moved for near in _near(moments, moment)))
        return frozenset(found) - self._changed

    def settled(self) -> list[Settled]:
        """When each relation holds."""
        judges = {slot: model for group in self.groups for slot, model in _judges(group).items()}
        slots = {
            name: Slot("verdict" if name in judges else "superseded", points, judges.get(name, ""))
            for name, points in self.points.items()
        }
        return [self._settle(n, slots) for n in range(len(self.groups))]

    def _settle(self, n: int, slots: Mapping[str, Slot]) -> Settled:
        group, names = self.groups[n], slots_of(self.groups[n])
        others = [slots[name] for name in names]
        twins = self._places[group.subject, group.predicate, group.object]
        if len(twins) > 1:
            others.append(self._denial(twins.values(), group.negated))
        held = holdings(self._number(n), group.said, others, group.word)
        return Settled(group, self._number(n), names, held)

    def _denial(self, twins: Iterable[int], negated: bool) -> Slot:
        """A fact and its denial take turns as well."""
        points: Points = {}
        for n in twins:
            for point in points_of(self.groups[n]):
                points.setdefault(point, set()).add(self._number(n))
        return Slot("superseded" if negated else "denied", points, past=False)


def _near(moments: Sequence[int], moment: int) -> list[int]:
    """The moment before this one, itself, and the one after it, as far as they are there."""
    first, last = bisect_left(moments, moment), bisect_right(moments, moment)
    return [*moments[max(first - 1, 0) : last + 1]]
