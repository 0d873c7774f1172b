"""What all of the front door stands on: settings, what is opened, and how a realm that was replaced is found again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from post_graph_rag.config import Settings
from post_graph_rag.edit.changing import Changing
from post_graph_rag.errors import ExtensionMissing, RealmMoved
from post_graph_rag.ingest.callback import Callback, ExtractionFn, ExtractionMode
from post_graph_rag.ingest.chunker import Chunker
from post_graph_rag.ingest.gates import known_gates
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.rerank import Reranker, known_reranker
from post_graph_rag.models.roles import Models
from post_graph_rag.models.tokens import GivenTokenizer, Tokenizer, tokenizer_for
from post_graph_rag.opening import Opening
from post_graph_rag.records import ExtractionSchema, Gate
from post_graph_rag.retrieve.steps import Remembered
from post_graph_rag.store.realms import Realm

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Door = TypeVar("Door", bound="Front")


def found_again(
    method: Callable[Concatenate[Door, Arguments], Awaitable[Result]],
) -> Callable[Concatenate[Door, Arguments], Coroutine[Any, Any, Result]]:
    """Once more with the realm looked up anew, when it or its extensions were replaced while it was open."""

    @wraps(method)
    async def run(self: Door, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return await method(self, *args, **kwargs)
        except (RealmMoved, ExtensionMissing):
            self._opening.forget_realm()
            return await method(self, *args, **kwargs)

    return run


class Front:
    """The settings of one engine, and what is opened for it when it is first needed."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        connection: Any = None,
        models: Models | None = None,
        prompts: Mapping[str, str] | None = None,
        schema: ExtractionSchema | None = None,
        open_gates: Collection[Gate] = (),
        extraction_fn: ExtractionFn | None = None,
        extraction_mode: ExtractionMode = "replace",
        extraction_version: str | None = None,
        chunker: Chunker | None = None,
        reranker: Reranker | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        self.settings = settings or Settings()
        self._prompts = Prompts(prompts)
        self._schema = schema
        self._ruled: Realm | None = None
        self._open_gates = known_gates(open_gates)
        most = self.settings.role("extraction").concurrency
        self._own = extraction_fn and Callback(extraction_fn, extraction_mode, extraction_version, most)
        self._chunker = chunker
        self._reranker = known_reranker(reranker)
        self._tokenizer = tokenizer and GivenTokenizer(tokenizer)
        self._told = Remembered()
        self._opening = Opening(self.settings, connection, models)

    async def __aenter__(self) -> Self:
        await self.initialize()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def initialize(self) -> None:
        """Reach the database, and make the realm if the settings say `create`.

        Raises ConfigurationError, ServerUnavailable, ExtensionMissing, MigrationNeeded, WidthMismatch.
        """
        # Reading its vocabulary takes a tokenizer half a second, which goes by while the server is reached.
        warming = asyncio.create_task(asyncio.to_thread(tokenizer_for(None).count, ""))
        try:
            await (self._opening.realm() if self.settings.create else self._opening.reach())
        finally:
            await warming

    async def close(self) -> None:
        """Close what this object opened; a caller's connection stays open. May be called again."""
        await self._opening.close()

    def _space(self, space: str | None) -> str:
        return self.settings.space if space is None else space

    async def _changing(self) -> Changing:
        """Where people change what the realm holds; no embedding model need be configured for it."""
        realm = await self._opening.changeable_realm()
        return Changing(await self._opening.database(), realm, self._opening.embedding)
