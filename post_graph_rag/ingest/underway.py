"""Passages that are being read in one call, so that equal ones are read once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from post_graph_rag.models.replies import Kept


@dataclass(slots=True)
class _Reading:
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    wanted: int = 0
    replies: dict[bytes, Kept] = field(default_factory=dict)


class Underway:
    """Who reads a passage waits for whoever reads an equal one at that moment, and takes over what it was told."""

    def __init__(self) -> None:
        self._readings: dict[bytes, _Reading] = {}

    def expect(self, key: bytes) -> None:
        """One more will read it: what is told of it is remembered until then."""
        self._readings.setdefault(key, _Reading()).wanted += 1

    @asynccontextmanager
    async def turn(self, key: bytes) -> AsyncIterator[dict[bytes, Kept]]:
        """Read it now, alone; gives the replies of those before, to be added to."""
        reading = self._readings.setdefault(key, _Reading())
        try:
            async with reading.turn:
                yield reading.replies
        finally:
            reading.wanted -= 1
            if reading.wanted <= 0:
                self._readings.pop(key, None)
