"""The two seams every model stands behind: chat and embedding."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from post_graph_rag.records import Message

Role = Literal["extraction", "community", "auxiliary", "synthesis"]
EmbeddingKind = Literal["passage", "query"]
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a language model.

    messages: as they are sent.
    schema: JSON schema of the reply, where a structured one is wanted; schema_name names it.
    inputs: the pieces the prompt was made from (for extraction "text", "title", …; for synthesis "question",
        "context"), so that a model that does not read prompts, such as the offline one, need not parse them back.
    round: 0 for the first call about a passage, then 1, 2, … for gleaning.
    answered: told the name of the model that answers a stream, before its first piece; only by models that may hand on
        to another one.
    """

    role: Role
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    schema_name: str = "reply"
    temperature: float | None = None
    max_tokens: int | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    round: int = 0
    answered: Callable[[str], None] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What the model said, and who really said it."""

    text: str
    model: str
    prompt_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


@runtime_checkable
class ChatModel(Protocol):
    """A language model. `name` is what the registry, the reply store and answers show."""

    @property
    def name(self) -> str: ...

    async def chat(self, request: ChatRequest) -> ChatReply:
        """Answer once. Raises LLMError when no answer can be had within the model's own deadline."""
        ...

    def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """Yield the answer in pieces as it comes; leaving the iterator early ends the call."""
        ...

    async def close(self) -> None: ...


def parameters_of(model: ChatModel) -> Mapping[str, Any]:
    """What a model asks of every reply, whatever the request says, such as a temperature: its `parameters`, if any."""
    found = getattr(model, "parameters", None)
    return found if isinstance(found, Mapping) else {}


def place_of(model: ChatModel) -> str:
    """Where a model is asked, in words that hold no secret: its `place`, if any."""
    found = getattr(model, "place", "")
    return found if isinstance(found, str) else ""


@runtime_checkable
class EmbeddingModel(Protocol):
    """An embedding model. `dimensions` is None until the model's width is known."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int | None: ...

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        """Vectors of shape (len(texts), dimensions), float32, of unit length.

        Raises EmbeddingError when the model fails or its vectors cannot be used.
        """
        ...

    async def close(self) -> None: ...
