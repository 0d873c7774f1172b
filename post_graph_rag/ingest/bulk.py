"""Writing much at once, as in a first load: what follows from the texts of entities and relations is made at the end.

Passages are published as always, with their own vectors and words, and what they say with them. Only the vectors of
entities and relations wait, marked as pending: an entity is embedded once, not after each document that says something
new of it, and many at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from post_graph_rag.ingest.committer import Committer, Waiting
from post_graph_rag.ingest.derived import Undone, put_derived
from post_graph_rag.ingest.drafts import Draft
from post_graph_rag.ingest.profiles import Profile
from post_graph_rag.ingest.written import Committed, RelationText

VECTORS = 512
"""Made and written at once: more gain little, and fewer are lost by a kill."""
WRITERS = 2
"""Of such vectors: they write different rows, so none waits for another."""


class BulkCommitter(Committer):
    """Writes in groups like any other, and makes the vectors that follow from it when all groups are written."""

    early = False

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._entities: dict[int, Profile] = {}
        self._relations: dict[int, RelationText] = {}
        self._last: Draft | None = None

    @asynccontextmanager
    async def open(self, *, reindex: bool) -> AsyncIterator[None]:
        """Write while the block runs; at its end everything that was put is written, and then its vectors are."""
        async with super().open(reindex=reindex):
            yield
        await self._make()

    async def _derive(self, committed: Committed, group: Sequence[Waiting]) -> None:
        """Only note what is to be made: of what changes again, as it is in the end."""
        self._entities |= {one.entity: one for one in committed.entities}
        self._relations |= {one.id: one for one in committed.relations}
        self._last = group[-1].item

    async def _make(self) -> None:
        """The vectors that were put off; those that cannot be made stay pending and are counted in one report."""
        batches = _batches(list(self._entities.values()), list(self._relations.values()))
        self._entities, self._relations = {}, {}
        waiting: asyncio.Queue[Committed] = asyncio.Queue()
        for batch in batches:
            waiting.put_nowait(batch)
        async with asyncio.TaskGroup() as writers:
            tasks = [writers.create_task(self._write_vectors(waiting)) for _ in range(WRITERS)]
        self._tell([undone for task in tasks for undone in task.result()])

    async def _write_vectors(self, waiting: asyncio.Queue[Committed]) -> list[Undone]:
        undone = []
        while not waiting.empty():
            batch = waiting.get_nowait()
            undone.append(await put_derived(self._database, self._realm, self._embedder, batch))
        return undone

    def _tell(self, undone: Sequence[Undone]) -> None:
        if self._last is None:
            return
        self._last.counts["pending_vectors"] += sum(one.count for one in undone)
        errors = (one.error for one in undone if one.error is not None)
        self._last.errors += dict.fromkeys(f"{type(error).__name__}: {error}" for error in errors)


def _batches(entities: Sequence[Profile], relations: Sequence[RelationText]) -> list[Committed]:
    """All of them, as many as are made at once; entities first, which more questions look for."""
    return [
        *(Committed(entities=list(entities[n : n + VECTORS])) for n in range(0, len(entities), VECTORS)),
        *(Committed(relations=list(relations[n : n + VECTORS])) for n in range(0, len(relations), VECTORS)),
    ]
