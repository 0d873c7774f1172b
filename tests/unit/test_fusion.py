"""Reciprocal rank fusion: by ranks, stable, explained."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.retrieve.fusion import reciprocal_rank_fusion

LISTS = st.dictionaries(st.sampled_from("abcd"), st.lists(st.integers(0, 20), max_size=10))


def test_the_score_is_the_sum_of_weighted_reciprocal_ranks() -> None:
    fused = reciprocal_rank_fusion({"a": [7, 8], "b": [8]}, k=10, weights={"b": 2.0})
    assert fused == [(8, pytest.approx(1 / 12 + 2 / 11)), (7, pytest.approx(1 / 11))]


def test_equal_scores_are_ordered_by_id() -> None:
    assert [id_ for id_, _ in reciprocal_rank_fusion({"a": [9], "b": [3], "c": [5]})] == [3, 5, 9]


def test_of_equal_scores_the_better_rank_comes_first() -> None:
    fused = reciprocal_rank_fusion({"a": [1, 9, 2], "b": [3, 9, 4]}, k=0, weights={"a": 1.0, "b": 1.0})
    assert [id_ for id_, _ in fused] == [1, 3, 9, 2, 4]


def test_a_repeated_id_counts_once_at_its_best_rank() -> None:
    assert reciprocal_rank_fusion({"a": [1, 1, 2]}, k=0) == [(1, 1.0), (2, 0.5)]


def test_a_channel_of_weight_zero_adds_nothing() -> None:
    assert reciprocal_rank_fusion({"a": [1], "b": [2]}, k=0, weights={"b": 0.0}) == [(1, 1.0)]


def test_no_lists_give_no_hits() -> None:
    assert reciprocal_rank_fusion({}) == []


@given(LISTS)
def test_every_id_of_every_channel_is_in_the_result_once(lists: dict[str, list[int]]) -> None:
    found = [id_ for id_, _ in reciprocal_rank_fusion(lists)]
    assert sorted(found) == sorted({id_ for ids in lists.values() for id_ in ids})


@given(LISTS)
def test_the_order_of_the_channels_does_not_matter(lists: dict[str, list[int]]) -> None:
    backwards = dict(reversed(lists.items()))
    assert reciprocal_rank_fusion(lists) == reciprocal_rank_fusion(backwards)
