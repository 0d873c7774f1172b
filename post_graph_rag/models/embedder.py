"""Embedding in batches that span documents: each text once, stored before it is used where that is asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from post_graph_rag import failpoints
from post_graph_rag.errors import EmbeddingError, WidthMismatch
from post_graph_rag.models.protocols import EmbeddingModel, Vectors
from post_graph_rag.models.replies import ReplyStore, vector_key
from post_graph_rag.models.tally import tallied
from post_graph_rag.store.usage import Call, milliseconds_since

BATCH = 128
"""Texts in one request; larger ones gain little and lose more when they fail."""
PATIENCE = 0.004
"""Seconds to wait for further texts before a batch that is not full is sent."""

MOST_SUSPECTS = 8
"""Failed parts of one batch that are looked into at once; more are taken for a fault of the model, not of texts."""

Outcome: TypeAlias = "Vectors | EmbeddingError"
"""What came of one text."""
_Futures = dict[str, "asyncio.Future[Outcome]"]


class Embedder:
    """Collects texts of concurrent tasks of one event loop into batches; to be closed by whoever made it.

    A text that the model refuses fails by itself: the others of its batch are asked for again without it.
    dimensions: the realm's width; a vector of another width is refused. prefix: what the realm's vectors have before
    each text, as models want it that are taught to tell passages from questions.
    """

    def __init__(self, model: EmbeddingModel, replies: ReplyStore, dimensions: int, prefix: str = "") -> None:
        self._model = model
        self._replies = replies
        self._dimensions = dimensions
        self._prefix = prefix
        self._waiting: _Futures = {}
        self._kept: set[str] = set()
        self._begun: _Futures = {}
        self._owed: list[Call] = []  # not in the ledger yet
        self._timer: asyncio.TimerHandle | None = None
        self._running: set[asyncio.Task[dict[str, Outcome]]] = set()

    async def embed(self, texts: Sequence[str], *, keep: bool) -> list[Vectors]:
        """The vector of each text, shape (dimensions,).

        keep: look for stored vectors first and store new ones, for texts whose vector is put to use only later; what
        is written into its table right away needs no second place.
        Raises EmbeddingError, WidthMismatch, when every text has been tried.
        """
        return [_vector(outcome) for outcome in await self.try_each(texts, keep=keep)]

    async def try_each(self, texts: Sequence[str], *, keep: bool) -> list[Outcome]:
        """The same, with the error in the place of a vector that could not be had."""
        wanted = [self._wanted(text, keep) for text in texts]
        outcomes = await _all_of(wanted) if wanted else []
        owed, self._owed = self._owed, []
        if owed:
            await self._replies.note(owed)
        return outcomes

    def begin(self, texts: Sequence[str]) -> None:
        """Ask for texts that will be wanted soon, without waiting: whoever wants one then gets what came of it.

        Not kept, and not asked for twice, however often it is begun.
        """
        for text in dict.fromkeys(texts):
            if text not in self._begun:
                self._begun[text] = self._future(text, keep=False)
        self._send()

    async def ask(self, texts: Sequence[str]) -> Vectors:
        """The vectors of a few texts by one request, shape (len(texts), dimensions), with the database left alone.

        The call's line in the ledger is written by the next `try_each`. Raises EmbeddingError, WidthMismatch.
        """
        return await self._asked(list(texts), {})

    async def close(self) -> None:
        """End what is under way, and what waits to be sent: nobody is left to use it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for future in self._waiting.values():
            future.cancel()
        self._waiting = {}
        running = set(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _wanted(self, text: str, keep: bool) -> asyncio.Future[Outcome]:
        begun = None if keep else self._begun.pop(text, None)
        return begun or self._future(text, keep)

    def _future(self, text: str, keep: bool) -> asyncio.Future[Outcome]:
        loop = asyncio.get_running_loop()
        future = self._waiting.setdefault(text, loop.create_future())
        if keep:
            self._kept.add(text)
        if len(self._waiting) >= BATCH:
            self._send()
        elif self._timer is None:
            self._timer = loop.call_later(PATIENCE, self._send)
        return future

    def _send(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        futures, self._waiting = self._waiting, {}
        kept, self._kept = self._kept, set()
        if futures:
            self._running.add(task := asyncio.create_task(self._vectors(list(futures), kept)))
            task.add_done_callback(self._running.discard)
            task.add_done_callback(partial(_hand_out, futures))

    async def _vectors(self, texts: Sequence[str], kept: set[str]) -> dict[str, Outcome]:
        keys = {text: vector_key(self._model.name, self._dimensions, self._prefix + text) for text in kept}
        stored = await self._replies.find_vectors(list(keys.values()))
        found: dict[str, Outcome] = {text: stored[key] for text, key in keys.items() if key in stored}
        if missing := [text for text in texts if text not in found]:
            found |= await self._made(missing, keys)
        return found

    async def _made(self, texts: list[str], keys: dict[str, bytes]) -> dict[str, Outcome]:
        """Ask for all at once; halve what fails until the texts that are refused stand alone."""
        made: dict[str, Outcome] = {}
        parts, alive = [texts], False
        while parts:
            outcomes = [(part, await self._tried(part, keys)) for part in parts]
            failed = [(part, outcome) for part, outcome in outcomes if isinstance(outcome, EmbeddingError)]
            for part, outcome in outcomes:
                made.update(_each(part, outcome))
            alive = alive or len(failed) < len(parts)
            # Two halves that fail both tell nothing of texts: asking on would only multiply an outage.
            if (len(parts) > 1 and not alive) or len(failed) > MOST_SUSPECTS:
                break
            parts = [half for part, error in failed if not error.outage for half in _halves(part)]
        return made

    async def _tried(self, texts: list[str], keys: dict[str, bytes]) -> Outcome:
        try:
            return await self._asked(texts, keys)
        except EmbeddingError as error:
            return error

    async def _asked(self, texts: list[str], keys: dict[str, bytes]) -> Vectors:
        failpoints.reach("before_embedding")
        started = time.monotonic()
        with tallied() as tally:
            try:
                made = await self._model.embed([self._prefix + text for text in texts], "passage")
            except EmbeddingError:
                self._owed.append(self._call(started, tally.tokens, failed=True))
                raise
        failpoints.reach("after_embedding")
        self._check(made, len(texts))
        call = self._call(started, tally.tokens)
        if rows := [n for n, text in enumerate(texts) if text in keys]:
            kept = {keys[texts[n]]: texts[n] for n in rows}
            await self._replies.keep_vectors(kept, made[rows], call)
            failpoints.reach("vectors_kept")
        else:
            self._owed.append(call)
        return made

    def _call(self, started: float, tokens: int, *, failed: bool = False) -> Call:
        return Call("embedding", self._model.name, milliseconds_since(started), tokens, failed=failed)

    def _check(self, made: Vectors, asked: int) -> None:
        if made.ndim != 2 or len(made) != asked:
            raise EmbeddingError(
                f"the embedding model {self._model.name} gave an array of shape {made.shape} for {asked} texts"
            )
        if made.shape[1] != self._dimensions:
            raise WidthMismatch(
                f"the embedding model {self._model.name} gave vectors of {made.shape[-1]} numbers, the realm has "
                f"{self._dimensions}: use the realm's model, or make another realm"
            )
        if not np.isfinite(made).all():
            raise EmbeddingError(f"the embedding model {self._model.name} gave numbers that are none")


async def _all_of(futures: Sequence[asyncio.Future[Outcome]]) -> list[Outcome]:
    """What came of each, or the first error; others may wait for the same ones, so none is cancelled with this."""
    done, _ = await asyncio.wait(futures, return_when=asyncio.FIRST_EXCEPTION)
    for future in done:
        future.result()
    return [future.result() for future in futures]


def _halves(texts: list[str]) -> list[list[str]]:
    """Two parts; none of a single text."""
    middle = len(texts) // 2
    return [texts[:middle], texts[middle:]] if middle else []


def _each(texts: list[str], outcome: Outcome) -> dict[str, Outcome]:
    """What came of each text of one request."""
    if isinstance(outcome, EmbeddingError):
        return dict.fromkeys(texts, outcome)
    return dict(zip(texts, outcome, strict=True))


def _vector(outcome: Outcome) -> Vectors:
    if isinstance(outcome, EmbeddingError):
        raise outcome
    return outcome


def _hand_out(futures: _Futures, task: asyncio.Task[dict[str, Outcome]]) -> None:
    """Give those who wait what came of their text, or what went wrong with all of them."""
    for text, future in futures.items():
        if future.done():
            continue
        if task.cancelled():
            future.cancel()
        elif (error := task.exception()) is not None:
            future.set_exception(error)
            future.exception()  # seen here: a task that has left meanwhile must not make it a warning
        else:
            future.set_result(task.result()[text])
