"""A reranker's scores: one finite number for each passage, in time, or a typed failure."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from post_graph_rag.errors import InputError, RerankError
from post_graph_rag.models.rerank import Reranker, known_reranker, scores_by

PASSAGES = ["one", "three", "seventeen"]


class Lengths:
    """Scores by length, where the test says nothing else."""

    def __init__(self, scores: Any = None) -> None:
        self.scores = scores
        self.thread = 0

    def rerank(self, question: str, passages: Sequence[str]) -> Any:
        self.thread = threading.get_ident()
        return [len(passage) for passage in passages] if self.scores is None else self.scores


class Later(Lengths):
    async def rerank(self, question: str, passages: Sequence[str]) -> Any:
        return [len(passage) for passage in passages]


class Slow(Lengths):
    async def rerank(self, question: str, passages: Sequence[str]) -> Any:
        await asyncio.sleep(60)


class Broken(Lengths):
    def rerank(self, question: str, passages: Sequence[str]) -> Any:
        raise ConnectionError("gone")


async def test_a_sync_one_runs_in_a_thread() -> None:
    reranker = Lengths()
    assert await scores_by(reranker, "q", PASSAGES, 5) == [3.0, 5.0, 9.0]
    assert reranker.thread != threading.get_ident()


@pytest.mark.parametrize("reranker", [Later(), Lengths(np.array([3, 5, 9], np.float32)), Lengths((3, 5, 9))])
async def test_an_async_one_and_any_list_of_numbers_will_do(reranker: Reranker) -> None:
    assert await scores_by(reranker, "q", PASSAGES, 5) == [3.0, 5.0, 9.0]


@pytest.mark.parametrize(
    "scores", [[1, 2], [1, 2, float("nan")], [1, 2, float("inf")], ["a", 1, 2], [10**400, 1, 2], 7]
)
async def test_anything_but_a_finite_number_for_each_is_refused(scores: Any) -> None:
    with pytest.raises(RerankError, match="the reranker gave"):
        await scores_by(Lengths(scores), "q", PASSAGES, 5)


def broken_off() -> Iterator[float]:
    yield 1.0
    raise ConnectionError("gone")


@pytest.mark.parametrize("reranker", [Broken(), Lengths(broken_off())])
async def test_its_failure_is_told(reranker: Reranker) -> None:
    with pytest.raises(RerankError, match="failed with ConnectionError: gone"):
        await scores_by(reranker, "q", PASSAGES, 5)


async def test_it_may_take_so_many_seconds() -> None:
    with pytest.raises(RerankError, match=r"nothing within 0\.01 s"):
        await scores_by(Slow(), "q", PASSAGES, 0.01)


@pytest.mark.parametrize("given", [lambda question, passages: [1.0], 5, "a-name"])
def test_what_cannot_rerank_is_refused_before_any_question(given: Any) -> None:
    with pytest.raises(InputError, match="an object with a method rerank"):
        known_reranker(given)
