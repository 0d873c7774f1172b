"""What people say of facts and entities."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from post_graph_rag.edit.entities import Entities
from post_graph_rag.edit.facts import close_relation, get_rules, reopen_relation, set_rules
from post_graph_rag.engine.front import Front, found_again
from post_graph_rag.records import EntityEdit, PredicateRule


class Editing(Front):
    """Rules, words on facts, merges, splits and names."""

    @found_again
    async def set_rules(self, rules: Sequence[PredicateRule]) -> None:
        """Say which facts exclude one another, in the place of what was said before; all that it concerns follows.

        The rules are the realm's, the same for every writer; a realm that is not there yet is made for them.
        Raises ReadOnlyServer, RightMissing, or an error of opening the realm.
        """
        await set_rules(await self._opening.database(), await self._opening.writable_realm(), rules)

    @found_again
    async def rules(self) -> tuple[PredicateRule, ...]:
        """The rules of the realm."""
        return await get_rules(await self._opening.database(), await self._opening.existing_realm())

    @found_again
    async def close_relation(self, relation: int, *, at: str | date | datetime | None = None, reason: str = "") -> None:
        """Say that a fact ended with this date, whatever its sources say, or that it never held (at=None).

        A recorded word: `reopen_relation` takes it back, and what was believed before stays askable.
        Raises RelationNotFound, ImpossibleDate, ReadOnlyServer, RightMissing.
        """
        realm = await self._opening.changeable_realm()
        await close_relation(await self._opening.database(), realm, relation, at, reason)

    @found_again
    async def reopen_relation(self, relation: int, *, reason: str = "") -> None:
        """Say that nothing ended a fact but what its own sources state. Raises as `close_relation`."""
        realm = await self._opening.changeable_realm()
        await reopen_relation(await self._opening.database(), realm, relation, reason)

    @found_again
    async def merge_entities(
        self, sources: Sequence[int | str], target: int | str, *, space: str | None = None
    ) -> EntityEdit:
        """Say that these entities are the target: it stands for them, with all that is said of them, from now on.

        A recorded word, whatever texts say later; `split_entity` takes it back, and what was believed before stays
        askable. A merge that followed from an alias gives way to it; what is merged into a source comes along.
        Without an embedding model, vectors of what is described otherwise now stay pending.

        sources, target: ids, or names in the space; exactly the entity of that name is meant, not what stands for it.
        space: where names are looked up; None for the engine's own.
        Raises EntityNotFound, SpaceNotFound; InputError for entities of two spaces, for one that stands for the target,
        for one that was merged into another by hand, and for a name that may mean several; ReadOnlyServer,
        RightMissing.
        """
        return await (await self._entities()).merge(sources, target, space)

    @found_again
    async def split_entity(self, source: int | str, *, space: str | None = None) -> EntityEdit:
        """Undo one merge: what this entity was merged into stands for it no more; all else is as without that merge.

        If the merge followed from an alias, no alias makes the two one again; `merge_entities` still does.

        source, space: as for `merge_entities`.
        Raises EntityNotFound, SpaceNotFound, ReadOnlyServer, RightMissing; InputError for an entity that is merged into
        nothing, and for a name that may mean several.
        """
        return await (await self._entities()).split(source, space)

    @found_again
    async def rename_entity(self, entity: int | str, name: str | None, *, space: str | None = None) -> EntityEdit:
        """Give an entity the name that is shown, and by which it is found too, whatever texts call it.

        A recorded word: it stays when texts change, when others are merged into the entity, and while nothing mentions
        it. Of an entity that is merged into another, the one that stands for it is renamed.

        name: None takes the given name back. entity, space: as for `merge_entities`.
        Raises EntityNotFound, SpaceNotFound, ReadOnlyServer, RightMissing; InputError for an empty name, and for one
        that may mean several entities.
        """
        return await (await self._entities()).rename(entity, name, space)

    async def _entities(self) -> Entities:
        return Entities(await self._changing(), self.settings.space)
