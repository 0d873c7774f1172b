"""Which of some entities are merged into which, by what each pair was judged to be: pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from post_graph_rag.ingest.likeness import Likeness
from post_graph_rag.store.similar import CalledEntity, Pair

Judged: TypeAlias = Sequence[tuple[Pair, Likeness]]


def certain(judged: Judged) -> list[Pair]:
    """The pairs that are one: the same, or near where neither of the two is as near to a third one."""
    near = {frozenset(pair) for pair, said in judged if said == "near"}
    times = Counter(entity for pair in near for entity in pair)
    return [
        pair
        for pair, said in judged
        if said == "same" or (said == "near" and all(times[entity] == 1 for entity in pair))
    ]


def merges_of(pairs: Iterable[Pair], called: Mapping[int, CalledEntity]) -> list[Pair]:
    """Source and target of merges of what pairs tie: into the one mentioned most, else that of the least key."""
    return [
        (entity, target)
        for group in _groups(pairs)
        for target in [min(group, key=lambda entity: (-called[entity].mentions, called[entity].key))]
        for entity in sorted(group - {target})
    ]


def _groups(pairs: Iterable[Pair]) -> list[set[int]]:
    group: dict[int, set[int]] = {}
    for one, other in pairs:
        joined = group.get(one, {one}) | group.get(other, {other})
        group.update(dict.fromkeys(joined, joined))
    return list({id(members): members for members in group.values()}.values())
