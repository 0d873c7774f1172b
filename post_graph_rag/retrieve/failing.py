"""A model's call for a question that comes to nothing, noted all the same: time and a place in a queue it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from post_graph_rag.errors import EmbeddingError, LLMError
from post_graph_rag.store.usage import Call, milliseconds_since


@contextmanager
def failures_noted(note: Callable[[Call], None], role: str, model: str, question: bytes | None) -> Iterator[float]:
    """Give the moment a call begins, on the steady clock; note the call where it raises a model's error.

    question: mark of the one it is made for; None for several.
    """
    started = time.monotonic()
    try:
        yield started
    except (LLMError, EmbeddingError):
        note(Call(role, model, milliseconds_since(started), question=question, failed=True))
        raise
