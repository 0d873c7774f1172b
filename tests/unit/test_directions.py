"""Two predicates that say the same from opposite ends are told apart from two wordings of one."""

from __future__ import annotations

import pytest

from post_graph_rag.directions import inverse
from post_graph_rag.names import predicate_key


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("owned by", "owns"),
        ("is owned by", "owned"),
        ("was acquired by", "acquires"),
        ("has been founded by", "founded"),
        ("part of", "has part"),
        ("member of", "has members"),
    ],
)
def test_opposite_ends_are_seen_in_either_order(first: str, second: str) -> None:
    assert inverse(predicate_key(first), predicate_key(second))
    assert inverse(predicate_key(second), predicate_key(first))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("owns", "owned"),
        ("owned by", "is owned by"),
        ("works at", "employed by"),
        ("works at", "works for"),
        ("head of", "heads"),
        ("by", "of"),
        ("part of", "a part of"),
        ("", "has"),
    ],
)
def test_other_wordings_are_not_taken_for_it(first: str, second: str) -> None:
    assert not inverse(predicate_key(first), predicate_key(second))
