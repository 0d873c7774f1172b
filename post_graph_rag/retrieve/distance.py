"""How many steps lie between what a walk reached and where it started."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from post_graph_rag.retrieve.channels import Kind
from post_graph_rag.store.search import Neighbourhood

Hops = Mapping[Kind, Mapping[int, int]]


def hops(area: Neighbourhood, entities: Iterable[int], relations: Iterable[int]) -> Hops:
    """Steps from the nearest start, by kind and id; what was not reached is not in it.

    entities, relations: where the walk started; a relation starts at both its ends.
    A relation is as near as the nearer of its ends, a passage as the nearest entity it mentions.
    """
    ends = [(number, end) for number, *both in area.edges.tolist() for end in both]
    wanted, there = set(relations), set(area.entities.tolist())
    starts = {*entities, *(end for number, end in ends if number in wanted)}
    steps = _steps(starts & there, _neighbours(area))
    mentions = [(passage, entity) for passage, entity in area.mentions.tolist()]
    return {"entity": steps, "relation": _nearest(ends, steps), "passage": _nearest(mentions, steps)}


def _neighbours(area: Neighbourhood) -> Mapping[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for _, subject, object_ in area.edges.tolist():
        found[subject].add(object_)
        found[object_].add(subject)
    return found


def _steps(starts: set[int], neighbours: Mapping[int, set[int]]) -> dict[int, int]:
    steps: dict[int, int] = {}
    frontier, count = starts, 0
    while frontier:
        steps |= dict.fromkeys(frontier, count)
        frontier = {near for one in frontier for near in neighbours.get(one, ())} - steps.keys()
        count += 1
    return steps


def _nearest(pairs: Iterable[tuple[int, int]], steps: Mapping[int, int]) -> dict[int, int]:
    """For each first one of the pairs the least steps to any of its second ones."""
    found: dict[int, int] = {}
    for one, entity in pairs:
        if entity in steps:
            found[one] = min(steps[entity], found.get(one, steps[entity]))
    return found
