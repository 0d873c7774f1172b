"""Steps between what a walk reached and where it started."""

from __future__ import annotations

import numpy as np

from post_graph_rag.retrieve.distance import hops
from post_graph_rag.store.search import Neighbourhood

CHAIN = Neighbourhood(
    entities=np.array([1, 2, 3, 4, 9]),
    edges=np.array([[12, 1, 2], [32, 3, 2], [34, 3, 4]]),
    mentions=np.array([[100, 1], [100, 4], [300, 3], [900, 9]]),
)


def test_entities_are_as_far_as_the_shortest_way_in_either_direction() -> None:
    assert hops(CHAIN, [1], [])["entity"] == {1: 0, 2: 1, 3: 2, 4: 3}


def test_relations_and_passages_are_as_far_as_their_nearest_entity() -> None:
    found = hops(CHAIN, [1], [])
    assert (found["relation"], found["passage"]) == ({12: 0, 32: 1, 34: 2}, {100: 0, 300: 2})


def test_a_relation_starts_at_both_its_ends() -> None:
    assert hops(CHAIN, [], [34])["entity"] == {3: 0, 4: 0, 2: 1, 1: 2}


def test_starts_outside_the_neighbourhood_reach_nothing() -> None:
    assert hops(CHAIN, [77], [])["entity"] == {}
