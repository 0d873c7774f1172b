"""What a caller is told while documents are indexed."""

from __future__ import annotations

import inspect
from typing import Literal

from post_graph_rag.ingest.drafts import Draft
from post_graph_rag.records import Progress, ProgressCallback

Stage = Literal["staged", "extracted", "published", "unchanged", "failed"]


class Steps:
    """Counts passages and calls back; a passage is done when it needs no reading, was read, or was given up."""

    def __init__(self, callback: ProgressCallback | None) -> None:
        self._callback = callback
        self._done = 0
        self._total = 0

    async def staged(self, item: Draft, reading: int) -> None:
        """A document was cut; `reading` of its passages must be read."""
        passages = len(item.unique_passages())
        self._total += passages
        self._done += passages - reading
        item.left = reading
        await self._tell("staged", item.key)

    async def extracted(self, item: Draft) -> None:
        """One passage was read, with or without success."""
        item.left -= 1
        self._done += 1
        await self._tell("extracted", item.key)

    async def unchanged(self, item: Draft) -> None:
        """A document needs nothing."""
        self._total += item.held
        self._done += item.held
        await self._tell("unchanged", item.key)

    async def ended(self, stage: Stage, item: Draft) -> None:
        """A document was published, or failed: what was not read of it will not be."""
        self._done += item.left
        item.left = 0
        await self._tell(stage, item.key)

    async def refused(self, key: str) -> None:
        """A document cannot be indexed at all."""
        await self._tell("failed", key)

    async def _tell(self, stage: Stage, key: str) -> None:
        if self._callback is not None:
            answer = self._callback(Progress(stage=stage, document=key, done=self._done, total=self._total))
            if inspect.isawaitable(answer):
                await answer
