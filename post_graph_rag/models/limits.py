"""Models of which only so many calls are under way at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from weakref import WeakKeyDictionary

from post_graph_rag.models.protocols import ChatModel, ChatReply, ChatRequest, EmbeddingKind, EmbeddingModel, Vectors


class Slots:
    """A bound on calls under way, in each event loop that uses it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    def here(self) -> asyncio.Semaphore:
        """The semaphore of the running loop: one that tasks of another loop wait on cannot be shared."""
        loop = asyncio.get_running_loop()
        if loop not in self._by_loop:
            self._by_loop[loop] = asyncio.Semaphore(self._most)
        return self._by_loop[loop]


class LimitedChat:
    """`model` with at most `most` calls under way; an open stream is one."""

    def __init__(self, model: ChatModel, most: int) -> None:
        self._model = model
        self._slots = Slots(most)

    @property
    def name(self) -> str:
        return self._model.name

    async def chat(self, request: ChatRequest) -> ChatReply:
        async with self._slots.here():
            return await self._model.chat(request)

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        async with self._slots.here():
            pieces = self._model.stream(request)
            try:
                async for piece in pieces:
                    yield piece
            finally:
                # Left early, a generator would end its call only when it is collected.
                if isinstance(pieces, AsyncGenerator):
                    await pieces.aclose()

    async def close(self) -> None:
        await self._model.close()


class LimitedEmbedding:
    """`model` with at most `most` calls under way."""

    def __init__(self, model: EmbeddingModel, most: int) -> None:
        self._model = model
        self._slots = Slots(most)

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def dimensions(self) -> int | None:
        return self._model.dimensions

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        async with self._slots.here():
            return await self._model.embed(texts, kind)

    async def close(self) -> None:
        await self._model.close()
