"""Quota: lists take turns."""

from __future__ import annotations

from post_graph_rag.retrieve.quota import in_turn


def test_lists_take_turns_and_a_repeated_id_counts_once() -> None:
    assert [one for one, _ in in_turn([[1, 2, 3], [2, 4], []], 60)] == [1, 2, 4, 3]


def test_scores_fall_from_place_to_place() -> None:
    assert [score for _, score in in_turn([[1, 2], [3]], 60)] == [1 / 61, 1 / 62, 1 / 63]
