"""What the realm already has of some documents: so that nothing known is cut, embedded or extracted again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from post_graph_rag.clean import text_hash
from post_graph_rag.errors import ChunkingError, RAGError
from post_graph_rag.ingest.chunker import Chunker, chunks_by
from post_graph_rag.ingest.chunks import Chunk, chunk_text, given_chunks
from post_graph_rag.ingest.drafts import Draft, PassageDraft
from post_graph_rag.ingest.extract import Extractor
from post_graph_rag.ingest.mentions import mentioned_keys
from post_graph_rag.models.replies import Kept, ReplyStore
from post_graph_rag.names import name_key
from post_graph_rag.records import DocumentStatus
from post_graph_rag.store import write
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm

_LONG = 50_000
"""Characters from which on a text is cut in a thread of its own."""
_NAMES_A_DOCUMENT = 60
"""Known names offered to the extractor; more would cost more than they help."""


@dataclass(slots=True)
class Found:
    """What is there of one document.

    there: passages that have a row; structured: those whose structure stays; settled: those that have one, even if it
    is read anew. error: why the document cannot be read.
    """

    known_names: list[str] = field(default_factory=list)
    kept: Mapping[bytes, Kept] = field(default_factory=dict)
    there: set[PassageDraft] = field(default_factory=set)
    settled: set[PassageDraft] = field(default_factory=set)
    structured: set[PassageDraft] = field(default_factory=set)
    with_vector: set[PassageDraft] = field(default_factory=set)
    error: RAGError | None = None

    def embedded(self, passage: PassageDraft) -> bool:
        """Whether the passage has its vector."""
        return passage in self.with_vector


class Lookup:
    """Two short transactions for a slice of documents, whatever is in it."""

    def __init__(
        self,
        database: Database,
        realm: Realm,
        replies: ReplyStore,
        extractor: Extractor,
        cut: tuple[int, int],
        count: Callable[[str], int],
        chunker: Chunker | None = None,
    ) -> None:
        self._database = database
        self._realm = realm
        self._replies = replies
        self._extractor = extractor
        self._tokens, self._overlap = cut
        self._count = count
        self._chunker = chunker

    async def look_up(self, drafts: Sequence[Draft], reindex: bool) -> list[tuple[Draft, Found]]:
        """Set each draft's status and passages, and say what is there of it."""
        wanted = [{"n": n, "space": item.space, "digest": item.digest} for n, item in enumerate(drafts)]
        async with self._database.transaction(self._realm.statements) as session:
            rows = await write.find_documents(session, wanted)
        found = [Found() for _ in drafts]
        for n, item in enumerate(drafts):
            item.held = rows[n]["passages"] if n in rows else 0
            item.same_metadata = n in rows and rows[n]["metadata_hash"] == item.metadata_hash
            item.status = _status(item, rows.get(n), reindex)
            if item.status not in ("unchanged", "metadata"):
                found[n].error = await self.cut(item)
        await self._find_passages(drafts, found, reindex)
        return list(zip(drafts, found, strict=True))

    async def cut(self, item: Draft) -> RAGError | None:
        """Give the draft its passages, without keeping the event loop from everything else for long.

        Returns what is wrong with those that the caller's chunker makes, which is no fault of other documents.
        """
        if self._chunker is not None and item.given is None:
            return await self._cut_by(self._chunker, item)
        if len(item.text) + sum(map(len, item.given or ())) > _LONG:
            item.passages = await asyncio.to_thread(self._passages, item)
        else:
            item.passages = self._passages(item)
            await asyncio.sleep(0)
        return None

    async def _cut_by(self, chunker: Chunker, item: Draft) -> RAGError | None:
        try:
            item.passages = await asyncio.to_thread(self._drafted, await chunks_by(chunker, item.text))
        except ChunkingError as error:
            return error
        return None

    def _passages(self, item: Draft) -> list[PassageDraft]:
        if item.given is not None:
            return self._drafted(given_chunks(item.text, item.given))
        return self._drafted(chunk_text(item.text, self._tokens, self._overlap, self._count))

    def _drafted(self, chunks: Sequence[Chunk]) -> list[PassageDraft]:
        return [PassageDraft(chunk, text_hash(chunk.text), self._count(chunk.text)) for chunk in chunks]

    async def _find_passages(self, drafts: Sequence[Draft], found: Sequence[Found], reindex: bool) -> None:
        reading = [(item, there) for item, there in zip(drafts, found, strict=True) if item.passages]
        owners = [(item, there, passage) for item, there in reading for passage in item.unique_passages().values()]
        if not owners:
            return
        mentioned = [(item, mentioned_keys(item.text or "\n".join(item.given or ()))) for item, _ in reading]
        async with self._database.transaction(self._realm.statements) as session:
            rows = await write.find_passages(session, [_passage_row(n, *owner) for n, owner in enumerate(owners)])
            names = await write.find_known_names(session, _name_rows(mentioned))
        for n, (_, there, passage) in enumerate(owners):
            _note(rows.get(n), there, passage, reindex)
        missing = [(item, passage) for item, there, passage in owners if passage not in there.structured]
        for item, passage in missing:
            self._extractor.expect(passage.text_hash, item.context_hash)
        keys = [key for item, passage in missing for key in self._extractor.keys(passage.text_hash, item.context_hash)]
        kept = await self._replies.find(keys)
        for n, (_, there) in enumerate(reading):
            there.kept, there.known_names = kept, _most_wanted(names.get(n, []), mentioned[n][1])


def _status(item: Draft, row: Mapping[str, Any] | None, reindex: bool) -> DocumentStatus:
    if row is None:
        return "new"
    same = (row["text_hash"], row["context_hash"], row["observed_text"]) == (
        item.text_hash,
        item.context_hash,
        item.observed_text,
    )
    if not same or reindex:
        return "changed"
    if row["pending"]:
        return "completed"
    return "unchanged" if item.same_metadata else "metadata"


def _passage_row(n: int, item: Draft, _there: Found, passage: PassageDraft) -> dict[str, Any]:
    return {
        "n": n,
        "space": item.space,
        "text_hash": passage.text_hash,
        "context_hash": item.context_hash,
        "event": item.observed,
    }


def _note(row: Mapping[str, Any] | None, there: Found, passage: PassageDraft, reindex: bool) -> None:
    if row is None:
        return
    there.there.add(passage)
    if row["embedded"]:
        there.with_vector.add(passage)
    if row["extractor"] is not None:
        there.settled.add(passage)
    if row["extractor"] is not None and not reindex:
        there.structured.add(passage)
        if row["embedded"]:
            passage.known = row["id"]


def _name_rows(mentioned: Sequence[tuple[Draft, Sequence[str]]]) -> list[dict[str, Any]]:
    return [
        {"n": n, "space": item.space, "key": key} for n, (item, keys) in enumerate(mentioned) for key in sorted(keys)
    ]


def _most_wanted(names: Sequence[str], keys: Sequence[str]) -> list[str]:
    """Known names in the order of their keys in the document, as many as are worth their tokens."""
    known = {name_key(name): name for name in names}
    return [known[key] for key in keys if key in known][:_NAMES_A_DOCUMENT]
