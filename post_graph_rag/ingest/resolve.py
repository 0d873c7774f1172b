"""Which entities are one: exact keys are one by construction, aliases by the rules here, as pure functions.

A claim says that live passages call `target` also by the key of `source`. The two become one when all others that
claim that key are one with `target` too, and the two are by most accounts of a kind. Which entities are one then
follows from the claims alone: neither the order in which they came nor that in which they are looked at plays a part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from post_graph_rag.kinds import coarse_type, types_compatible
from post_graph_rag.store.write import Claim, Member

Named = Mapping[int, Sequence[Claim]]
"""The claims on each entity's key."""


def alias_merges(claims: Iterable[Claim]) -> dict[int, int]:
    """The merges, source -> target, that follow from all live claims on some keys; they never go in a circle.

    A key that two claim which are not one binds nobody. An entity goes with the least key among those that claim its
    own; of a circle, all go towards the least key.
    """
    named: dict[int, list[Claim]] = {}
    for claim in sorted(claims, key=attrgetter("source", "target_key")):
        named.setdefault(claim.source, []).append(claim)
    merges: dict[int, int] = {}
    for ties in _ties(named):
        merges |= _towards_one(ties)
    return merges


class _Classes:
    """Entities that are one, each under one of them."""

    def __init__(self) -> None:
        self._under: dict[int, int] = {}

    def of(self, entity: int) -> int:
        while (above := self._under.get(entity, entity)) != entity:
            entity = above
        return entity

    def join(self, source: int, claim: Claim) -> None:
        self._under[self.of(source)] = self.of(claim.stands)


def _ties(named: Named) -> Iterable[Named]:
    """The claims that hold between entities which are one in the end, of each such class."""
    one = _Classes()
    while sum(_join(one, source, claims) for source, claims in named.items()):
        pass
    found: dict[int, dict[int, Sequence[Claim]]] = {}
    for source, claims in named.items():
        if held := [claim for claim in claims if one.of(claim.stands) == one.of(source) and _one_thing(claim)]:
            found.setdefault(one.of(source), {})[source] = held
    return found.values()


def _join(one: _Classes, source: int, claims: Sequence[Claim]) -> bool:
    """Join the source with those that claim its key if these are one, and of its kind; what is joined stays so."""
    others = [claim for claim in claims if one.of(claim.stands) != one.of(source)]
    fitting = next(filter(_one_thing, others), None)
    if fitting is None or len({one.of(claim.stands) for claim in others}) > 1:
        return False
    one.join(source, fitting)
    return True


def _one_thing(claim: Claim) -> bool:
    return types_compatible(_kind(claim.source_types), _kind(claim.target_types))


def _kind(types: Iterable[str]) -> str:
    """The kind that most say; one who errs does not count."""
    counted = Counter(kind for type_ in types if (kind := coarse_type(type_)))
    return max(counted, key=lambda kind: (counted[kind], kind)) if counted else ""


def _towards_one(ties: Named) -> dict[int, int]:
    """Merges that bring all of a class together.

    What is merged into what depends on an entity's own circle of claims only, so that it is the same whether the
    claims of all others are given too or not.
    """
    every = ties.keys() | {claim.stands for claims in ties.values() for claim in claims}
    reached = {entity: _reached(entity, ties) for entity in every}
    keys = {claim.stands: claim.target_key for claims in ties.values() for claim in claims}
    ends: set[int] = min(reached.values(), key=len)
    last = min(ends, key=lambda entity: keys.get(entity, ""))
    merges = {}
    for source, claims in ties.items():
        if out := [claim.target for claim in claims if source not in reached[claim.stands]]:
            merges[source] = out[0]
    settled = (every - ties.keys()) | merges.keys() | {last}
    while layer := _next_to(settled, ties):
        merges |= layer
        settled |= layer.keys()
    return merges


def _reached(entity: int, ties: Named) -> set[int]:
    """Those that claims lead to from here, this one included."""
    found, todo = {entity}, [entity]
    while todo:
        new = {claim.stands for claim in ties.get(todo.pop(), ())} - found
        found |= new
        todo += new
    return found


def _next_to(settled: set[int], ties: Named) -> dict[int, int]:
    """Merges of those that are in a circle, into a neighbour that has its own or needs none."""
    return {
        source: near[0]
        for source, claims in ties.items()
        if source not in settled and (near := [claim.target for claim in claims if claim.stands in settled])
    }


def canonical(members: Sequence[Member]) -> dict[int, int]:
    """For whom each entity of a component stands: the end of its chain of merges, or the least key of a circle."""
    by_id = {member.id: member for member in members}
    return {member.id: _end(member, by_id) for member in members}


def _end(member: Member, by_id: Mapping[int, Member]) -> int:
    chain: list[Member] = []
    while member not in chain:
        chain.append(member)
        if member.target is None:
            return member.id
        member = by_id[member.target]
    circle = chain[chain.index(member) :]
    return min(circle, key=attrgetter("key", "sense")).id
