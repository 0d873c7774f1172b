"""What is there, and what changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from post_graph_rag.engine.front import Front, found_again
from post_graph_rag.models.spending import usage_since
from post_graph_rag.records import (
    ChangeKind,
    Changes,
    DocumentDetail,
    DocumentGraph,
    DocumentPage,
    DocumentStats,
    EntityDetail,
    EntityPage,
    RelationDetail,
    Usage,
    UsageBy,
)
from post_graph_rag.retrieve.record import RealmRecord, Spaces
from post_graph_rag.store.feed import changes_since, watermark


class Looking(Front):
    """Lists, single things, statistics and the feed of changes."""

    @found_again
    async def watermark(self) -> str:
        """The moment of the last commit: a mark for `as_believed_at`, and for `changes_since` to go on from."""
        return await watermark(await self._opening.database(), await self._opening.existing_realm())

    @found_again
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

    @found_again
    async def list_documents(
        self, space: Spaces = None, *, limit: int = 100, after: str | None = None, deleted: bool = False
    ) -> DocumentPage:
        """A page of documents, those indexed first in front.

        space: one, several, or "*" for all; None for the engine's own. limit: 1 to 1,000. after: as the page before
        gave it. deleted: also those that were deleted.
        Raises SpaceNotFound, InputError.
        """
        return await (await self._record()).list_documents(space, limit, after, deleted)

    @found_again
    async def get_document(self, key: str, space: str | None = None) -> DocumentDetail:
        """A document with its passages and all its versions; of a deleted one those it had last.

        Raises DocumentNotFound, SpaceNotFound.
        """
        return await (await self._record()).get_document(key, space)

    @found_again
    async def list_entities(
        self, space: Spaces = None, *, dormant: bool = False, limit: int = 100, after: str | None = None
    ) -> EntityPage:
        """A page of entities that stand for themselves, in the order of their keys.

        dormant: also those that no passage mentions. space, limit, after: as for `list_documents`.
        Raises SpaceNotFound, InputError.
        """
        return await (await self._record()).list_entities(space, limit, after, dormant)

    @found_again
    async def get_entity(self, id_or_name: int | str, space: str | None = None) -> EntityDetail:
        """An entity by its id, or by a name or alias in a space; of a merged one, what stands for it.

        Raises EntityNotFound, SpaceNotFound, and InputError for a name that may mean several.
        """
        return await (await self._record()).get_entity(id_or_name, space)

    @found_again
    async def get_relation(self, id: int) -> RelationDetail:
        """A relation with all its periods and what closed them, its evidence, and people's words on it.

        Raises RelationNotFound.
        """
        return await (await self._record()).get_relation(id)

    @found_again
    async def document_stats(self, key: str, space: str | None = None) -> DocumentStats:
        """How much a document carries, and how much of it no other one does. Raises DocumentNotFound, SpaceNotFound."""
        return (await (await self._record()).document_stats([key], space))[0]

    @found_again
    async def documents_stats(
        self, keys: Sequence[str] | None = None, space: str | None = None
    ) -> tuple[DocumentStats, ...]:
        """The same of many, in the order of the keys; None for all of the space. Raises as `document_stats`."""
        return await (await self._record()).document_stats(keys, space)

    @found_again
    async def document_graph(self, key: str, space: str | None = None, limit: int = 500) -> DocumentGraph:
        """The entities a document mentions and the relations it states, most connected first.

        limit: entities at most, and relations between these, 1 to 10,000; the result says when it left some out.
        Raises DocumentNotFound, SpaceNotFound, InputError.
        """
        return await (await self._record()).document_graph(key, space, limit)

    @found_again
    async def usage(self, since: str | date | datetime | None = None, by: UsageBy = "model") -> tuple[Usage, ...]:
        """What calls of models took, for indexing and for questions, with what that cost by the settings' prices.

        Questions are written down a second after they are asked at most, and by this call; a role that only reads, and
        a replica, count their own only, see `Usage.unwritten_calls`.

        since: a date or a moment; None for all that was ever made. by: model, role, day or document.
        Raises InputError, ImpossibleDate, RealmNotFound.
        """
        database, realm = await self._opening.database(), await self._opening.existing_realm()
        return await usage_since(database, realm, self._opening.calls, since, by, self.settings.prices)

    async def _record(self) -> RealmRecord:
        return RealmRecord(await self._opening.database(), await self._opening.existing_realm(), self.settings.space)
