"""Tokens that a call took, told by whoever reads the endpoint's reply to whoever made the call.

Vectors have no place for such a number, and a model of anybody's need not know of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

MOST_COUNTED = 2**31 - 1
"""Tokens that fit the ledger."""


@dataclass(slots=True)
class Tally:
    """tokens: as many as were told."""

    tokens: int = 0


_current: ContextVar[Tally | None] = ContextVar("post_graph_rag_tally", default=None)


@contextmanager
def tallied() -> Iterator[Tally]:
    """Collect what is told within the block, also by tasks that begin in it."""
    tally = Tally()
    token = _current.set(tally)
    try:
        yield tally
    finally:
        _current.reset(token)


def tell_tokens(tokens: object) -> None:
    """Say how many tokens an endpoint counted; what is no such number is passed over."""
    tally = _current.get()
    if tally is not None and isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0:
        tally.tokens = min(tally.tokens + tokens, MOST_COUNTED)
