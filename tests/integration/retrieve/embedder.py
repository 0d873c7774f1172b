"""An embedding model whose nearness is shared words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from post_graph_rag.models.protocols import EmbeddingKind, Vectors
from post_graph_rag.terms import terms


class WordEmbedder:
    """Sums a fixed random direction for each term; counts the requests it gets."""

    name = "words"

    def __init__(self, dimensions: int = 64) -> None:
        self.dimensions = dimensions
        self.requests: list[tuple[str, ...]] = []

    def vector(self, text: str) -> NDArray[np.float32]:
        total = sum((_direction(term, self.dimensions) for term in terms(text)), np.zeros(self.dimensions))
        length = float(np.linalg.norm(total)) or 1.0
        return (total / length).astype(np.float32)

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        self.requests.append(tuple(texts))
        return np.stack([self.vector(text) for text in texts])

    async def close(self) -> None: ...


@lru_cache(maxsize=1 << 16)
def _direction(term: str, dimensions: int) -> NDArray[np.float64]:
    seed = int.from_bytes(blake2b(term.encode(), digest_size=8).digest())
    return np.random.default_rng(seed).standard_normal(dimensions)
