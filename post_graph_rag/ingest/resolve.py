"""Which entities are one: exact keys are one by construction, aliases by the rules here, as pure functions.

A claim says that live passages call `target` also by the key of `source`. It merges `source` into `target` when no
other entity claims that key and the types of the two can be those of one thing. Order of arrival plays no part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from post_graph_rag.kinds import types_compatible
from post_graph_rag.store.write import Claim, Member


def alias_merges(claims: Iterable[Claim]) -> dict[int, int]:
    """The merges, source -> target, that follow from all live claims on some keys; a key claimed twice binds nobody."""
    ordered = sorted(claims, key=attrgetter("source", "target"))
    wanted: dict[int, int] = {}
    for source, group in groupby(ordered, key=attrgetter("source")):
        claimants = list(group)
        if len(claimants) == 1 and _one_thing(claimants[0]):
            wanted[source] = claimants[0].target
    return wanted


def _one_thing(claim: Claim) -> bool:
    return all(types_compatible(one, other) for one in claim.source_types for other in claim.target_types)


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
