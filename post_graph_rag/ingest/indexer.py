"""The room's door: documents in, and what is pending completed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

from post_graph_rag.config import Settings
from post_graph_rag.errors import InputError
from post_graph_rag.ingest.afterwards import Afterwards
from post_graph_rag.ingest.budget import Budget
from post_graph_rag.ingest.bulk import BulkCommitter
from post_graph_rag.ingest.callback import Callback
from post_graph_rag.ingest.chunker import Chunker
from post_graph_rag.ingest.committer import Committer
from post_graph_rag.ingest.complete import Completion
from post_graph_rag.ingest.estimate import Estimating
from post_graph_rag.ingest.extract import Extractor
from post_graph_rag.ingest.judge import Judging
from post_graph_rag.ingest.late import LateCommitter, LateCompletion
from post_graph_rag.ingest.lookup import Lookup
from post_graph_rag.ingest.pipeline import Indexing, Tools
from post_graph_rag.ingest.sameness import ModelArbiter
from post_graph_rag.ingest.similar import Resolving
from post_graph_rag.ingest.verdicts import Judge
from post_graph_rag.models.embedder import Embedder
from post_graph_rag.models.judge_call import judging_chat
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.replies import ReplyStore
from post_graph_rag.models.roles import Models
from post_graph_rag.models.same_call import resolving_chat
from post_graph_rag.models.tokens import tokenizer_for
from post_graph_rag.records import (
    Document,
    DocumentReport,
    Estimate,
    ExtractionSchema,
    Gate,
    JudgeReport,
    PendingReport,
    ProgressCallback,
    ResolveReport,
)
from post_graph_rag.store.database import Database
from post_graph_rag.store.pruning import Keeping
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.upkeep import keep_up_after

_Models: TypeAlias = tuple[ReplyStore, Extractor, Embedder]
_COME_AGAIN = ("unchanged", "completed", "metadata", "kept")


@dataclass(frozen=True, slots=True)
class Indexer:
    """Writes documents into one realm with one set of models."""

    database: Database
    realm: Realm
    models: Models
    settings: Settings
    prompts: Prompts
    schema: ExtractionSchema | None = None
    open_gates: frozenset[Gate] = frozenset()
    own: Callback | None = None
    chunker: Chunker | None = None
    budget: Budget | None = None

    async def index(
        self,
        documents: Sequence[Document],
        *,
        reindex: bool = False,
        progress: ProgressCallback | None = None,
        bulk: bool = False,
    ) -> list[DocumentReport]:
        """Index documents; see GraphRAG.index_documents."""
        _check(documents)
        if self.budget is None:
            return await self._index(documents, reindex, progress, bulk)
        reports = await replace(self, models=self.budget.over(self.models))._index(documents, reindex, progress, bulk)
        self.budget.settle(reports)
        return reports

    async def _index(
        self, documents: Sequence[Document], reindex: bool, progress: ProgressCallback | None, bulk: bool
    ) -> list[DocumentReport]:
        if self.settings.judge_contradictions:
            judging_chat(self.models)
        if self.settings.resolve == "model":
            resolving_chat(self.models)
        async with self._models() as models:
            tools = self._tools(models, bulk)
            indexing = Indexing(tools, self.settings.space, reindex=reindex, progress=progress)
            reports = await indexing.run(documents)
            if self.database.inside_transaction:
                return reports
            return await self._afterwards(reports, Completion(self.database, self.realm, *models), Afterwards())

    async def _afterwards(
        self, reports: list[DocumentReport], completion: Completion, after: Afterwards
    ) -> list[DocumentReport]:
        # A document that comes again may be one whose run was cut off before its derived vectors were made.
        again = [(report.space, report.key) for report in reports if report.status in _COME_AGAIN]
        if again:
            with after.step("make missing vectors"):
                await completion.vectors_of(again)
        if self.settings.resolve != "exact":
            with after.step("resolve entities"):
                after.failed("resolve entities", (await self.resolve_entities()).errors)
        if self.settings.judge_contradictions:
            with after.step("judge contradictions"):
                after.failed("judge contradictions", (await self.judge_contradictions()).errors)
        if self.settings.optimize:
            with after.step("optimize"):
                keeping = Keeping(
                    self.settings.reply_store_days, self.settings.reply_store_mb, self.settings.ledger_days
                )
                written = sum(report.new_passages for report in reports)
                await keep_up_after(self.database, self.realm, written, keeping)
        return after.told(reports)

    async def estimate(self, documents: Sequence[Document], *, reindex: bool, there: bool) -> Estimate:
        """What indexing would take; see GraphRAG.estimate. there: whether the realm is."""
        _check(documents)
        async with self._models() as (replies, extractor, embedder):
            tools = self._tools((replies, extractor, embedder))
            usual = await replies.usual_output() if there else None
            tokenizer = tokenizer_for(self.settings.extraction_model or self.settings.model)
            estimating = Estimating(tools.lookup, extractor, tokenizer, usual, there)
            await estimating.run(documents, self.settings.space, reindex=reindex)
        names = self.models.names
        return estimating.told(self.settings.prices, names.get("extraction", ""), names.get("embedding", ""))

    async def complete_pending(self) -> PendingReport:
        """Finish what earlier runs had to leave; see GraphRAG.complete_pending."""
        completion = LateCompletion if self.database.inside_transaction else Completion
        async with self._models() as models:
            return await completion(self.database, self.realm, *models).run()

    async def judge_contradictions(self) -> JudgeReport:
        """Judge what came into belief since the last time; see GraphRAG.judge_contradictions."""
        judge = Judge(judging_chat(self.models), ReplyStore(self.database, self.realm), self.prompts)
        return await Judging(self.database, self.realm, judge).run()

    async def resolve_entities(self) -> ResolveReport:
        """Look for what is one among entities that are new; see GraphRAG.resolve_entities."""
        async with self._models() as (replies, _, embedder):
            asked = self.settings.resolve == "model"
            arbiter = ModelArbiter(resolving_chat(self.models), replies, self.prompts) if asked else None
            return await Resolving(self.database, self.realm, embedder, arbiter).run()

    def _tools(self, models: _Models, bulk: bool = False) -> Tools:
        replies, extractor, embedder = models
        cut = (self.settings.chunk_tokens, self.settings.chunk_overlap)
        committer = self._committer(bulk)
        return Tools(
            Lookup(self.database, self.realm, replies, extractor, cut, tokenizer_for(None).count, self.chunker),
            extractor,
            embedder,
            committer(self.database, self.realm, embedder, extractor.name),
        )

    def _committer(self, bulk: bool) -> type[Committer]:
        if self.database.inside_transaction:
            return LateCommitter
        return BulkCommitter if bulk else Committer

    @asynccontextmanager
    async def _models(self) -> AsyncIterator[_Models]:
        """What asks models, for one call; nothing of it goes on when the call ends."""
        replies = ReplyStore(self.database, self.realm)
        extractor = Extractor(
            None if self.own is not None and self.own.replaces else self.models.chat("extraction"),
            replies,
            self.prompts,
            self.settings.gleaning_passes,
            self.schema,
            self.open_gates,
            quoting=self.settings.quote_evidence,
            own=self.own,
        )
        embedder = Embedder(self.models.embedding, replies, self.realm.info.dimensions, self.realm.info.passage_prefix)
        try:
            yield replies, extractor, embedder
        finally:
            await embedder.close()


def _check(documents: object) -> None:
    """A text or a mapping in place of a Document is refused, before anything is paid for."""
    if not isinstance(documents, Sequence) or not all(isinstance(document, Document) for document in documents):
        raise InputError("documents must be a list of Document: make each with Document(text=…)")
