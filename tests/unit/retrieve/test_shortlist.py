"""What is kept of what channels found, and in which order."""

from __future__ import annotations

import pytest

from post_graph_rag.records import QueryParam
from post_graph_rag.retrieve.channels import Fused
from post_graph_rag.retrieve.shortlist import Wanted, preferred, similar_enough
from post_graph_rag.retrieve.trace import Trace
from post_graph_rag.store.search import Hits

FOUND = {"passage_vector": Hits([1, 2, 3, 4], [0.8, 0.2, 0.0, -0.1])}


@pytest.mark.parametrize(("least", "kept"), [(None, [1, 2, 3, 4]), (0.5, [1]), (0.0, [1, 2, 3])])
def test_what_vectors_find_is_kept_down_to_a_similarity(least: float | None, kept: list[int]) -> None:
    assert similar_enough(FOUND, least, Trace())["passage_vector"].ids == kept


def test_what_is_not_similar_enough_is_explained() -> None:
    trace = Trace()
    similar_enough(FOUND, 0.0, trace)
    assert trace.unlike["passage_vector"].ids == [4]


def test_what_is_preferred_comes_first_and_both_parts_keep_their_order() -> None:
    fused = [Fused(number, 1 / number, ()) for number in (1, 2, 3, 4)]
    assert [one.id for one in preferred(fused, {2, 4})] == [2, 4, 1, 3]


def test_what_is_preferred_scores_higher_than_the_rest() -> None:
    fused = [Fused(number, 1 / number, ()) for number in (1, 2)]
    assert [one.score for one in preferred(fused, {2})] == [1.5, 1.0]


@pytest.mark.parametrize(("top_k", "looked_at"), [(1, 13), (5, 17), (20, 40)])
def test_as_many_more_relations_are_looked_at_where_the_record_tells_which_are_meant(
    top_k: int, looked_at: int
) -> None:
    wanted = Wanted(QueryParam(top_k=top_k, fold=None), passages=5, told=True)
    assert (wanted.kept("relation"), wanted.kept("passage"), wanted.kept("entity")) == (looked_at, 5, top_k)
