"""Models of one role asked in turn: the next one when the first cannot be had, under one deadline."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Protocol

from post_graph_rag.errors import LLMError
from post_graph_rag.models.policy import Patience
from post_graph_rag.models.protocols import ChatReply, ChatRequest, place_of


class PatientChat(Protocol):
    """A language model that takes no more time than it is given."""

    @property
    def name(self) -> str: ...

    @property
    def parameters(self) -> dict[str, float]: ...

    async def chat(self, request: ChatRequest, patience: Patience | None = None) -> ChatReply: ...

    def stream(self, request: ChatRequest, patience: Patience | None = None) -> AsyncGenerator[str, None]: ...

    async def close(self) -> None: ...


class FailoverChat:
    """`models` in the order in which they are asked, at least one; it goes by the name of the first.

    deadline: seconds for all together. Each may take an equal part of what is left, so that one that hangs leaves
        the others time; a stream that has begun may take all that is left.
    """

    def __init__(self, models: Sequence[PatientChat], deadline: float) -> None:
        self._models = tuple(models)
        self._deadline = deadline

    @property
    def name(self) -> str:
        return self._models[0].name

    @property
    def place(self) -> str:
        """Where the first of them is asked."""
        return place_of(self._models[0])

    @property
    def parameters(self) -> dict[str, float]:
        """What is asked of every reply, whatever the request says."""
        return self._models[0].parameters

    async def chat(self, request: ChatRequest) -> ChatReply:
        """Ask until one answers; the reply says which did. Raises LLMError that tells what each of them said."""
        turns = _Turns(self._deadline, len(self._models))
        for model in self._models:
            try:
                return await model.chat(request, turns.patience)
            except LLMError as error:
                turns.failed(error)
        raise turns.failure()

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """Yield the answer of the first model that begins one; what breaks after its first piece is the end.

        Raises LLMError; after the first piece its `partial` holds what was received.
        """
        turns = _Turns(self._deadline, len(self._models))
        for model in self._models:
            begun = False
            try:
                async with aclosing(model.stream(request, turns.patience)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
                    return
            except LLMError as error:
                if begun:
                    raise
                turns.failed(error)
        raise turns.failure()

    async def close(self) -> None:
        for model in self._models:
            await model.close()


class _Turns:
    """Whose turn it was, and what became of it."""

    def __init__(self, deadline: float, models: int) -> None:
        self.patience = Patience(deadline, models)
        self._errors: list[LLMError] = []

    def failed(self, error: LLMError) -> None:
        """The model did not answer. Raises the error where no other model would."""
        if not error.elsewhere:
            raise error
        self._errors.append(error)
        self.patience.next_model()

    def failure(self) -> LLMError:
        """What all of them said."""
        told = LLMError(f"None of {len(self._errors)} models answered. {' '.join(map(str, self._errors))}")
        told.__cause__ = self._errors[0]
        return told
