"""What stands before a model and does something of its own with its calls; all else is the model's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from post_graph_rag.models.protocols import ChatModel, EmbeddingModel, parameters_of, place_of


class WrappedChat:
    """Stands before a language model; who inherits says what becomes of `chat` and `stream`."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def place(self) -> str:
        """Where the model is asked; empty where it does not say."""
        return place_of(self._model)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What the model asks of every reply, whatever the request says; a model of anybody's need not say."""
        return parameters_of(self._model)

    async def close(self) -> None:
        await self._model.close()


class WrappedEmbedding:
    """Stands before an embedding model; who inherits says what becomes of `embed`."""

    def __init__(self, model: EmbeddingModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def dimensions(self) -> int | None:
        return self._model.dimensions

    async def close(self) -> None:
        await self._model.close()
