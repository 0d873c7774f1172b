"""In which order the passages of an answer come."""

from __future__ import annotations

from typing import Any

import pytest

from post_graph_rag.retrieve.channels import Fused
from post_graph_rag.retrieve.results import Chosen, passage_hits
from post_graph_rag.store.hydrate import Shown

SOURCE = {
    "document": "a.md",
    "title": None,
    "source": None,
    "ordinal": 0,
    "start": 0,
    "end": 1,
    "metadata": {},
    "observed": None,
}


def row(number: int) -> dict[str, Any]:
    return {"id": number, "text": str(number), "space": 1, "sources": [SOURCE]}


def in_order(scores: dict[int, float], stating: int, *, settled: bool) -> list[int]:
    """Passages with these scores, in their order; one of them states the only relation."""
    passages = [Fused(number, score, ()) for number, score in scores.items()]
    chosen = Chosen(passages, (), [Fused(9, 1.0, ())], settled=settled)
    shown = Shown({number: row(number) for number in (*scores, stating)}, {}, {9: {"passages": [stating]}})
    return [hit.id for hit in passage_hits(chosen, shown, {1: "default"}, rrf_k=1, weight=1.0)]


@pytest.mark.parametrize(("settled", "order"), [(False, [2, 1]), (True, [1, 2])])
def test_stating_a_fact_lifts_a_passage_unless_the_order_was_asked_for(settled: bool, order: list[int]) -> None:
    assert in_order({1: 0.4, 2: 0.3}, 2, settled=settled) == order


def test_where_the_order_was_asked_for_scores_do_not_undo_it() -> None:
    assert in_order({1: 0.1, 2: 0.9}, 1, settled=True) == [1, 2]


def test_where_the_order_was_asked_for_what_only_states_a_fact_comes_last() -> None:
    assert in_order({1: 0.1, 2: 0.1}, 3, settled=True) == [1, 2, 3]


def test_passages_without_a_score_stay_in_the_order_they_were_found() -> None:
    assert in_order({1: 0.5, 7: 0.0, 3: 0.0}, 1, settled=False) == [1, 7, 3]
