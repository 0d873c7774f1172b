"""Models of anybody's as the rest of the library uses them: so many calls at once, and answers that can be stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from post_graph_rag.calling import tried
from post_graph_rag.clean import clean_text
from post_graph_rag.errors import EmbeddingError, LLMError, RAGError
from post_graph_rag.models.protocols import (
    ChatModel,
    ChatReply,
    ChatRequest,
    EmbeddingKind,
    EmbeddingModel,
    Vectors,
)
from post_graph_rag.models.tally import MOST_COUNTED
from post_graph_rag.models.usable import usable
from post_graph_rag.models.wrapped import WrappedChat, WrappedEmbedding


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


class LimitedChat(WrappedChat):
    """`model` with at most `most` calls under way; an open stream is one.

    Its words and its name lose what PostgreSQL cannot hold. Raises LLMError for an answer that is no ChatReply, and for
    whatever the model raises that is no error of this library.
    """

    def __init__(self, model: ChatModel, most: int | Slots) -> None:
        super().__init__(model)
        self._slots = most if isinstance(most, Slots) else Slots(most)

    def around(self, wrap: Callable[[ChatModel], ChatModel]) -> LimitedChat:
        """The model as `wrap` makes it, under the same bound."""
        return LimitedChat(wrap(self._model), self._slots)

    @property
    def name(self) -> str:
        return clean_text(self._model.name)[0]

    async def chat(self, request: ChatRequest) -> ChatReply:
        async with self._slots.here():
            return storable(await _answer(LLMError, self.name, self._model.chat, request), self.name)

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        async with self._slots.here():
            pieces = self._model.stream(request)
            try:
                async for piece in pieces:
                    yield clean_text(_words(piece, self.name))[0]
            finally:
                # Left early, a generator would end its call only when it is collected.
                if isinstance(pieces, AsyncGenerator):
                    await pieces.aclose()


class LimitedEmbedding(WrappedEmbedding):
    """`model` with at most `most` calls under way.

    Raises EmbeddingError for an answer that is not its vectors, and for whatever the model raises likewise.
    """

    def __init__(self, model: EmbeddingModel, most: int | Slots) -> None:
        super().__init__(model)
        self._slots = most if isinstance(most, Slots) else Slots(most)

    def around(self, wrap: Callable[[EmbeddingModel], EmbeddingModel]) -> LimitedEmbedding:
        """The model as `wrap` makes it, under the same bound."""
        return LimitedEmbedding(wrap(self._model), self._slots)

    @property
    def name(self) -> str:
        return clean_text(self._model.name)[0]

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        async with self._slots.here():
            made = await _answer(EmbeddingError, self.name, self._model.embed, texts, kind)
            return usable(made, len(texts), self.name)


async def _answer(kind: type[LLMError] | type[EmbeddingError], name: str, call: Callable[..., Any], *args: Any) -> Any:
    """What the model gives; what it raises is an error of this library, or becomes one of `kind`."""
    outcome = await tried(call, *args)
    if isinstance(outcome.error, RAGError):
        raise outcome.error
    if outcome.error is not None:
        raise kind(f"The model {name!r} failed with {outcome.said}") from outcome.error
    return outcome.value


def storable(reply: object, name: str) -> ChatReply:
    """A reply of the model `name` as it can be stored. Raises LLMError for what is no ChatReply with a text."""
    if not isinstance(reply, ChatReply):
        raise LLMError(f"The model {name!r} answered with something that is no ChatReply with a text.")
    return replace(
        reply,
        text=clean_text(_words(reply.text, name))[0],
        model=clean_text(reply.model)[0] if isinstance(reply.model, str) else name,
        prompt_tokens=_counted(reply.prompt_tokens),
        output_tokens=_counted(reply.output_tokens),
        cached_tokens=_counted(reply.cached_tokens),
    )


def _words(text: object, name: str) -> str:
    if not isinstance(text, str):
        raise LLMError(f"The model {name!r} answered with something that is no ChatReply with a text.")
    return text


def _counted(tokens: object) -> int:
    """As the ledger can hold it; a model that does not tell may say so in any way."""
    return max(0, min(tokens, MOST_COUNTED)) if isinstance(tokens, int) else 0
