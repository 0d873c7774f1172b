"""Maximal marginal relevance takes what is relevant and unlike what it took, at the cost of what it takes."""

from __future__ import annotations

import time

import numpy as np
import pytest

from post_graph_rag.retrieve.diversity import cosines, most_diverse

PAIRS = np.array([[1, 0], [1, 0.01], [0, 1]], np.float32)
RELEVANCE = np.array([1.0, 0.9, 0.5])


@pytest.mark.parametrize(("share", "order"), [(1.0, [0, 1, 2]), (0.5, [0, 2, 1])])
def test_the_share_decides_between_relevance_and_variety(share: float, order: list[int]) -> None:
    assert most_diverse(RELEVANCE, cosines(PAIRS), share, 3) == order


def test_no_more_is_taken_than_wanted() -> None:
    assert most_diverse(RELEVANCE, cosines(PAIRS), 0.5, 2) == [0, 2]


def test_what_has_no_vector_is_like_nothing() -> None:
    assert cosines(np.array([[0, 0], [1, 0]], np.float32))(0).tolist() == [0, 0]


def test_nothing_is_taken_of_nothing() -> None:
    assert most_diverse(np.zeros(0), cosines(np.zeros((0, 2), np.float32)), 0.5, 5) == []


@pytest.mark.parametrize("count", [30, 60, 120])
def test_similarities_are_asked_for_once_for_each_that_is_taken(count: int) -> None:
    asked: list[int] = []
    similar = cosines(np.random.default_rng(1).normal(size=(count, 8)).astype(np.float32))
    taken = most_diverse(np.linspace(1, 0, count), lambda place: (asked.append(place), similar(place))[1], 0.7, 20)
    assert asked == taken


def test_three_hundred_relations_are_put_in_order_in_milliseconds() -> None:
    vectors = np.random.default_rng(7).normal(size=(300, 384)).astype(np.float32)

    def once() -> float:
        start = time.process_time()
        most_diverse(np.linspace(1, 0, 300), cosines(vectors), 0.7, 300)
        return time.process_time() - start

    assert min(once() for _ in range(5)) < 0.05
