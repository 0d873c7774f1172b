"""Maximal marginal relevance: what is relevant and unlike what was taken before."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


def most_diverse(relevance: Floats, similar: Callable[[int], Floats], share: float, most: int) -> list[int]:
    """Places of the first `most` things, in the order they are taken.

    Each time that one is taken for which share * relevance - (1 - share) * (its greatest similarity to those taken) is
    largest, the first of equals. `similar` is asked once for each that is taken, so the work grows with what is taken
    times what there is.
    relevance: from 0 to 1. similar: similarities of all things to one of them, from -1 to 1. share: 1 is relevance
    alone.
    Source: Carbonell and Goldstein, "The use of MMR, diversity-based reranking …", SIGIR 1998.
    """
    taken: list[int] = []
    nearest: Floats = np.zeros(len(relevance))
    left = np.ones(len(relevance), bool)
    for _ in range(min(most, len(relevance))):
        gain = np.where(left, share * relevance - (1 - share) * nearest, -np.inf)
        best = int(np.argmax(gain))
        taken.append(best)
        left[best] = False
        likeness = similar(best)
        nearest = likeness if len(taken) == 1 else np.maximum(nearest, likeness)
    return taken


def cosines(vectors: Floats) -> Callable[[int], Floats]:
    """Similarities of all vectors to one of them; one that is nothing but zeros is like none."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return lambda place: units @ units[place]
