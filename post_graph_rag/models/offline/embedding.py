"""A small static embedding that runs without a network: WordLlama, 256 wide, English."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from post_graph_rag.clean import clean_text
from post_graph_rag.errors import ConfigurationError
from post_graph_rag.models.protocols import EmbeddingKind, Vectors

DIMENSIONS = 256
# Averages over whole books say nothing; this is about 2,000 words.
MOST_CHARACTERS = 12_000

# The tokenizer sets its padding for each batch, so batches of several threads take turns.
turn = threading.Lock()


class OfflineEmbedding:
    """Averages of word vectors: good for trying the library, below a trained sentence model in recall.

    Its weights lie in the `wordllama` package (extra `local`); nothing is fetched.
    Source: github.com/dleemiller/WordLlama, weights l2_supercat_256.
    """

    @property
    def name(self) -> str:
        return "offline-wordllama-256"

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        """Unit vectors of the texts. Raises ConfigurationError when the extra `local` is not installed."""
        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        return await asyncio.to_thread(_embed, [clean_text(text[:MOST_CHARACTERS])[0] for text in texts])

    async def close(self) -> None:
        """Nothing is held open."""


def _embed(texts: list[str]) -> Vectors:
    # Padding makes a batch as wide as its longest text, so texts of like length go together.
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    with turn:
        sums = _model().embed([texts[place] for place in order], norm=False)
    vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
    vectors[order] = sums
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    # A text without words still needs a direction: the same for all of them.
    vectors[lengths[:, 0] == 0] = np.eye(1, DIMENSIONS, dtype=np.float32)
    lengths[lengths == 0] = 1.0
    unit: Vectors = vectors / lengths
    return unit


@cache
def _model() -> Any:
    try:
        import wordllama
    except ImportError as error:
        raise ConfigurationError(
            "The offline embedding needs the package wordllama: install post_graph_rag with the extra `local`."
        ) from error
    # The weights of this width are shipped inside the package; the default cache would be looked for in the home.
    return wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
