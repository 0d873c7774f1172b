"""Personalised PageRank on small graphs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.retrieve.pagerank import Numbers, personalised_pagerank

DAMPING = 0.5


def rank(edges: list[tuple[int, int]], restart: list[float]) -> Numbers:
    starts = np.array([start for start, _ in edges], np.intp)
    ends = np.array([end for _, end in edges], np.intp)
    return personalised_pagerank(starts, ends, np.array(restart), DAMPING)


def exact(edges: list[tuple[int, int]], restart: list[float], damping: float = DAMPING) -> Numbers:
    """The same by solving the linear equations."""
    size = len(restart)
    step = np.zeros((size, size))
    for start, end in edges:
        step[end, start] += 1
        step[start, end] += 1
    degree = step.sum(axis=0)
    step = np.divide(step, degree, out=np.zeros_like(step), where=degree > 0)
    again = np.array(restart) / sum(restart)
    step += np.outer(again, degree == 0)
    solved: Numbers = np.linalg.solve(np.eye(size) - damping * step, (1 - damping) * again)
    return solved


def test_what_is_nearer_to_the_start_ranks_higher() -> None:
    found = rank([(0, 1), (1, 2), (2, 3)], [1, 0, 0, 0])
    assert np.argsort(-found).tolist() == [0, 1, 2, 3]


def test_the_direction_of_an_edge_does_not_matter() -> None:
    assert rank([(0, 1), (1, 2)], [1, 0, 0]) == pytest.approx(rank([(1, 0), (2, 1)], [1, 0, 0]))


def test_a_node_between_two_starts_beats_one_beside_a_single_start() -> None:
    found = rank([(0, 2), (1, 2), (0, 3)], [1, 1, 0, 0])
    assert found[2] > found[3]


def test_what_cannot_be_reached_has_no_rank() -> None:
    assert rank([(0, 1), (2, 3)], [1, 0, 0, 0])[2:].tolist() == [0, 0]


def test_a_graph_without_edges_is_ranked_by_its_starts() -> None:
    assert rank([], [3, 1, 0]).tolist() == pytest.approx([0.75, 0.25, 0])


def test_a_repeated_edge_weighs_more() -> None:
    found = rank([(0, 1), (0, 1), (0, 2)], [1, 0, 0])
    assert found[1] == pytest.approx(2 * found[2], rel=1e-3)


@given(
    edges=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=30),
    restart=st.lists(st.floats(0, 5), min_size=8, max_size=8).filter(lambda weights: sum(weights) > 0.1),
)
def test_ranks_are_those_of_the_linear_equations(edges: list[tuple[int, int]], restart: list[float]) -> None:
    edges = [(start, end) for start, end in edges if start != end]
    found = rank(edges, restart)
    assert found.sum() == pytest.approx(1)
    assert found == pytest.approx(exact(edges, restart), abs=1e-4)
