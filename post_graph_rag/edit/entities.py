"""What people say of entities: which are one, which are not, and what one is called."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from post_graph_rag.clean import clean_space, clean_text
from post_graph_rag.edit.changing import Changing, Made
from post_graph_rag.edit.erase_entity import erase_entity
from post_graph_rag.edit.words import Said, merge, rename, split
from post_graph_rag.errors import InputError
from post_graph_rag.ingest.written import Written
from post_graph_rag.marks import mark_of
from post_graph_rag.records import EntityEdit, EraseReport
from post_graph_rag.retrieve.refusals import ambiguous, no_entity
from post_graph_rag.retrieve.spaces import resolve_spaces
from post_graph_rag.store import write
from post_graph_rag.store.database import Session
from post_graph_rag.store.write import Named

Ref: TypeAlias = int | str
"""An entity's id, or one of its names."""
Word: TypeAlias = Callable[[Session, datetime, Sequence[Named]], Awaitable[tuple[Written, Said]]]
"""Writes what somebody says of some entities."""


@dataclass(frozen=True, slots=True)
class Entities:
    """The entities of one realm. space: where names are looked for when none is given."""

    changing: Changing
    space: str

    async def merge(self, sources: Sequence[Ref], target: Ref, space: str | None) -> EntityEdit:
        """Make the sources one with the target; see GraphRAG.merge_entities."""
        if isinstance(sources, (str, int)) or not sources:
            raise InputError("sources are the entities to be merged: give a list of ids or names")
        return await self._say(merge, [*sources, target], space)

    async def split(self, source: Ref, space: str | None) -> EntityEdit:
        """Undo the merge of one entity; see GraphRAG.split_entity."""
        return await self._say(split, [source], space)

    async def rename(self, entity: Ref, name: str | None, space: str | None) -> EntityEdit:
        """Call an entity something; see GraphRAG.rename_entity."""
        called = None if name is None else " ".join(clean_text(name)[0].split())
        if called == "":
            raise InputError("the name is empty: give one, or None for the name that texts give")

        async def call(session: Session, stamp: datetime, named: Sequence[Named]) -> tuple[Written, Said]:
            return await rename(session, stamp, named, called)

        return await self._say(call, [entity], space)

    async def erase(self, entity: Ref, space: str | None, *, clear: bool) -> EraseReport:
        """Take away an entity with all that was said of it; see GraphRAG.erase_entity."""

        async def find(session: Session) -> Named:
            [named] = await self._meant(session, [entity], space)
            return named

        return await erase_entity(self.changing, find, clear=clear)

    async def _say(self, word: Word, refs: Sequence[Ref], space: str | None) -> EntityEdit:
        async def change(session: Session, stamp: datetime) -> tuple[Written, Said]:
            return await word(session, stamp, await self._meant(session, refs, space))

        return await self._report(await self.changing.make(change))

    async def _report(self, made: Made[Said]) -> EntityEdit:
        """What became of the entity, as it is called now."""
        async with self.changing.database.transaction(self.changing.realm.statements, read_only=True) as session:
            [[entity]] = await write.named_entities(session, [made.told.entity])
        return EntityEdit(
            id=entity.id,
            name=entity.name,
            space=entity.space_name,
            others=made.told.others,
            at=mark_of(made.at),
            pending_vectors=made.undone.count,
            errors=made.errors,
        )

    async def _meant(self, session: Session, refs: Sequence[Ref], space: str | None) -> list[Named]:
        """The entities that are meant. Raises EntityNotFound, SpaceNotFound, InputError where a name means several."""
        wanted = [ref if isinstance(ref, int) else clean_text(ref)[0] for ref in refs]
        where = None if space is None else clean_space(space)
        spaces = (await resolve_spaces(session, where, self.space)).ids if any(map(_by_name, refs)) else ()
        found = await write.named_entities(session, wanted, spaces)
        return [self._only(ref, candidates, where) for ref, candidates in zip(refs, found, strict=True)]

    def _only(self, ref: Ref, candidates: Sequence[Named], space: str | None) -> Named:
        if not candidates:
            raise no_entity(space or self.space, ref)
        if len(candidates) > 1:
            raise ambiguous(ref, ((one.id, one.name) for one in candidates))
        return candidates[0]


def _by_name(ref: Ref) -> bool:
    return not isinstance(ref, int)
