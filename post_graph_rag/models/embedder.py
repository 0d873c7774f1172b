"""Embedding in batches that span documents, each text at most once: stored vectors first, the model for the rest."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial

import numpy as np

from post_graph_rag import failpoints
from post_graph_rag.errors import EmbeddingError, WidthMismatch
from post_graph_rag.models.protocols import EmbeddingModel, Vectors
from post_graph_rag.models.replies import ReplyStore, content_key

BATCH = 128
"""Texts in one request; larger ones gain little and lose more when they fail."""
PATIENCE = 0.004
"""Seconds to wait for further texts before a batch that is not full is sent."""


class Embedder:
    """Collects texts of concurrent tasks of one event loop into batches.

    dimensions: the realm's width; a vector of another width is refused.
    """

    def __init__(self, model: EmbeddingModel, replies: ReplyStore, dimensions: int) -> None:
        self._model = model
        self._replies = replies
        self._dimensions = dimensions
        self._waiting: dict[bytes, tuple[str, asyncio.Future[Vectors]]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._running: set[asyncio.Task[dict[bytes, Vectors]]] = set()

    async def embed(self, texts: Sequence[str]) -> list[Vectors]:
        """The vector of each text, shape (dimensions,). Raises EmbeddingError, WidthMismatch."""
        return list(await asyncio.gather(*(self._wanted(text) for text in texts)))

    def _wanted(self, text: str) -> asyncio.Future[Vectors]:
        loop = asyncio.get_running_loop()
        key = content_key(self._model.name, self._dimensions, "passage", text)
        if key in self._waiting:
            future = self._waiting[key][1]
        else:
            future = loop.create_future()
            self._waiting[key] = (text, future)
        if len(self._waiting) >= BATCH:
            self._send()
        elif self._timer is None:
            self._timer = loop.call_later(PATIENCE, self._send)
        return asyncio.shield(future)

    def _send(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        batch, self._waiting = self._waiting, {}
        if batch:
            texts = {key: text for key, (text, _) in batch.items()}
            self._running.add(task := asyncio.create_task(self._vectors(texts)))
            task.add_done_callback(self._running.discard)
            task.add_done_callback(partial(_hand_out, {key: future for key, (_, future) in batch.items()}))

    async def _vectors(self, texts: dict[bytes, str]) -> dict[bytes, Vectors]:
        found = await self._replies.find_vectors(list(texts))
        missing = [key for key in texts if key not in found]
        if missing:
            failpoints.reach("before_embedding")
            started = time.monotonic()
            made = await self._model.embed([texts[key] for key in missing], "passage")
            failpoints.reach("after_embedding")
            self._check(made)
            milliseconds = round((time.monotonic() - started) * 1000)
            await self._replies.keep_vectors(missing, made, self._model.name, milliseconds)
            found.update(zip(missing, made, strict=True))
        return found

    def _check(self, made: Vectors) -> None:
        if made.ndim != 2 or made.shape[1] != self._dimensions:
            raise WidthMismatch(
                f"the embedding model {self._model.name} gave vectors of {made.shape[-1]} numbers, the realm has "
                f"{self._dimensions}: use the realm's model, or make another realm"
            )
        if not np.isfinite(made).all():
            raise EmbeddingError(f"the embedding model {self._model.name} gave numbers that are none")


def _hand_out(futures: dict[bytes, asyncio.Future[Vectors]], task: asyncio.Task[dict[bytes, Vectors]]) -> None:
    """Give those who wait their vector, or what went wrong."""
    for key, future in futures.items():
        if future.done():
            continue
        if task.cancelled():
            future.cancel()
        elif (error := task.exception()) is not None:
            future.set_exception(error)
            future.exception()  # seen here: a task that has left meanwhile must not make it a warning
        else:
            future.set_result(task.result()[key])
