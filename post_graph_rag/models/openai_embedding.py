"""Embedding models behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from post_graph_rag.errors import EmbeddingError
from post_graph_rag.models.endpoint import Endpoint, sendable
from post_graph_rag.models.failures import Failures
from post_graph_rag.models.policy import FAILURES, RetryPolicy
from post_graph_rag.models.protocols import EmbeddingKind, Vectors
from post_graph_rag.models.tally import tell_tokens
from post_graph_rag.models.tokens import tokenizer_for
from post_graph_rag.models.vectors import checked, decoded

PATH = "/embeddings"
# OpenAI takes 8,191 tokens a text and 300,000 a request; a character is seldom more than three tokens.
MOST_TOKENS = 8_191
SURELY_SHORT = MOST_TOKENS // 3


class OpenAIEmbedding:
    """A model named `model` at `endpoint`, asked under `policy`; it is never replaced by another.

    dimensions: width to ask for, sent with each request; None: what the model gives, known after the first answer.
    most_texts, most_characters: bounds of one request. parallel: requests of one call under way at once.
    """

    def __init__(
        self,
        model: str,
        endpoint: Endpoint,
        dimensions: int | None = None,
        policy: RetryPolicy | None = None,
        *,
        most_texts: int = 256,
        most_characters: int = 200_000,
        parallel: int = 4,
    ) -> None:
        self._model = model
        self._endpoint = endpoint
        self._asked = dimensions
        self._dimensions = dimensions
        self._policy = policy or RetryPolicy()
        self._failures = Failures.at(endpoint, EmbeddingError, model, self._policy.deadline)
        self._most_texts = most_texts
        self._most_characters = most_characters
        self._parallel = parallel

    @property
    def name(self) -> str:
        return self._model

    @property
    def dimensions(self) -> int | None:
        return self._dimensions

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        """Unit vectors of the texts, in their order; a text beyond 8,191 tokens is represented by its beginning.

        Raises EmbeddingError when the policy gives up or the vectors cannot be used.
        """
        batches = list(self._batches([self._fitting(text) for text in texts]))
        if not batches:
            return np.zeros((0, self._dimensions or 0), dtype=np.float32)
        if len(batches) == 1:
            return await self._embed(batches[0])
        return np.concatenate(await self._embed_all(batches))

    async def close(self) -> None:
        await self._endpoint.close()

    async def _embed_all(self, batches: Sequence[Sequence[str]]) -> list[Vectors]:
        slots = asyncio.Semaphore(self._parallel)

        async def in_turn(batch: Sequence[str]) -> Vectors:
            async with slots:
                return await self._embed(batch)

        tasks = [asyncio.ensure_future(in_turn(batch)) for batch in batches]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    async def _embed(self, batch: Sequence[str]) -> Vectors:
        async def ask() -> list[Vectors]:
            reply = await self._endpoint.post(PATH, self._body(batch))
            _tell_tokens(reply)
            return decoded(reply, len(batch))

        try:
            rows = await self._policy.run(ask)
        except FAILURES as error:
            self._failures.give_up(error)
        vectors = checked(rows, model=self._model, dimensions=self._dimensions)
        self._dimensions = vectors.shape[1]
        return vectors

    def _body(self, batch: Sequence[str]) -> dict[str, object]:
        body: dict[str, object] = {"model": self._model, "input": list(batch), "encoding_format": "base64"}
        if self._asked is not None:
            body["dimensions"] = self._asked
        return body

    def _fitting(self, text: str) -> str:
        # Endpoints refuse empty texts, and one refused text would cost its whole batch.
        text = sendable(text) or " "
        return text if len(text) <= SURELY_SHORT else tokenizer_for(self._model).cut(text, MOST_TOKENS)

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        size = 0
        for text in texts:
            if batch and (len(batch) == self._most_texts or size + len(text) > self._most_characters):
                yield batch
                batch, size = [], 0
            batch.append(text)
            size += len(text)
        if batch:
            yield batch


def _tell_tokens(reply: object) -> None:
    """Also of a reply that cannot be used: it is paid for all the same."""
    usage = reply.get("usage") if isinstance(reply, Mapping) else None
    if isinstance(usage, Mapping):
        tell_tokens(usage.get("prompt_tokens"))
