"""Which entities are one: exact keys are one by construction, aliases by the rules here, as pure functions.

A claim says that live passages call `target` also by the key of `source`. The two become one when all others that
claim that key are one with `target` too, and the two are by most accounts of a kind. What somebody merged is one
whatever passages say, and what somebody took apart no claim makes one. Which entities are one then follows from claims
and these words alone: neither the order in which they came nor that in which they are looked at plays a part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import attrgetter

from post_graph_rag.kinds import coarse_type, types_compatible
from post_graph_rag.store.write import Claim, Member

Named = Mapping[int, Sequence[Claim]]
"""The claims on each entity's key."""
Pairs = Collection[tuple[int, int]]
Leads = Mapping[int, Collection[int]]
"""Which entities one leads on to."""


def alias_merges(claims: Iterable[Claim], apart: Pairs = frozenset()) -> dict[int, int]:
    """The merges, source -> target, that follow from all live claims on some keys; they never go in a circle.

    A key that two claim which are not one binds nobody. An entity goes with the least key among those that claim its
    own; of a circle, all go towards the least key.

    claims: what somebody merged among them, or what is merged for being alike (`said`), which binds and is no part of
    the answer.
    apart: pairs that no alias makes one, unless they are by what somebody merged; of the two the first gives way.
    """
    named: dict[int, list[Claim]] = {}
    for claim in sorted(claims, key=attrgetter("source", "target_key")):
        named.setdefault(claim.source, []).append(claim)
    merges: dict[int, int] = {}
    for ties in _ties(named, apart):
        merges |= _towards_one(ties)
    return {source: target for source, target in merges.items() if not _said(named[source])}


class _Classes:
    """Entities that are one, each under one of them."""

    def __init__(self, apart: Pairs) -> None:
        self._under: dict[int, int] = {}
        self._apart = apart

    def of(self, entity: int) -> int:
        while (above := self._under.get(entity, entity)) != entity:
            entity = above
        return entity

    def join(self, source: int, claim: Claim) -> None:
        self._under[self.of(source)] = self.of(claim.stands)

    def may_join(self, source: int, claim: Claim) -> bool:
        """Whether the two are not one yet, and nobody took any two of theirs apart."""
        both = {self.of(source), self.of(claim.stands)}
        return len(both) == 2 and not any({self.of(one), self.of(other)} == both for one, other in self._apart)


def _ties(named: Named, apart: Pairs) -> Iterable[Named]:
    """The claims that hold between entities which are one in the end, of each such class."""
    one = _Classes(apart)
    for source, claims in named.items():
        if _said(claims):
            one.join(source, claims[0])
    for sources in _turns(named, apart):
        while any(_join(one, source, named[source]) for source in sources):
            pass
    found: dict[int, dict[int, Sequence[Claim]]] = {}
    for source, claims in named.items():
        if held := [claim for claim in claims if one.of(claim.stands) == one.of(source) and _one_thing(claim)]:
            found.setdefault(one.of(source), {})[source] = held
    return found.values()


def _said(claims: Sequence[Claim]) -> bool:
    """Whether somebody merged the source of these; then it is the only claim."""
    return claims[0].said


def _turns(named: Named, apart: Pairs) -> Iterable[Sequence[int]]:
    """In which turns sources are joined with those that claim their keys.

    The turn decides only between what cannot both be one for being apart: what others depend on comes before them, so
    that the claims of all others may be given or not; and of those that depend on each other, the first of a pair last.
    """
    if not apart:
        return [list(named)]
    leads = _dependences(named, apart)
    turns: dict[int, list[int]] = {}
    for source in sorted(
        named, key=lambda source: (any(source == one for one, _ in apart), named[source][0].source_key)
    ):
        turns.setdefault(len(_reached(source, leads)), []).append(source)
    return [turns[size] for size in sorted(turns)]


def _dependences(named: Named, apart: Pairs) -> Leads:
    """On whom it depends with whom an entity is one: who claims its key, and all that people said of it."""
    leads: dict[int, set[int]] = {}
    for source, claims in named.items():
        leads.setdefault(source, set()).update(claim.stands for claim in claims)
    for one, other in (*apart, *((claims[0].source, claims[0].stands) for claims in named.values() if _said(claims))):
        leads.setdefault(one, set()).add(other)
        leads.setdefault(other, set()).add(one)
    return leads


def _join(one: _Classes, source: int, claims: Sequence[Claim]) -> bool:
    """Join the source with those that claim its key if these are one, and of its kind; what is joined stays so."""
    others = [claim for claim in claims if one.may_join(source, claim)]
    fitting = next(filter(_one_thing, others), None)
    if fitting is None or len({one.of(claim.stands) for claim in others}) > 1:
        return False
    one.join(source, fitting)
    return True


def _one_thing(claim: Claim) -> bool:
    return claim.said or types_compatible(_kind(claim.source_types), _kind(claim.target_types))


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
    leads = {source: [claim.stands for claim in claims] for source, claims in ties.items()}
    reached = {entity: _reached(entity, leads) for entity in every}
    keys = {claim.stands: claim.target_key for claims in ties.values() for claim in claims}
    ends: set[int] = min(reached.values(), key=len)
    # What somebody merged goes on from where it is.
    last = min(ends - _merged_by_word(ties), key=lambda entity: keys.get(entity, ""))
    merges = {}
    for source, claims in ties.items():
        if out := [claim.target for claim in claims if source not in reached[claim.stands]]:
            merges[source] = out[0]
    settled = (every - ties.keys()) | merges.keys() | {last}
    while layer := _next_to(settled, ties):
        merges |= layer
        settled |= layer.keys()
    return merges


def _merged_by_word(ties: Named) -> set[int]:
    return {source for source, claims in ties.items() if _said(claims)}


def _reached(entity: int, leads: Leads) -> set[int]:
    """Those that one is led to from here, this one included."""
    found, todo = {entity}, [entity]
    while todo:
        new = set(leads.get(todo.pop(), ())) - found
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
