"""Invented words for large graphs: names, sentences, and an embedding in which texts are near when they share words."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Sequence
from itertools import chain, product

import numpy as np

from post_graph_rag.models.protocols import EmbeddingKind, Vectors

WORD = re.compile(r"[a-z0-9]+")
DIMENSIONS = 256
CONSONANTS = "bdfgklmnprtvz"
VOWELS = "aeiou"
TYPES = ("Person", "Company", "Place", "Product", "Event", "Work")
PREDICATES = (
    "acquired",
    "supplies parts to",
    "competes with",
    "invested in",
    "partners with",
    "sued",
    "licensed patents to",
    "merged with",
    "hired experts from",
    "audits",
    "wrote about",
    "was founded by",
    "moved near",
    "reports on",
    "succeeded",
    "trained with",
    "advises",
    "opened an office beside",
    "sold land to",
    "was named after",
)
LED = "was led by"
"""The predicate of which only one fact holds at a time for each subject."""


def invented(count: int, syllables: int, seed: int) -> list[str]:
    """Distinct lower-case words of so many syllables, in an order drawn by the seed."""
    rng = random.Random(seed)
    parts = ["".join(pair) for pair in product(CONSONANTS, VOWELS)]
    made: dict[str, None] = {}
    while len(made) < count:
        # The last letter keeps a plural "s" and other endings that are cut off out of play.
        made["".join(rng.choices(parts, k=syllables)) + rng.choice("nrl")] = None
    return list(made)


def names(count: int, seed: int = 7) -> list[str]:
    """Distinct names of two capitalised words; first words are shared by more of them than last ones."""
    rng = random.Random(seed)
    first = [word.capitalize() for word in invented(max(40, count // 20), 2, seed + 1)]
    last = [word.capitalize() for word in invented(max(80, count // 4), 3, seed + 2)]
    made: dict[str, None] = {}
    while len(made) < count:
        made[f"{rng.choice(first)} {rng.choice(last)}"] = None
    return list(made)


class WordBag:
    """Lower-case words drawn so that some are frequent and most are rare, as in texts."""

    def __init__(self, count: int, seed: int) -> None:
        self._words = invented(count, 3, seed)
        self._rng = random.Random(seed)
        weights = 1.0 / (np.arange(count) + 20.0)
        self._bounds = np.cumsum(weights / weights.sum()).tolist()

    def draw(self, count: int) -> list[str]:
        """So many words, some of them perhaps the same."""
        return self._rng.choices(self._words, cum_weights=self._bounds, k=count)


class WordVectors:
    """An embedding model in this process: the sum of a direction for each word, made to unit length.

    Vectors of questions are kept, so that one that is asked again finds its own ready.
    """

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        self._width = dimensions
        self._directions: dict[str, Vectors] = {}
        self._kept: dict[str, Vectors] = {}

    @property
    def name(self) -> str:
        return "word-directions"

    @property
    def dimensions(self) -> int:
        return self._width

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        """Unit vectors of the texts."""
        if kind != "query":
            return self.vectors(texts)
        for text in texts:
            if text not in self._kept:
                self._kept[text] = self.vectors([text])[0]
        return np.stack([self._kept[text] for text in texts])

    async def close(self) -> None:
        """Nothing is held open."""

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """The same without waiting, a thousand texts at a time, since each word of them takes a row."""
        parts = [self._some(texts[start : start + 1_000]) for start in range(0, len(texts), 1_000)]
        return np.concatenate(parts) if parts else np.zeros((0, self._width), np.float32)

    def _some(self, texts: Sequence[str]) -> Vectors:
        words = [WORD.findall(text.lower()) or ["-"] for text in texts]
        places = {word: place for place, word in enumerate(dict.fromkeys(chain.from_iterable(words)))}
        table = np.stack([self._direction(word) for word in places])
        starts = np.cumsum([0, *(len(some) for some in words[:-1])])
        sums = np.add.reduceat(table[[places[word] for word in chain.from_iterable(words)]], starts)
        unit: Vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return unit

    def _direction(self, word: str) -> Vectors:
        if word not in self._directions:
            seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
            self._directions[word] = np.random.default_rng(seed).standard_normal(self._width, np.float32)
        return self._directions[word]
