"""Finish what earlier runs had to leave: structure of pending passages and vectors that could not be made."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from post_graph_rag import failpoints
from post_graph_rag.ingest.again import tried_again
from post_graph_rag.ingest.commit import Commit
from post_graph_rag.ingest.derived import put_derived
from post_graph_rag.ingest.extract import Extracted, Extractor
from post_graph_rag.ingest.group_errors import only_error
from post_graph_rag.ingest.groups import Triple
from post_graph_rag.ingest.profiles import Profile
from post_graph_rag.ingest.written import Committed, RelationText
from post_graph_rag.models.embedder import Embedder
from post_graph_rag.models.replies import Kept, ReplyStore
from post_graph_rag.records import DocumentContext, PendingReport
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.realms import Realm

BATCH = 64
_LACKING = ("pending_entities", "pending_relations")

Read: TypeAlias = "list[tuple[Any, Extracted]]"
"""Pending passages and what the model said of each."""


class Completion:
    """One call of complete_pending: batches by id, each tried once, so that what fails again ends the call."""

    def __init__(
        self, database: Database, realm: Realm, replies: ReplyStore, extractor: Extractor, embedder: Embedder
    ) -> None:
        self._database = database
        self._realm = realm
        self._replies = replies
        self._extractor = extractor
        self._embedder = embedder
        self._errors: list[str] = []
        self._made: Mapping[str, str] = {}

    async def run(self) -> PendingReport:
        """Passages first, since their structure may need vectors; then whatever still lacks its vector."""
        passages = await self._passages()
        vectors = await self.vectors()
        async with self._database.transaction(self._realm.statements, read_only=True) as session:
            left = await session.row("pending_counts")
        return PendingReport(
            passages_completed=passages,
            passages_left=left["passages"],
            vectors_completed=vectors,
            vectors_left=left["vectors"],
            errors=tuple(self._errors),
        )

    async def _passages(self) -> int:
        done, after = 0, 0
        while rows := await self._rows("pending_passages", after):
            after = rows[-1]["id"]
            done += await self._write(await self._read(rows))
        return done

    async def _write(self, results: Read) -> int:
        done = await tried_again(self._database, partial(self._put, results))
        self._errors += [result.failure for _, result in results if result.failure is not None]
        return done

    async def _put(self, results: Read) -> int:
        async with self._database.transaction(self._realm.statements) as session:
            done = await self._complete(session, results)
            failpoints.reach("before_completion_commit")
        failpoints.reach("after_completion_commit")
        return done

    async def _complete(self, session: Session, results: Read) -> int:
        found = {
            row["id"]: (row["space"], result.extraction) for row, result in results if result.extraction is not None
        }
        failures = {row["id"]: result.failure for row, result in results if result.failure is not None}
        commit = Commit(session, self._realm.info.graph_name, self._extractor.name, reindex=False)
        extractors = {row["id"]: result.extractor for row, result in results}
        return (await commit.complete(found, extractors, failures)).structured

    async def _read(self, rows: list[Any]) -> Read:
        hashes = [(row["text_hash"], row["context_hash"]) for row in rows]
        for text_hash, context_hash in hashes:
            self._extractor.expect(text_hash, context_hash)
        kept = await self._replies.find([key for pair in hashes for key in self._extractor.keys(*pair)])
        try:
            # One that fails ends the others: what they would be told could not be used.
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._extract(row, kept)) for row in rows]
        except BaseExceptionGroup as group_error:
            raise only_error(group_error) from group_error
        return [(row, task.result()) for row, task in zip(rows, tasks, strict=True)]

    async def _extract(self, row: Any, kept: Mapping[bytes, Kept]) -> Extracted:
        context = DocumentContext.model_validate(json.loads(row["context"]))
        return await self._extractor.extract(row["text"], row["text_hash"], row["context_hash"], context, (), kept)

    async def vectors(self) -> int:
        """Make the vectors that entities and relations still lack; returns how many were made."""
        return sum([await self._vectors(statement) for statement in _LACKING])

    async def vectors_of(self, documents: Sequence[tuple[str, str]]) -> int:
        """The same for what the passages of documents (space, key) mention: others may be at the rest this moment."""
        spaces, keys = (list(column) for column in zip(*documents, strict=True)) if documents else ([], [])
        return sum([await self._vectors(f"{statement}_of", spaces, keys) for statement in _LACKING])

    async def _vectors(self, statement: str, *of: Any) -> int:
        done, after = 0, 0
        while rows := await self._rows(statement, after, *of):
            after = rows[-1]["id"]
            done += await self._embed(_lacking(statement, rows))
        return done

    async def _embed(self, lacking: Committed) -> int:
        undone = await put_derived(self._database, self._realm, self._embedder, lacking)
        if undone.error is not None:
            self._errors.append(f"{type(undone.error).__name__}: {undone.error}")
        return lacking.size - undone.count

    async def _rows(self, statement: str, after: int, *of: Any) -> list[Any]:
        async with self._database.transaction(self._realm.statements) as session:
            return await session.rows(statement, after, BATCH, *of)

    @staticmethod
    async def _pending(session: Session) -> AsyncIterator[Committed]:
        """What lacks its vector, in one transaction."""
        for statement in _LACKING:
            after = 0
            while rows := await session.rows(statement, after, BATCH):
                after = rows[-1]["id"]
                yield _lacking(statement, rows)


def _lacking(statement: str, rows: list[Any]) -> Committed:
    if statement.startswith("pending_entities"):
        return Committed(entities=[_profile(row) for row in rows])
    return Committed(relations=[_relation(row) for row in rows])


def _profile(row: Any) -> Profile:
    return Profile(row["id"], row["space"], row["name"], "", row["description"], True, True)


def _relation(row: Any) -> RelationText:
    triple = Triple(row["subject"], row["predicate"], row["object"], row["negated"])
    return RelationText(row["id"], row["space"], triple.text)
