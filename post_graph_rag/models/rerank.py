"""The seam that a reranker stands behind: it scores passages by how well each answers a question."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

from post_graph_rag.calling import tried
from post_graph_rag.errors import InputError, RerankError


@runtime_checkable
class Reranker(Protocol):
    """Scores passages; larger is better. Sync (called in a thread) or async."""

    def rerank(self, question: str, passages: Sequence[str]) -> Sequence[float] | Awaitable[Sequence[float]]:
        """One score for each passage, in their order."""
        ...


def known_reranker(reranker: Reranker | None) -> Reranker | None:
    """The reranker, if one is given. Raises InputError for what cannot rerank, such as a bare function."""
    if reranker is not None and not callable(getattr(reranker, "rerank", None)):
        raise InputError("a reranker is an object with a method rerank(question, passages), not a function")
    return reranker


async def scores_by(reranker: Reranker, question: str, passages: Sequence[str], patience: float) -> list[float]:
    """The reranker's scores, one for each passage.

    patience: seconds it may take.
    Raises RerankError when it fails, takes longer, or gives anything but a finite number for each passage.
    """
    try:
        async with asyncio.timeout(patience):
            outcome = await tried(reranker.rerank, question, list(passages))
            # Read apart, since a generator runs, and may fail, only then.
            read = outcome if outcome.error is not None else await tried(_numbers, outcome.value)
    except TimeoutError as error:
        raise RerankError(f"the reranker gave nothing within {patience:g} s") from error
    if isinstance(read.error, TypeError | ValueError | OverflowError) and outcome.error is None:
        raise RerankError("the reranker gave no list of numbers") from read.error
    if read.error is not None:
        raise RerankError(f"the reranker failed with {read.said}") from read.error
    scores: list[float] = read.value
    if len(scores) != len(passages) or not all(map(math.isfinite, scores)):
        raise RerankError(f"the reranker gave {len(scores)} scores for {len(passages)} passages, or not finite ones")
    return scores


def _numbers(scores: Iterable[Any]) -> list[float]:
    return [float(score) for score in scores]
