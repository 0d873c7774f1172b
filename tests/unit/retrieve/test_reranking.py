"""A reranker settles the order of passages; those that facts rest on stay, and without it the order stays."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from post_graph_rag.records import QueryData
from post_graph_rag.retrieve.reranking import reranked
from tests.unit.retrieve.making import a_fact, a_passage, found

HITS = [a_passage(number, text) for number, text in enumerate(("a", "bbb", "bb", "bbbb"), 1)]


class Lengths:
    """The longest first."""

    asked = ""

    async def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        self.asked = question
        return [float(len(passage)) for passage in passages]


class Broken:
    async def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        raise RuntimeError("secret")


def ids(data: QueryData) -> list[int]:
    return [hit.id for hit in data.passages]


async def test_the_best_by_its_scores_come_first_and_say_so() -> None:
    reranker = Lengths()
    data = await reranked(found(HITS), reranker, "who?", 2, 5)
    assert (ids(data), reranker.asked) == ([4, 2], "who?")
    [place] = data.passages[0].channels
    assert (place.channel, place.rank, place.score) == ("rerank", 1, 4.0)
    assert data.passages[0].score == HITS[3].score


async def test_a_passage_that_alone_states_a_fact_stays() -> None:
    facts = [a_fact(1, "f", [1, 4]), a_fact(2, "g", [1, 3])]
    assert ids(await reranked(found(HITS, facts), Lengths(), "q", 2, 5)) == [4, 2, 3]


async def test_where_it_fails_the_order_stays_and_a_note_says_so(caplog: pytest.LogCaptureFixture) -> None:
    data = await reranked(found(HITS), Broken(), "q", 2, 5)
    assert ids(data) == [1, 2]
    assert data.notes == ("the reranker failed: passages are in the order of their fused scores",)
    assert "RuntimeError: secret" in caplog.text


async def test_without_passages_it_is_not_asked() -> None:
    reranker = Lengths()
    await reranked(found(), reranker, "q", 2, 5)
    assert reranker.asked == ""
