"""Models in this process that say how long they took, so that it can be left out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from benchmarks.time_words import WordVectors
from post_graph_rag.models.protocols import Vectors
from post_graph_rag.records import Extraction
from post_graph_rag.testing import ScriptedChat, plain_facts

Result = TypeVar("Result")


class Thinking:
    """A language model that reads plain facts and an embedding model; `seconds` is what both took so far.

    They never wait while they count, so nothing else is counted.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.chat = ScriptedChat(extract=self._extract)
        self.embedding = _Timed(self)

    def took(self, work: Callable[[], Result]) -> Result:
        """Do it and count how long it takes."""
        start = time.perf_counter()
        result = work()
        self.seconds += time.perf_counter() - start
        return result

    def _extract(self, text: str) -> Extraction:
        return self.took(lambda: plain_facts(text))


class _Timed(WordVectors):
    def __init__(self, thinking: Thinking) -> None:
        super().__init__()
        self._thinking = thinking

    def vectors(self, texts: Sequence[str]) -> Vectors:
        made = super().vectors
        return self._thinking.took(lambda: made(texts))
