"""One change by hand: in a transaction of its own, with all that follows from it, and the vectors after that."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Generic, TypeAlias, TypeVar

from post_graph_rag.errors import ModelNotConfigured
from post_graph_rag.ingest.again import tried_again
from post_graph_rag.ingest.consequences import follow
from post_graph_rag.ingest.derived import Undone, make_derived, put_derived, put_made
from post_graph_rag.ingest.written import Committed, Written
from post_graph_rag.models.embedder import Embedder
from post_graph_rag.models.protocols import EmbeddingModel
from post_graph_rag.models.replies import ReplyStore
from post_graph_rag.store import write
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.realms import Realm

Told = TypeVar("Told")

Change: TypeAlias = Callable[[Session, datetime], Awaitable[tuple[Written, Told]]]
"""Writes what somebody wants, with the stamp of the commit, and says what more may follow from it; it may run twice."""
Then: TypeAlias = Callable[[Session, datetime, Told, Committed], Awaitable[tuple[Told, Committed]]]
"""What else is written in the same commit once all that follows is: with what was told and what is left to be made."""


@dataclass(frozen=True, slots=True)
class Made(Generic[Told]):
    """A change that is made. at: its stamp; told: what it says of itself; undone: vectors that could not be made."""

    at: datetime
    told: Told
    undone: Undone

    @property
    def errors(self) -> tuple[str, ...]:
        """Why vectors could not be made, in words."""
        error = self.undone.error
        return () if error is None else (f"{type(error).__name__}: {error}",)


@dataclass(frozen=True, slots=True)
class Changing:
    """Where people change what the realm holds.

    model: the one that its vectors are of; None leaves vectors that follow from a change pending.
    """

    database: Database
    realm: Realm
    model: EmbeddingModel | None

    async def make(self, change: Change[Told], then: Then[Told] | None = None) -> Made[Told]:
        """Make the change, with all that follows from it.

        Inside a transaction of the caller's no model may be asked once something is written: there the change is
        rehearsed first, which tells which vectors will follow from it.
        Raises what the change raises, when nothing is written, and DatabaseError.
        """
        if self.model is None:
            at, told, committed = await tried_again(self.database, partial(self._put, change, then))
            return Made(at, told, Undone(committed.size, ModelNotConfigured() if committed.size else None))
        async with self._embedder(self.model) as embedder:
            if self.database.inside_transaction:
                return await self._make_late(change, then, embedder)
            at, told, committed = await tried_again(self.database, partial(self._put, change, then))
            return Made(at, told, await put_derived(self.database, self.realm, embedder, committed))

    async def _put(self, change: Change[Told], then: Then[Told] | None) -> tuple[datetime, Told, Committed]:
        async with self.database.transaction(self.realm.statements) as session:
            return await _follow(session, self.realm.info.graph_name, change, then)

    async def _make_late(self, change: Change[Told], then: Then[Told] | None, embedder: Embedder) -> Made[Told]:
        async with self.database.rehearsal(self.realm.statements) as session:
            _, _, foreseen = await _follow(session, None, change, then)
        derived = await make_derived(embedder, [foreseen])
        async with self.database.transaction(self.realm.statements) as session:
            at, told, committed = await _follow(session, self.realm.info.graph_name, change, then)
            lacking = await put_made(session, committed, derived.vectors)
            return Made(at, told, Undone(lacking, derived.error))

    @asynccontextmanager
    async def _embedder(self, model: EmbeddingModel) -> AsyncIterator[Embedder]:
        info = self.realm.info
        embedder = Embedder(model, ReplyStore(self.database, self.realm), info.dimensions, info.passage_prefix)
        try:
            yield embedder
        finally:
            await embedder.close()


async def _follow(
    session: Session, graph: str | None, change: Change[Told], then: Then[Told] | None
) -> tuple[datetime, Told, Committed]:
    stamp = await write.take_stamp(session)
    written, told = await change(session, stamp)
    committed = await follow(session, stamp, graph, written)
    if then is not None:
        told, committed = await then(session, stamp, told, committed)
    return stamp, told, committed
