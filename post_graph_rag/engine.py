"""GraphRAG, the front door: each method hands on to one room."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import date, datetime
from functools import wraps
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from pydantic import JsonValue

from post_graph_rag.config import Settings
from post_graph_rag.edit.changing import Changing
from post_graph_rag.edit.delete import delete_documents
from post_graph_rag.edit.entities import Entities
from post_graph_rag.edit.erase import Erasing
from post_graph_rag.edit.facts import close_relation, get_rules, reopen_relation, set_rules
from post_graph_rag.edit.purge import purge_history
from post_graph_rag.errors import ExtensionMissing, RealmMoved
from post_graph_rag.ingest.indexer import Indexer
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.roles import Models
from post_graph_rag.models.tokens import tokenizer_for
from post_graph_rag.opening import Opening
from post_graph_rag.records import (
    Answer,
    ChangeKind,
    Changes,
    DeleteReport,
    Document,
    DocumentDetail,
    DocumentGraph,
    DocumentPage,
    DocumentReport,
    DocumentStats,
    EntityDetail,
    EntityEdit,
    EntityPage,
    EraseReport,
    Finding,
    JudgeReport,
    OptimizeReport,
    PendingReport,
    PredicateRule,
    ProgressCallback,
    PurgeReport,
    QueryData,
    QueryParam,
    RealmStats,
    RelationDetail,
)
from post_graph_rag.retrieve.answer import AnswerStream, answer
from post_graph_rag.retrieve.pipeline import Library, Reader, retrieve
from post_graph_rag.retrieve.record import RealmRecord, Spaces
from post_graph_rag.store.cypher import run_cypher
from post_graph_rag.store.feed import changes_since, watermark
from post_graph_rag.store.grants import grant_realm
from post_graph_rag.store.projection import rebuild_graph
from post_graph_rag.store.realms import drop_realm
from post_graph_rag.store.stats import realm_stats
from post_graph_rag.store.upkeep import keep_up

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def _found_again(
    method: Callable[Concatenate[GraphRAG, Arguments], Awaitable[Result]],
) -> Callable[Concatenate[GraphRAG, Arguments], Coroutine[Any, Any, Result]]:
    """Once more with the realm looked up anew, when it or its extensions were replaced while it was open."""

    @wraps(method)
    async def run(self: GraphRAG, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return await method(self, *args, **kwargs)
        except (RealmMoved, ExtensionMissing):
            self._opening.forget_realm()
            return await method(self, *args, **kwargs)

    return run


class GraphRAG:
    """One realm in one PostgreSQL, with the models that write and read it.

        async with GraphRAG(Settings(dsn=…, realm="acme")) as rag:
            await rag.index_text("…", source="a.md")
            answer = await rag.query("Who runs Acme?")

    settings: what to connect to and with which models; None takes everything from the environment.
    connection: an asyncpg pool or one connection that the caller owns; it is never closed here, its settings and role
        are left as they are, and nothing is migrated on it. On one connection calls wait for their turn; while they
        run, the caller must not use it. Inside a transaction of the caller's, no realm is made, its isolation holds,
        every model is asked before the realm's write lock is taken, which then lasts to its end, and all that was
        written, model replies included, is kept only if it commits.
    models: language and embedding models of the caller's own, in place of those the settings name.
    prompts: replacements for the shipped prompts, by name.

    Nothing is opened before it is needed. One object may be used in several event loops, one after the other.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        connection: Any = None,
        models: Models | None = None,
        prompts: Mapping[str, str] | None = None,
    ) -> None:
        self.settings = settings or Settings()
        self._prompts = Prompts(prompts)
        self._opening = Opening(self.settings, connection, models)

    async def __aenter__(self) -> GraphRAG:
        await self.initialize()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def initialize(self) -> None:
        """Reach the database, and make the realm if the settings say `create`.

        Raises ConfigurationError, ServerUnavailable, ExtensionMissing, MigrationNeeded, WidthMismatch.
        """
        # Reading its vocabulary takes a tokenizer half a second, which goes by while the server is reached.
        warming = asyncio.create_task(asyncio.to_thread(tokenizer_for(None).count, ""))
        try:
            await (self._opening.realm() if self.settings.create else self._opening.reach())
        finally:
            await warming

    async def close(self) -> None:
        """Close what this object opened; a caller's connection stays open. May be called again."""
        await self._opening.close()

    # ---------------------------------------------------------------- writing

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

    @_found_again
    async def index_documents(
        self, documents: Sequence[Document], *, reindex: bool = False, progress: ProgressCallback | None = None
    ) -> list[DocumentReport]:
        """Index documents: unchanged ones cost nothing, of changed ones only what changed is read by the models.

        A document answers in its old version until the new one is complete. A passage whose extraction fails is kept,
        marked as pending and counted; the next run or `complete_pending` completes it.

        reindex: read everything again, as after a change of model or prompt; replies that are stored are used again.
        progress: called, or awaited, with a Progress for each step.
        Returns a report for each document, in order. Raises when nothing could be indexed: EmptyText, InputError,
        EmbeddingError, ExtractionError (with `reports`), DatabaseError, or an error of opening the realm.
        """
        indexer = await self._indexer()
        return await indexer.index(documents, reindex=reindex, progress=progress)

    @_found_again
    async def complete_pending(self) -> PendingReport:
        """Extract from passages that still lack their structure, and make vectors that are missing."""
        return await (await self._indexer()).complete_pending()

    # ---------------------------------------------------------------- reading

    @_found_again
    async def query_data(self, question: str, param: QueryParam | None = None) -> QueryData:
        """What is found for a question, without an answer.

        Raises InputError, RealmNotFound, SpaceNotFound, NoCommunities, BudgetTooSmall, EmbeddingError, DatabaseError.
        """
        return await retrieve(self._reader(), question, param)

    @_found_again
    async def query(self, question: str, param: QueryParam | None = None) -> Answer:
        """An answer with the sources it cites, and everything that was found.

        Raises what `query_data` raises, and LLMError (with `retrieval`) when no answer could be written.
        """
        return await answer(self._reader(), self._opening.models, question, param)

    @asynccontextmanager
    async def stream(self, question: str, param: QueryParam | None = None) -> AsyncIterator[AnswerStream]:
        """The same as `query`, piece by piece: `async with rag.stream(q) as s: async for text in s: …; s.answer`."""
        async with AsyncExitStack() as stack:
            yield await self._begin(stack, question, param)

    @_found_again
    async def _begin(self, stack: AsyncExitStack, question: str, param: QueryParam | None) -> AnswerStream:
        stream = AnswerStream(self._reader(), self._opening.models, question, param)
        return await stack.enter_async_context(stream)

    @_found_again
    async def cypher(
        self, query: str, params: Mapping[str, JsonValue] | None = None, columns: Sequence[str] = ("result",)
    ) -> list[dict[str, JsonValue]]:
        """Look at the graph by openCypher: one dict a row, by `columns`; nothing that the query changes is kept.

        Raises SchemaError for a realm without a graph, DatabaseError for a query that Apache AGE refuses.
        """
        return await run_cypher(
            await self._opening.database(), await self._opening.existing_realm(), query, params or {}, columns
        )

    # ---------------------------------------------------------------- what is there, and what changed

    @_found_again
    async def watermark(self) -> str:
        """The moment of the last commit: a mark for `as_believed_at`, and for `changes_since` to go on from."""
        return await watermark(await self._opening.database(), await self._opening.existing_realm())

    @_found_again
    async def changes_since(
        self, mark: str | None, kinds: Sequence[ChangeKind] | None = None, limit: int = 1000
    ) -> Changes:
        """What changed after a mark, in the order of commits: every step, also what was undone since.

        Nothing is missed: whatever commits after this call is behind the mark it returns.

        mark: from `watermark` or the page before; None for all that is kept. kinds: None for documents, entities and
        relations. limit: changes of the page, 1 to 10,000.
        Raises InputError for what is no mark, HistoryPurged for a mark before what is kept.
        """
        database, realm = await self._opening.database(), await self._opening.existing_realm()
        return await changes_since(database, realm, mark, kinds, limit)

    @_found_again
    async def list_documents(
        self, space: Spaces = None, *, limit: int = 100, after: str | None = None, deleted: bool = False
    ) -> DocumentPage:
        """A page of documents, those indexed first in front.

        space: one, several, or "*" for all; None for the engine's own. limit: 1 to 1,000. after: as the page before
        gave it. deleted: also those that were deleted.
        Raises SpaceNotFound, InputError.
        """
        return await (await self._record()).list_documents(space, limit, after, deleted)

    @_found_again
    async def get_document(self, key: str, space: str | None = None) -> DocumentDetail:
        """A document with its passages and all its versions; of a deleted one those it had last.

        Raises DocumentNotFound, SpaceNotFound.
        """
        return await (await self._record()).get_document(key, space)

    @_found_again
    async def list_entities(
        self, space: Spaces = None, *, dormant: bool = False, limit: int = 100, after: str | None = None
    ) -> EntityPage:
        """A page of entities that stand for themselves, in the order of their keys.

        dormant: also those that no passage mentions. space, limit, after: as for `list_documents`.
        Raises SpaceNotFound, InputError.
        """
        return await (await self._record()).list_entities(space, limit, after, dormant)

    @_found_again
    async def get_entity(self, id_or_name: int | str, space: str | None = None) -> EntityDetail:
        """An entity by its id, or by a name or alias in a space; of a merged one, what stands for it.

        Raises EntityNotFound, SpaceNotFound, and InputError for a name that may mean several.
        """
        return await (await self._record()).get_entity(id_or_name, space)

    @_found_again
    async def get_relation(self, id: int) -> RelationDetail:
        """A relation with all its periods and what closed them, its evidence, and people's words on it.

        Raises RelationNotFound.
        """
        return await (await self._record()).get_relation(id)

    @_found_again
    async def document_stats(self, key: str, space: str | None = None) -> DocumentStats:
        """How much a document carries, and how much of it no other one does. Raises DocumentNotFound, SpaceNotFound."""
        return (await (await self._record()).document_stats([key], space))[0]

    @_found_again
    async def documents_stats(
        self, keys: Sequence[str] | None = None, space: str | None = None
    ) -> tuple[DocumentStats, ...]:
        """The same of many, in the order of the keys; None for all of the space. Raises as `document_stats`."""
        return await (await self._record()).document_stats(keys, space)

    @_found_again
    async def document_graph(self, key: str, space: str | None = None, limit: int = 500) -> DocumentGraph:
        """The entities a document mentions and the relations it states, most connected first.

        limit: entities at most, and relations between these, 1 to 10,000; the result says when it left some out.
        Raises DocumentNotFound, SpaceNotFound, InputError.
        """
        return await (await self._record()).document_graph(key, space, limit)

    # ---------------------------------------------------------------- facts that change

    @_found_again
    async def set_rules(self, rules: Sequence[PredicateRule]) -> None:
        """Say which facts exclude one another, in the place of what was said before; all that it concerns follows.

        The rules are the realm's, the same for every writer.
        """
        await set_rules(await self._opening.database(), await self._opening.writable_realm(), rules)

    @_found_again
    async def rules(self) -> tuple[PredicateRule, ...]:
        """The rules of the realm."""
        return await get_rules(await self._opening.database(), await self._opening.existing_realm())

    @_found_again
    async def close_relation(self, relation: int, *, at: str | date | datetime | None = None, reason: str = "") -> None:
        """Say that a fact ended with this date, whatever its sources say, or that it never held (at=None).

        A recorded word: `reopen_relation` takes it back, and what was believed before stays askable.
        Raises RelationNotFound, ImpossibleDate.
        """
        await close_relation(await self._opening.database(), await self._opening.existing_realm(), relation, at, reason)

    @_found_again
    async def reopen_relation(self, relation: int, *, reason: str = "") -> None:
        """Say that nothing ended a fact but what its own sources state. Raises RelationNotFound."""
        await reopen_relation(await self._opening.database(), await self._opening.existing_realm(), relation, reason)

    @_found_again
    async def judge_contradictions(self) -> JudgeReport:
        """Ask the auxiliary model which facts cannot hold at the same time; the later of two that cannot is current.

        Of the facts that came into belief since the last judging each is shown once, beside at most 20 others about
        the same subject or object that overlap it in time, and the model chooses among these. Every pair is judged
        once; what fails is left to the next call. With the setting `judge_contradictions` indexing ends with this.
        Raises ConfigurationError when no model can judge, InputError inside a transaction of the caller's.
        """
        return await (await self._indexer()).judge_contradictions()

    # ---------------------------------------------------------------- entities, as people have them

    @_found_again
    async def merge_entities(
        self, sources: Sequence[int | str], target: int | str, *, space: str | None = None
    ) -> EntityEdit:
        """Say that these entities are the target: it stands for them, with all that is said of them, from now on.

        A recorded word, whatever texts say later; `split_entity` takes it back, and what was believed before stays
        askable. A merge that followed from an alias gives way to it; what is merged into a source comes along.

        sources, target: ids, or names in the space; exactly the entity of that name is meant, not what stands for it.
        space: where names are looked up; None for the engine's own.
        Raises EntityNotFound, SpaceNotFound; InputError for entities of two spaces, for one that stands for the target,
        for one that was merged into another by hand, and for a name that may mean several.
        """
        return await (await self._entities()).merge(sources, target, space)

    @_found_again
    async def split_entity(self, source: int | str, *, space: str | None = None) -> EntityEdit:
        """Undo one merge: what this entity was merged into stands for it no more; all else is as without that merge.

        If the merge followed from an alias, no alias makes the two one again; `merge_entities` still does.

        source, space: as for `merge_entities`.
        Raises EntityNotFound, SpaceNotFound; InputError for an entity that is merged into nothing, and for a name that
        may mean several.
        """
        return await (await self._entities()).split(source, space)

    @_found_again
    async def rename_entity(self, entity: int | str, name: str | None, *, space: str | None = None) -> EntityEdit:
        """Give an entity the name that is shown, and by which it is found too, whatever texts call it.

        A recorded word: it stays when texts change, when others are merged into the entity, and while nothing mentions
        it. Of an entity that is merged into another, the one that stands for it is renamed.

        name: None takes the given name back. entity, space: as for `merge_entities`.
        Raises EntityNotFound, SpaceNotFound; InputError for an empty name, and for one that may mean several entities.
        """
        return await (await self._entities()).rename(entity, name, space)

    # ---------------------------------------------------------------- forgetting

    async def delete_document(self, key: str, *, space: str | None = None) -> DeleteReport:
        """Delete a document; see `delete_documents`."""
        return await self.delete_documents([key], space=space)

    @_found_again
    async def delete_documents(self, keys: Sequence[str], *, space: str | None = None) -> DeleteReport:
        """Let documents, and all that rests on nothing else, hold no more; what was believed before stays askable.

        A document that is indexed again is new; of its passages no model is asked again. Without an embedding model,
        vectors of entities that are described otherwise now stay pending.

        keys: all of them are deleted, or none. space: None for the engine's own.
        Raises DocumentNotFound for one that is not there or is deleted already, InputError, ReadOnlyServer,
        RightMissing.
        """
        return await delete_documents(await self._changing(), self._space(space), keys)

    async def erase_document(self, key: str, *, space: str | None = None, vacuum: bool = False) -> EraseReport:
        """Erase a document; see `erase_documents`."""
        return await self.erase_documents([key], space=space, vacuum=vacuum)

    @_found_again
    async def erase_documents(
        self, keys: Sequence[str], *, space: str | None = None, vacuum: bool = False
    ) -> EraseReport:
        """Take documents away with all their versions, and all that was derived from them and from nothing else.

        Deleted documents too. Gone are passages that no other document holds or ever held, what they say, what models
        said of them, vectors, and what was believed on no other ground; what other documents say is as it was. Only ids
        stay, so that whoever follows the changes can forget it too. See docs/deletion.md for what the server itself
        keeps for a while.

        vacuum: then clear dead rows, and samples of them in the planner's statistics, which the owner may do and no
        transaction allows. space: None for the engine's own.
        Raises DocumentNotFound for a key that was never there, InputError, RightMissing, ReadOnlyServer.
        """
        changing = await self._changing()
        return await Erasing(changing, self._space(space)).documents(keys, clear=vacuum)

    @_found_again
    async def erase_entity(self, entity: int | str, *, space: str | None = None, vacuum: bool = False) -> EraseReport:
        """Take an entity away with all that was ever said of it: names, facts it is an end of, merges, model replies.

        Texts stay as they are, and so do descriptions of others: the report names the documents whose text may still
        hold its name. What stood for it stands for itself again. Read anew, those texts bring it back.

        entity: its id, or a name in the space; exactly that entity, not what stands for it. space, vacuum: as for
        `erase_documents`.
        Raises EntityNotFound, SpaceNotFound, RightMissing, ReadOnlyServer; InputError for a name that may mean several.
        """
        entities = Entities(await self._changing(), self.settings.space)
        return await entities.erase(entity, space, clear=vacuum)

    @_found_again
    async def purge_history(self, before: str | date | datetime) -> PurgeReport:
        """Keep no belief of before this moment: rows of the record that had ended by then go, and what only they held.

        What holds now is as it was; questions about earlier beliefs raise HistoryPurged from now on.

        before: a mark, an instant, or a date, whose beginning is meant; a moment to come is taken for now.
        Raises ImpossibleDate, ReadOnlyServer, RightMissing.
        """
        return await purge_history(await self._opening.database(), await self._opening.changeable_realm(), before)

    # ---------------------------------------------------------------- the realm

    @_found_again
    async def realm_stats(self) -> RealmStats:
        """How much the realm holds."""
        return await realm_stats(await self._opening.database(), await self._opening.existing_realm())

    @_found_again
    async def optimize(self) -> OptimizeReport:
        """Put derived rows right, build vector indexes where they pay, refresh the planner's statistics.

        Needs the owner's rights. Raises Busy when a table's lock is not had in time.
        """
        return await keep_up(await self._opening.database(), await self._opening.existing_realm())

    @_found_again
    async def rebuild_graph(self) -> None:
        """Draw the Apache AGE graph anew from the record. Needs the owner's rights.

        Raises Busy when somebody else's transaction keeps the graph in use; nothing is changed then.
        """
        await rebuild_graph(await self._opening.database(), await self._opening.existing_realm())

    async def drop_realm(self) -> None:
        """Remove the realm with everything in it."""
        await drop_realm(await self._opening.database(), self.settings.realm)
        self._opening.forget_realm()

    @_found_again
    async def grant(self, role: str, access: Literal["read", "write"]) -> None:
        """Give a database role the rights it needs to read or to write this realm."""
        await grant_realm(await self._opening.database(), await self._opening.existing_realm(), role, access)

    async def doctor(self, every: bool = False) -> list[Finding]:
        """Look at server, extensions, rights, models and the realm's agreement with itself; changes nothing.

        every: all realms of the database instead of this one.
        Returns a finding for each thing, faults among them: what cannot be reached or is not configured is one too.
        """
        return await self._opening.examine(every)

    async def _indexer(self) -> Indexer:
        realm = await self._opening.writable_realm()
        return Indexer(await self._opening.database(), realm, self._opening.models, self.settings, self._prompts)

    async def _library(self) -> Library:
        realm = await self._opening.fitting_realm()
        return Library(await self._opening.database(), realm, self._opening.models.embedding)

    async def _entities(self) -> Entities:
        realm = await self._opening.fitting_realm()
        changing = Changing(await self._opening.database(), realm, self._opening.models.embedding)
        return Entities(changing, self.settings.space)

    def _space(self, space: str | None) -> str:
        return self.settings.space if space is None else space

    async def _changing(self) -> Changing:
        realm = await self._opening.changeable_realm()
        return Changing(await self._opening.database(), realm, self._opening.embedding)

    async def _record(self) -> RealmRecord:
        return RealmRecord(await self._opening.database(), await self._opening.existing_realm(), self.settings.space)

    def _reader(self) -> Reader:
        return Reader(
            library=self._library,
            tokenizer=tokenizer_for(self.settings.synthesis_model or self.settings.model),
            space=self.settings.space,
            prompts=self._prompts,
        )
