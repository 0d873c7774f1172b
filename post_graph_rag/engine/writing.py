"""Documents into the realm."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from pydantic import JsonValue

from post_graph_rag.edit.facts import add_rules
from post_graph_rag.engine.front import Front, found_again
from post_graph_rag.errors import RealmNotFound
from post_graph_rag.ingest.budget import Budget
from post_graph_rag.ingest.indexer import Indexer
from post_graph_rag.models.tokens import tokenizer_for
from post_graph_rag.records import (
    Document,
    DocumentReport,
    Estimate,
    JudgeReport,
    PendingReport,
    ProgressCallback,
    ResolveReport,
)
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm, unmade


class Writing(Front):
    """Indexing."""

    async def index_text(
        self,
        text: str,
        *,
        key: str | None = None,
        source: str | None = None,
        title: str | None = None,
        metadata: Mapping[str, JsonValue] | None = None,
        observed_at: str | None = None,
        space: str | None = None,
        reindex: bool = False,
    ) -> DocumentReport:
        """Index one text; `metadata["source"]`, if there is one, serves where `source` is not given."""
        known = dict(metadata or {})
        named = known.get("source")
        document = Document(
            text=text,
            key=key,
            source=source or (named if isinstance(named, str) else None),
            title=title,
            metadata=known,
            observed_at=observed_at,
            space=space,
        )
        return await self.index_document(document, reindex=reindex)

    async def index_document(
        self, document: Document, *, reindex: bool = False, progress: ProgressCallback | None = None
    ) -> DocumentReport:
        """Index one document; see `index_documents`."""
        return (await self.index_documents([document], reindex=reindex, progress=progress))[0]

    @found_again
    async def index_documents(
        self,
        documents: Sequence[Document],
        *,
        reindex: bool = False,
        progress: ProgressCallback | None = None,
        budget_tokens: int | None = None,
        budget_cost: float | None = None,
        bulk: bool = False,
    ) -> list[DocumentReport]:
        """Index documents: unchanged ones cost nothing, of changed ones only what changed is read by the models.

        A document answers in its old version until the new one is complete. A passage whose extraction fails is kept,
        marked as pending and counted; the next run or `complete_pending` completes it.

        reindex: read everything again, as after a change of model or prompt; replies that are stored are used again.
        progress: called, or awaited, with a Progress for each step.
        budget_tokens, budget_cost: what this call may take, in tokens and by the settings' prices; None: as the
        settings say. When it is spent no further model call begins, and calls under way are waited for.
        bulk: for a first load or another large one. Vectors of entities and relations are made when all documents are
        written, each once; until then what is new of these is found by names, words and walks, and passages by
        everything as ever. What a run that was cut off left to be made, the same call again makes, and so does
        `complete_pending`. Inside a transaction of the caller's it changes nothing.
        Returns a report for each document, in order. Raises when nothing could be indexed: EmptyText, InputError,
        EmbeddingError, ExtractionError (with `reports`), DatabaseError, or an error of opening the realm. Raises
        BudgetExceeded (with `reports`) when the budget did not suffice: what was finished is kept, and the same call
        again goes on from there; ConfigurationError for a cost where a model has no price.
        """
        indexer = replace(await self._indexer(), budget=self._budget(budget_tokens, budget_cost))
        async with self._rules_of_schema(indexer):
            return await indexer.index(documents, reindex=reindex, progress=progress, bulk=bulk)

    @found_again
    async def estimate(self, documents: Sequence[Document], *, reindex: bool = False) -> Estimate:
        """What indexing these documents would take: passages, calls, tokens, and what of them is unchanged.

        No model is asked and nothing is written; the realm need not be there. Where the settings have `prices` it says
        what that would cost.

        reindex: as for `index_documents`.
        Raises InputError, MigrationNeeded, ModelNotConfigured, DatabaseError.
        """
        database = await self._opening.database()
        try:
            realm, there = await self._opening.existing_realm(), True
        except RealmNotFound:
            realm, there = unmade(self.settings.realm), False
        return await self._indexer_of(database, realm).estimate(documents, reindex=reindex, there=there)

    @found_again
    async def complete_pending(self) -> PendingReport:
        """Extract from passages that still lack their structure, and make vectors that are missing."""
        return await (await self._indexer()).complete_pending()

    @found_again
    async def judge_contradictions(self) -> JudgeReport:
        """Ask the auxiliary model which facts cannot hold at the same time; the later of two that cannot is current.

        Of the facts that came into belief since the last judging each is shown once, beside at most 20 others about
        the same subject or object that overlap it in time, and the model chooses among these. Every pair is judged
        once; what fails is left to the next call. With the setting `judge_contradictions` indexing ends with this.
        Raises ConfigurationError when no model can judge, InputError inside a transaction of the caller's.
        """
        return await (await self._indexer()).judge_contradictions()

    @found_again
    async def resolve_entities(self) -> ResolveReport:
        """Merge entities that are one by how their names are written; with `resolve="model"` ask about those in doubt.

        Of the entities that became current since the last time each is looked at beside a few: those that share a rare
        word of a name with it, and those nearest by vector. Numbers, numerals and kinds must agree. A merge is shown by
        `get_entity` with the cause "similar", and ends for good by `split_entity`; what passages call each other, and
        what people said, goes before it. With the setting `resolve` other than "exact" indexing ends with this.
        Raises ConfigurationError when a model is to be asked and none can, InputError inside a transaction of the
        caller's.
        """
        return await (await self._indexer()).resolve_entities()

    def _budget(self, tokens: int | None, cost: float | None) -> Budget | None:
        """What a call may take: what it says itself, else the settings. Raises ConfigurationError."""
        held = self.settings
        most = held.budget_tokens if tokens is None else tokens, held.budget_cost if cost is None else cost
        if most == (None, None):
            return None
        budget = Budget(*most, held.prices, tokenizer_for(held.extraction_model or held.model))
        names = self._opening.models.names
        decides = held.judge_contradictions or held.resolve == "model"
        asked = ("extraction", "embedding", *(("auxiliary",) if decides else ()))
        budget.check_prices(names[role] for role in asked if role in names)
        return budget

    async def _indexer(self) -> Indexer:
        realm = await self._opening.writable_realm()
        return self._indexer_of(await self._opening.database(), realm)

    def _indexer_of(self, database: Database, realm: Realm) -> Indexer:
        return Indexer(
            database,
            realm,
            self._opening.models,
            self.settings,
            self._prompts,
            self._schema,
            self._open_gates,
            self._own,
            self._chunker,
        )

    @asynccontextmanager
    async def _rules_of_schema(self, indexer: Indexer) -> AsyncIterator[None]:
        """Make the schema's rules hold before indexing; in a caller's transaction after it, as they take the lock."""
        rules = self._schema.rules if self._schema is not None and self._ruled is not indexer.realm else ()
        inside = indexer.database.inside_transaction
        if rules and not inside:
            await add_rules(indexer.database, indexer.realm, rules)
            self._ruled = indexer.realm
        yield
        if rules and inside:
            await add_rules(indexer.database, indexer.realm, rules)
