"""Writing inside a transaction of the caller's, where the realm's lock lasts to their commit.

So no model may be asked once something is written: everything is read first; then the write is rehearsed and undone,
which tells which vectors will follow from it; these are made; and then it is written.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from post_graph_rag.errors import RAGError
from post_graph_rag.ingest.commit import Commit
from post_graph_rag.ingest.committer import Committer, Waiting, grouped
from post_graph_rag.ingest.complete import Completion, Read
from post_graph_rag.ingest.derived import make_derived, put_made
from post_graph_rag.ingest.drafts import Draft
from post_graph_rag.ingest.written import Committed


class LateCommitter(Committer):
    """Writes when every document that is expected was put or has ended."""

    in_flight = sys.maxsize

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._expected = 0
        self._put: list[Waiting] = []
        self._news = asyncio.Event()
        self._vectors: dict[str, str] = {}
        self._trouble: RAGError | None = None

    def turns(self, drafts: Sequence[Draft]) -> list[list[Draft]]:
        """One turn: a second would ask models after the first was written. Of one document twice only the later."""
        last = list({item.identity: item for item in drafts}.values())
        return [last] if last else []

    def expect(self) -> None:
        self._expected += 1

    def ended(self) -> None:
        self._expected -= 1
        self._news.set()

    def _take(self, waiting: Waiting) -> None:
        self._put.append(waiting)
        self._news.set()

    def _finish(self) -> None:
        self._news.set()

    async def _work(self, tasks: asyncio.TaskGroup) -> None:
        while self._expected or self._put:
            await self._news.wait()
            self._news.clear()
            if self._put and len(self._put) == self._expected:
                waiting, self._put = self._put, []
                await self._write_all(grouped(waiting), tasks)

    async def _write_all(self, groups: Sequence[Sequence[Waiting]], tasks: asyncio.TaskGroup) -> None:
        try:
            made = await make_derived(self._embedder, await self._rehearse(groups))
        except RAGError as error:
            self._trouble = error
        else:
            self._vectors |= made.vectors
            self._trouble = made.error
        for group in groups:
            await self._write(group, tasks)

    async def _rehearse(self, groups: Sequence[Sequence[Waiting]]) -> list[Committed]:
        """What each group would leave to be made; what fails here will be told when it is written."""
        done: list[Committed] = []
        async with self._database.rehearsal(self._realm.statements) as session:
            for group in groups:
                with suppress(RAGError):
                    async with session.savepoint():
                        commit = Commit(session, None, self._extractor, reindex=self._reindex)
                        done.append(await commit.run([waiting.item for waiting in group]))
        return done

    async def _commit(self, drafts: Sequence[Draft]) -> Committed:
        async with self._database.transaction(self._realm.statements) as session:
            commit = Commit(session, self._realm.info.graph_name, self._extractor, reindex=self._reindex)
            committed = await commit.run(drafts)
            await put_made(session, committed, self._vectors)
            return committed

    async def _derive(self, committed: Committed, group: Sequence[Waiting]) -> None:
        """Only count what could not be foretold, or not be made: it stays pending."""
        group[0].item.counts["pending_vectors"] = sum(text not in self._vectors for text in committed.texts)
        if self._trouble is not None:
            for waiting in group:
                waiting.item.errors.append(f"{type(self._trouble).__name__}: {self._trouble}")


class LateCompletion(Completion):
    """The same for what is pending."""

    async def _passages(self) -> int:
        pages = [await self._read(rows) for rows in await self._pages()]
        try:
            made = await make_derived(self._embedder, await self._rehearse(pages))
        except RAGError as error:
            self._errors.append(f"{type(error).__name__}: {error}")
        else:
            self._made = made.vectors
            self._errors += [] if made.error is None else [f"{type(made.error).__name__}: {made.error}"]
        return sum([await self._write(page) for page in pages])

    async def _pages(self) -> list[list[Any]]:
        pages: list[list[Any]] = []
        while rows := await self._rows("pending_passages", pages[-1][-1]["id"] if pages else 0):
            pages.append(rows)
        return pages

    async def _rehearse(self, pages: Sequence[Read]) -> list[Committed]:
        """Everything that will lack its vector once these pages are written."""
        async with self._database.rehearsal(self._realm.statements) as session:
            for page in pages:
                with suppress(RAGError):
                    async with session.savepoint():
                        await self._complete(session, page)
            return [batch async for batch in self._pending(session)]

    async def vectors(self) -> int:
        """Write those that were made beforehand."""
        async with self._database.transaction(self._realm.statements) as session:
            done = 0
            async for batch in self._pending(session):
                missing = await put_made(session, batch, self._made)
                done += len(batch.entities) + len(batch.relations) - missing
            return done
