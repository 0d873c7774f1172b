"""One writer a call: takes the documents that are finished, writes them as a group, then makes the derived vectors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from post_graph_rag import failpoints
from post_graph_rag.errors import RAGError
from post_graph_rag.ingest.again import tried_again
from post_graph_rag.ingest.commit import Commit
from post_graph_rag.ingest.derived import put_derived
from post_graph_rag.ingest.drafts import Draft, waves
from post_graph_rag.ingest.written import Committed
from post_graph_rag.models.embedder import Embedder
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm

GROUP_DOCUMENTS = 32
GROUP_PASSAGES = 512


@dataclass(slots=True, eq=False)
class Waiting:
    """A draft, and the promise that it will be written."""

    item: Draft
    written: asyncio.Future[None]


class Committer:
    """Writes drafts in groups. `put` returns when its draft is in the record; vectors may come a moment later.

    in_flight: how many documents may be under way at once; bounds memory, not the models, which have their own bound.
    early: whether vectors that follow from a commit are asked for while it is still written.
    """

    in_flight = 128
    early = True

    def __init__(self, database: Database, realm: Realm, embedder: Embedder, extractor: str) -> None:
        self._database = database
        self._realm = realm
        self._embedder = embedder
        self._extractor = extractor
        self._reindex = False
        self._queue: asyncio.Queue[Waiting | None] = asyncio.Queue()

    @asynccontextmanager
    async def open(self, *, reindex: bool) -> AsyncIterator[None]:
        """Write while the block runs; at its end everything that was put is written."""
        self._reindex = reindex
        self._queue = asyncio.Queue()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._work(tasks))
            try:
                yield
            finally:
                self._finish()

    async def put(self, item: Draft) -> None:
        """Have a draft written. Raises what the database refused."""
        waiting = Waiting(item, asyncio.get_running_loop().create_future())
        self._take(waiting)
        await waiting.written

    def turns(self, drafts: Sequence[Draft]) -> list[list[Draft]]:
        """In which turns drafts are looked up, read and written: of one document twice, one after the other."""
        return waves(drafts)

    def expect(self) -> None:
        """A document is under way: it will be put, or end without."""

    def ended(self) -> None:
        """A document that was expected is written, or will never be put."""

    def _take(self, waiting: Waiting) -> None:
        self._queue.put_nowait(waiting)

    def _finish(self) -> None:
        self._queue.put_nowait(None)

    async def _work(self, tasks: asyncio.TaskGroup) -> None:
        held: list[Waiting] = []
        last = False
        while not last or held:
            if not held and (first := await self._queue.get()) is not None:
                held.append(first)
            elif not held:
                return
            while not self._queue.empty():
                item = self._queue.get_nowait()
                last = last or item is None
                held += [item] if item is not None else []
            group, held = _group(held)
            await self._write(group, tasks)

    async def _write(self, group: Sequence[Waiting], tasks: asyncio.TaskGroup) -> None:
        """Write a group; if one of it fails, each by itself, so that only that one fails."""
        try:
            drafts = [waiting.item for waiting in group]
            committed = await tried_again(self._database, partial(self._commit, drafts))
        except RAGError as error:
            if len(group) == 1:
                _settle(group, error)
                return
            for waiting in group:
                await self._write([waiting], tasks)
            return
        _settle(group, None)
        tasks.create_task(self._derive(committed, group))

    async def _commit(self, drafts: Sequence[Draft]) -> Committed:
        async with self._database.transaction(self._realm.statements) as session:
            graph, begin = self._realm.info.graph_name, self._embedder.begin if self.early else None
            commit = Commit(session, graph, self._extractor, reindex=self._reindex, begin=begin)
            committed = await commit.run(drafts)
            failpoints.reach("before_commit")
        failpoints.reach("after_commit")
        return committed

    async def _derive(self, committed: Committed, group: Sequence[Waiting]) -> None:
        """Vectors of changed entities and new relations; those that cannot be made stay marked as pending."""
        undone = await put_derived(self._database, self._realm, self._embedder, committed)
        # Counted once, so that the sum over reports is how many there are.
        group[0].item.counts["pending_vectors"] = undone.count
        if undone.error is not None:
            for waiting in group:
                waiting.item.errors.append(f"{type(undone.error).__name__}: {undone.error}")


def grouped(waiting: list[Waiting]) -> list[list[Waiting]]:
    """All of them, in groups that one commit takes."""
    groups = []
    while waiting:
        group, waiting = _group(waiting)
        groups.append(group)
    return groups


def _group(waiting: list[Waiting]) -> tuple[list[Waiting], list[Waiting]]:
    """As many as one commit takes, no document twice in it, and the rest."""
    group: list[Waiting] = []
    rest: list[Waiting] = []
    keys: set[tuple[str, bytes]] = set()
    passages = 0
    for item in waiting:
        key = item.item.identity
        full = len(group) >= GROUP_DOCUMENTS or (group and passages + len(item.item.passages) > GROUP_PASSAGES)
        if full or key in keys:
            rest.append(item)
            continue
        keys.add(key)
        group.append(item)
        passages += len(item.item.passages)
    return group, rest


def _settle(group: Sequence[Waiting], error: RAGError | None) -> None:
    for waiting in group:
        if waiting.written.done():
            continue
        if error is None:
            waiting.written.set_result(None)
        else:
            waiting.written.set_exception(error)
