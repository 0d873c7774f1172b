"""Documents on their way in: looked up, cut, read by the models, and handed in groups to one committer.

Passages of all documents share the models' concurrency; a document that is finished is written with whatever else is
finished at that moment, so a slow passage holds up only its own document.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from post_graph_rag.errors import BudgetExceeded, ExtractionError, RAGError
from post_graph_rag.ingest.committer import Committer
from post_graph_rag.ingest.drafts import Draft, PassageDraft, draft
from post_graph_rag.ingest.extract import Extracted, Extractor
from post_graph_rag.ingest.group_errors import first_error, only_error
from post_graph_rag.ingest.lookup import Found, Lookup
from post_graph_rag.ingest.passages import Overtaken
from post_graph_rag.ingest.steps import Steps
from post_graph_rag.models.embedder import Embedder
from post_graph_rag.records import Document, DocumentReport, ProgressCallback

SLICE = 64
"""Documents looked up together."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What an indexing call works with."""

    lookup: Lookup
    extractor: Extractor
    embedder: Embedder
    committer: Committer


class Indexing:
    """One call of index_documents."""

    def __init__(self, tools: Tools, space: str, *, reindex: bool, progress: ProgressCallback | None) -> None:
        self._tools = tools
        self._space = space
        self._reindex = reindex
        self._steps = Steps(progress)
        self._reports: dict[int, DocumentReport] = {}
        self._finished: dict[int, Draft] = {}
        self._errors: dict[int, RAGError] = {}
        self._slots = asyncio.Semaphore(tools.committer.in_flight)

    async def run(self, documents: Sequence[Document]) -> list[DocumentReport]:
        """Index the documents; a report for each, in order.

        Of documents with one key the later wins. Raises the first error when no document could be indexed; else
        errors are in the reports.
        """
        drafts = await self._drafts(documents)
        try:
            for turn in self._tools.committer.turns(drafts):
                await self._index(turn)
        except BaseExceptionGroup as group:
            raise only_error(group) from group
        self._reports.update({number: _report(item) for number, item in self._finished.items()})
        self._replaced(drafts)
        self._raise_if_nothing_worked(len(documents))
        return [self._reports[number] for number in range(len(documents))]

    async def _drafts(self, documents: Sequence[Document]) -> list[Draft]:
        drafts = []
        for number, document in enumerate(documents):
            try:
                drafts.append(draft(number, document, self._space))
            except RAGError as error:
                key = document.key or document.source or ""
                self._fail(number, key, document.space or self._space, error)
                await self._steps.refused(key)
        return drafts

    async def _index(self, drafts: Sequence[Draft]) -> None:
        committer = self._tools.committer
        committer.expect()
        async with committer.open(reindex=self._reindex), asyncio.TaskGroup() as readers:
            try:
                await self._begin(drafts, readers)
            finally:
                committer.ended()

    async def _begin(self, drafts: Sequence[Draft], readers: asyncio.TaskGroup) -> None:
        for start in range(0, len(drafts), SLICE):
            for item, found in await self._look_up(drafts[start : start + SLICE]):
                if item.status == "unchanged":
                    await self._unchanged(item)
                else:
                    await self._slots.acquire()
                    self._tools.committer.expect()
                    readers.create_task(self._document(item, found))

    async def _look_up(self, drafts: Sequence[Draft]) -> list[tuple[Draft, Found]]:
        """What is there of a slice; a look-up that fails fails its own documents, not those that are being read."""
        try:
            return await self._tools.lookup.look_up(drafts, self._reindex)
        except RAGError as error:
            for item in drafts:
                self._fail(item.number, item.key, item.space, error)
                await self._steps.ended("failed", item)
            return []

    async def _unchanged(self, item: Draft) -> None:
        self._reports[item.number] = DocumentReport(
            key=item.key, space=item.space, status="unchanged", passages=item.held
        )
        await self._steps.unchanged(item)

    async def _document(self, item: Draft, found: Found) -> None:
        """One document, read and written; what fails in it fails for it alone."""
        try:
            await self._read_and_put(item, found)
        except* RAGError as errors:
            self._finished.pop(item.number, None)
            self._fail(item.number, item.key, item.space, first_error(errors))
            await self._steps.ended("failed", item)
        finally:
            self._tools.committer.ended()
            self._slots.release()

    async def _read_and_put(self, item: Draft, found: Found) -> None:
        while item.status != "unchanged":
            if found.error is not None:
                raise found.error
            await self._read(item, found)
            self._finished[item.number] = item
            if item.status == "kept":
                await self._steps.ended("failed", item)
                return
            try:
                await self._tools.committer.put(item)
            except Overtaken:
                # Another writer changed the document after it was looked up: see what is there now.
                found = await self._look_again(item)
            else:
                await self._steps.ended("published", item)
                return
        await self._unchanged(item)

    async def _look_again(self, item: Draft) -> Found:
        self._finished.pop(item.number, None)
        self._errors.pop(item.number, None)
        item.restart()
        [(_, found)] = await self._tools.lookup.look_up([item], self._reindex)
        return found

    async def _read(self, item: Draft, found: Found) -> None:
        """All passages of one document through the models."""
        passages = item.unique_passages().values()
        wanted = [passage for passage in passages if passage.known is None]
        unread = [passage for passage in wanted if passage not in found.structured]
        await self._steps.staged(item, len(unread))
        async with asyncio.TaskGroup() as group:
            group.create_task(self._embed(item, [passage for passage in wanted if not found.embedded(passage)]))
            reading = [group.create_task(self._extract(item, passage, found)) for passage in unread]
        if item.refused is not None:
            raise item.refused
        self._gather(item, found, dict(zip(unread, (task.result() for task in reading), strict=True)))

    async def _embed(self, item: Draft, passages: Sequence[PassageDraft]) -> None:
        with _held_back(item):
            vectors = await self._tools.embedder.embed([passage.chunk.text for passage in passages], keep=True)
            for passage, vector in zip(passages, vectors, strict=True):
                passage.vector = vector

    async def _extract(self, item: Draft, passage: PassageDraft, found: Found) -> Extracted:
        said = (passage.chunk.text, passage.text_hash, item.context_hash, item.context)
        done = Extracted()
        with _held_back(item):
            done = await self._tools.extractor.extract(*said, found.known_names, found.kept, item.mark)
        passage.extraction, passage.extractor, passage.failure = done.extraction, done.extractor, done.failure
        if passage not in found.there:
            passage.terms()
        await self._steps.extracted(item)
        return done

    def _gather(self, item: Draft, found: Found, results: Mapping[PassageDraft, Extracted]) -> None:
        """Count what happened to the passages; keep an older version when none of the new structure could be had."""
        for passage, done in results.items():
            item.counts.update(calls=done.calls, replayed=done.replayed, failed=done.failure is not None)
            item.counts["empty"] += done.failure is not None and bool(done.extractor)
            item.counts["pending"] += not done.extractor and passage not in found.settled
            item.gates += done.gates
            item.repairs += done.repairs
            item.errors += done.errors
            if done.extraction is not None:
                item.counts.update(
                    entities=len(done.extraction.entities), relations=len(done.extraction.relations), read=1
                )
        passages = item.unique_passages().values()
        item.counts["fresh"] = sum(passage not in found.there for passage in passages)
        if item.counts["failed"] and item.counts["failed"] == len(passages):
            self._errors[item.number] = ExtractionError(
                f"nothing could be extracted from {item.key[:200]!r}: {item.errors[0] if item.errors else 'no reply'}"
            )
        if _gained_nothing(item, len(passages)):
            item.status = "kept"

    def _fail(self, number: int, key: str, space: str, error: RAGError) -> None:
        self._errors[number] = error
        said = f"{type(error).__name__}: {error}"
        self._reports[number] = DocumentReport(key=key, space=space, status="failed", errors=(said,))

    def _replaced(self, drafts: Sequence[Draft]) -> None:
        """What was not written, for a later one of the same document, shares its fate but not its counts."""
        last = {item.identity: item.number for item in drafts}
        for item in drafts:
            if item.number not in self._reports:
                report = self._reports[last[item.identity]]
                kept = {"key", "space", "status", "passages", "errors"}
                self._reports[item.number] = DocumentReport(**report.model_dump(include=kept))
                if last[item.identity] in self._errors:
                    self._errors[item.number] = self._errors[last[item.identity]]

    def _raise_if_nothing_worked(self, documents: int) -> None:
        if documents and len(self._errors) == documents:
            refused = (error for error in self._errors.values() if isinstance(error, BudgetExceeded))
            error = next(refused, self._errors[min(self._errors)])
            if isinstance(error, ExtractionError | BudgetExceeded):
                error.reports = tuple(self._reports[number] for number in range(documents))
            raise error


@contextmanager
def _held_back(item: Draft) -> Iterator[None]:
    """That the budget is spent is said when the document's calls under way have ended: they are paid for."""
    try:
        yield
    except BudgetExceeded as error:
        item.refused = error


def _gained_nothing(item: Draft, passages: int) -> bool:
    """Whether the version that is there is as good as what was read now."""
    if item.status == "completed":
        return item.same_metadata and item.counts["failed"] > item.counts["empty"] and not item.counts["read"]
    return item.status == "changed" and item.counts["failed"] == passages > 0


def _report(item: Draft) -> DocumentReport:
    counts = item.counts
    return DocumentReport(
        key=item.key,
        space=item.space,
        status=item.status,
        passages=item.held if item.status in ("metadata", "kept") else len(item.passages),
        new_passages=counts["fresh"],
        pending=counts["pending"],
        pending_vectors=counts["pending_vectors"],
        entities=counts["entities"],
        relations=counts["relations"],
        model_calls=counts["calls"],
        replayed=counts["replayed"],
        gates=dict(item.gates),
        repairs=dict(item.repairs),
        replaced_characters=item.replaced,
        errors=tuple(item.errors),
    )
