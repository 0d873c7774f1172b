"""Finish what earlier runs had to leave: structure of pending passages and vectors that could not be made."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from post_graph_rag import failpoints
from post_graph_rag.errors import RAGError
from post_graph_rag.ingest.commit import Commit, Committed, RelationText
from post_graph_rag.ingest.committer import put_derived
from post_graph_rag.ingest.extract import Extracted, Extractor
from post_graph_rag.ingest.groups import Triple
from post_graph_rag.ingest.profiles import Profile
from post_graph_rag.models.embedder import Embedder
from post_graph_rag.models.replies import ReplyStore
from post_graph_rag.records import DocumentContext, PendingReport
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm

BATCH = 64


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
            done += await self._complete(rows)
        return done

    async def _complete(self, rows: list[Any]) -> int:
        results = await self._read(rows)
        found = {
            row["id"]: (row["space"], result.extraction) for row, result in results if result.extraction is not None
        }
        failures = {row["id"]: result.failure for row, result in results if result.failure is not None}
        self._errors += failures.values()
        async with self._database.transaction(self._realm.statements) as session:
            commit = Commit(session, self._realm.info.graph_name, self._extractor.name, reindex=False)
            await commit.complete(found, failures)
            failpoints.reach("before_completion_commit")
        failpoints.reach("after_completion_commit")
        return len(found)

    async def _read(self, rows: list[Any]) -> list[tuple[Any, Extracted]]:
        hashes = [(row["text_hash"], row["context_hash"]) for row in rows]
        for text_hash, context_hash in hashes:
            self._extractor.expect(text_hash, context_hash)
        kept = await self._replies.find([key for pair in hashes for key in self._extractor.keys(*pair)])
        tasks = [
            self._extractor.extract(
                row["text"],
                row["text_hash"],
                row["context_hash"],
                DocumentContext.model_validate(json.loads(row["context"])),
                (),
                kept,
            )
            for row in rows
        ]
        return list(zip(rows, await asyncio.gather(*tasks), strict=True))

    async def vectors(self) -> int:
        """Make the vectors that entities and relations still lack; returns how many were made."""
        done = 0
        for statement in ("pending_entities", "pending_relations"):
            after = 0
            while rows := await self._rows(statement, after):
                after = rows[-1]["id"]
                done += await self._embed(statement, rows)
        return done

    async def _embed(self, statement: str, rows: list[Any]) -> int:
        committed = Committed()
        if statement == "pending_entities":
            committed.entities = [_profile(row) for row in rows]
        else:
            committed.relations = [_relation(row) for row in rows]
        try:
            await put_derived(self._database, self._realm, self._embedder, committed)
        except RAGError as error:
            self._errors.append(f"{type(error).__name__}: {error}")
            return 0
        return len(rows)

    async def _rows(self, statement: str, after: int) -> list[Any]:
        async with self._database.transaction(self._realm.statements) as session:
            return await session.rows(statement, after, BATCH)


def _profile(row: Any) -> Profile:
    return Profile(row["id"], row["space"], row["name"], "", row["description"], True, True)


def _relation(row: Any) -> RelationText:
    triple = Triple(row["subject"], row["predicate"], row["object"], row["negated"])
    return RelationText(row["id"], row["space"], triple.text)
