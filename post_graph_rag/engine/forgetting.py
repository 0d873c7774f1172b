"""Deleting, erasing, purging."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from post_graph_rag.edit.delete import delete_documents
from post_graph_rag.edit.entities import Entities
from post_graph_rag.edit.erase import Erasing
from post_graph_rag.edit.purge import purge_history
from post_graph_rag.engine.front import Front, found_again
from post_graph_rag.records import DeleteReport, EraseReport, PurgeReport


class Forgetting(Front):
    """Deleting keeps history, erasing does not."""

    async def delete_document(self, key: str, *, space: str | None = None) -> DeleteReport:
        """Delete a document; see `delete_documents`."""
        return await self.delete_documents([key], space=space)

    @found_again
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

    @found_again
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

    @found_again
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

    @found_again
    async def purge_history(self, before: str | date | datetime) -> PurgeReport:
        """Keep no belief of before this moment: rows of the record that had ended by then go, and what only they held.

        What holds now is as it was; questions about earlier beliefs raise HistoryPurged from now on.

        before: a mark, an instant, or a date, whose beginning is meant; a moment to come is taken for now.
        Raises ImpossibleDate, ReadOnlyServer, RightMissing.
        """
        return await purge_history(await self._opening.database(), await self._opening.changeable_realm(), before)
