"""Documents on their way in: looked up, cut, read by the models, and handed in groups to one committer.

Passages of all documents share the models' concurrency; a document that is finished is written with whatever else is
finished at that moment, so a slow passage holds up only its own document.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from post_graph_rag.errors import ExtractionError, RAGError
from post_graph_rag.ingest.committer import Committer
from post_graph_rag.ingest.drafts import Draft, PassageDraft, draft
from post_graph_rag.ingest.extract import Extracted, Extractor
from post_graph_rag.ingest.lookup import Found, Lookup
from post_graph_rag.models.embedder import Embedder
from post_graph_rag.records import Document, DocumentReport, Progress, ProgressCallback

SLICE = 64
"""Documents looked up together."""
IN_FLIGHT = 128
"""Documents being read at once; bounds memory, not the models, which have their own bound."""


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
        self._progress = progress
        self._reports: dict[int, DocumentReport] = {}
        self._finished: dict[int, Draft] = {}
        self._errors: dict[int, RAGError] = {}
        self._slots = asyncio.Semaphore(IN_FLIGHT)
        self._total = 0
        self._done = 0

    async def run(self, documents: Sequence[Document]) -> list[DocumentReport]:
        """Index the documents; a report for each, in order.

        Raises the first error when no document could be indexed; else errors are in the reports.
        """
        drafts = list(self._drafts(documents))
        try:
            await self._index(drafts)
        except BaseExceptionGroup as group:
            raise _only(group) from group
        self._reports.update({number: _report(item) for number, item in self._finished.items()})
        self._raise_if_nothing_worked(len(documents))
        return [self._reports[number] for number in range(len(documents))]

    async def _index(self, drafts: Sequence[Draft]) -> None:
        async with self._tools.committer.open(reindex=self._reindex), asyncio.TaskGroup() as readers:
            for start in range(0, len(drafts), SLICE):
                for item, found in await self._tools.lookup.look_up(drafts[start : start + SLICE], self._reindex):
                    if item.status == "unchanged":
                        await self._unchanged(item, found)
                    else:
                        await self._slots.acquire()
                        self._total += len(item.passages)
                        readers.create_task(self._read(item, found))

    def _drafts(self, documents: Sequence[Document]) -> Iterator[Draft]:
        for number, document in enumerate(documents):
            try:
                yield draft(number, document, self._space)
            except RAGError as error:
                self._fail(number, document.key or document.source or "", document.space or self._space, error)

    async def _unchanged(self, item: Draft, found: Found) -> None:
        self._reports[item.number] = DocumentReport(
            key=item.key, space=item.space, status="unchanged", passages=found.passages
        )
        await self._tell("unchanged", item)

    async def _read(self, item: Draft, found: Found) -> None:
        """All passages of one document through the models, then to the committer."""
        try:
            await self._tell("staged", item)
            async with asyncio.TaskGroup() as group:
                wanted = [passage for passage in item.unique_passages().values() if passage.known is None]
                group.create_task(self._embed([passage for passage in wanted if not found.embedded(passage)]))
                reading = [group.create_task(self._extract(item, passage, found)) for passage in wanted]
            self._gather(item, [task.result() for task in reading])
            self._finished[item.number] = item
            if item.status == "kept":
                return
            await self._tools.committer.put(item)
            await self._tell("published", item)
        except* RAGError as errors:
            self._finished.pop(item.number, None)
            self._fail(item.number, item.key, item.space, _first(errors))
            await self._tell("failed", item)
        finally:
            self._slots.release()

    async def _embed(self, passages: Sequence[PassageDraft]) -> None:
        vectors = await self._tools.embedder.embed([passage.chunk.text for passage in passages], keep=True)
        for passage, vector in zip(passages, vectors, strict=True):
            passage.vector = vector

    async def _extract(self, item: Draft, passage: PassageDraft, found: Found) -> Extracted:
        if passage in found.structured:
            return Extracted()
        done = await self._tools.extractor.extract(
            passage.chunk.text, passage.text_hash, item.context_hash, item.context, found.known_names, found.kept
        )
        passage.extraction, passage.failure = done.extraction, done.failure
        self._done += 1
        await self._tell("extracted", item)
        return done

    def _gather(self, item: Draft, results: Sequence[Extracted]) -> None:
        """Count what happened to the passages; keep an older version when none of the new structure could be had."""
        for done in results:
            item.counts.update(calls=done.calls, replayed=done.replayed, pending=done.failure is not None)
            item.gates += done.gates
            item.repairs += done.repairs
            item.errors += done.errors
            if done.extraction is not None:
                item.counts.update(
                    entities=len(done.extraction.entities), relations=len(done.extraction.relations), read=1
                )
        item.counts["fresh"] = len(results)
        failed = item.counts["pending"] > 0 and item.counts["pending"] == len(item.unique_passages())
        if failed:
            self._errors[item.number] = ExtractionError(
                f"nothing could be extracted from {item.key[:200]!r}: {item.errors[0] if item.errors else 'no reply'}"
            )
            item.status = "kept" if item.status in ("changed", "completed") else item.status

    def _fail(self, number: int, key: str, space: str, error: RAGError) -> None:
        self._errors[number] = error
        said = f"{type(error).__name__}: {error}"
        self._reports[number] = DocumentReport(key=key, space=space, status="failed", errors=(said,))

    def _raise_if_nothing_worked(self, documents: int) -> None:
        if documents and len(self._errors) == documents:
            error = self._errors[min(self._errors)]
            if isinstance(error, ExtractionError):
                error.reports = tuple(self._reports[number] for number in range(documents))
            raise error

    async def _tell(self, stage: str, item: Draft) -> None:
        if self._progress is not None:
            step = Progress.model_validate(
                {"stage": stage, "document": item.key, "done": self._done, "total": self._total}
            )
            answer = self._progress(step)
            if inspect.isawaitable(answer):
                await answer


def _only(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The library's error in a group that holds nothing else; the group itself when something unexpected is in it."""
    ours, other = group.split(RAGError)
    return group if ours is None or other is not None else _first(ours)


def _first(errors: BaseExceptionGroup[RAGError]) -> RAGError:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, RAGError)
    return error


def _report(item: Draft) -> DocumentReport:
    counts = item.counts
    return DocumentReport(
        key=item.key,
        space=item.space,
        status=item.status,
        passages=len(item.passages),
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
