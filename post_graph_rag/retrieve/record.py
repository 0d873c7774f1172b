"""What the record holds, looked up by key, name or id rather than by a question."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from post_graph_rag.clean import clean_key, clean_space, clean_text
from post_graph_rag.errors import InputError, RelationNotFound
from post_graph_rag.records import (
    DocumentDetail,
    DocumentGraph,
    DocumentPage,
    DocumentStats,
    EntityDetail,
    EntityPage,
    RelationDetail,
)
from post_graph_rag.retrieve.refusals import ambiguous, no_document, no_entity
from post_graph_rag.retrieve.spaces import resolve_spaces
from post_graph_rag.store import listing, stats
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.realms import Realm

MOST: Final = 1_000
"""Things on one page at most."""
MOST_DRAWN: Final = 10_000
"""Entities, and relations, of one document's graph at most."""

Spaces = str | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class RealmRecord:
    """The record of one realm. space: the engine's own, where none is named."""

    database: Database
    realm: Realm
    space: str

    async def list_documents(self, space: Spaces, limit: int, after: str | None, deleted: bool) -> DocumentPage:
        """A page of documents. Raises SpaceNotFound, InputError."""
        _check(limit, MOST)
        async with self._reading(space) as (session, spaces):
            return await listing.list_documents(session, spaces, limit, after, deleted)

    async def get_document(self, key: str, space: str | None) -> DocumentDetail:
        """One document, deleted ones too. Raises DocumentNotFound, SpaceNotFound, InputError."""
        async with self._reading(_one(space)) as (session, spaces):
            found = await listing.show_document(session, spaces, _key(key))
        if found is None:
            raise no_document(space or self.space, key)
        return found

    async def list_entities(self, space: Spaces, limit: int, after: str | None, dormant: bool) -> EntityPage:
        """A page of entities that stand for themselves. Raises SpaceNotFound, InputError."""
        _check(limit, MOST)
        async with self._reading(space) as (session, spaces):
            return await listing.list_entities(session, spaces, limit, after, dormant)

    async def get_entity(self, id_or_name: int | str, space: str | None) -> EntityDetail:
        """One entity, or the one that stands for it. Raises EntityNotFound, SpaceNotFound, InputError."""
        named = id_or_name if isinstance(id_or_name, int) else clean_text(id_or_name)[0]
        async with self._reading(_one(space)) as (session, spaces):
            found = await listing.find_entity(session, spaces, named)
            if len(found) == 1:
                return await listing.show_entity(session, found[0][0])
        raise ambiguous(id_or_name, found) if found else no_entity(space or self.space, id_or_name)

    async def get_relation(self, id: int) -> RelationDetail:
        """One relation with its history. Raises RelationNotFound."""
        async with self.database.transaction(self.realm.statements, read_only=True) as session:
            found = await listing.show_relation(session, id)
        if found is None:
            raise RelationNotFound(
                f"there is no relation {id} in this realm: ids come from questions and from the feed"
            )
        return found

    async def document_stats(self, keys: Sequence[str] | None, space: str | None) -> tuple[DocumentStats, ...]:
        """What documents carry, in the order of the keys; None for all. Raises DocumentNotFound for one not held."""
        cleaned = None if keys is None else [_key(key) for key in keys]
        async with self._reading(_one(space)) as (session, spaces):
            found = await stats.document_stats(session, spaces, cleaned)
        if cleaned is None:
            return tuple(found)
        by_key = {one.key: one for one in found}
        if missing := [key for key in cleaned if key not in by_key]:
            raise no_document(space or self.space, *missing)
        return tuple(by_key[key] for key in cleaned)

    async def document_graph(self, key: str, space: str | None, limit: int) -> DocumentGraph:
        """What one document mentions and states. Raises DocumentNotFound for one that is not held now."""
        _check(limit, MOST_DRAWN)
        async with self._reading(_one(space)) as (session, spaces):
            found = await stats.document_graph(session, spaces, _key(key), limit)
        if found is None:
            raise no_document(space or self.space, key)
        return found

    @asynccontextmanager
    async def _reading(self, space: Spaces) -> AsyncIterator[tuple[Session, list[int]]]:
        async with self.database.transaction(
            self.realm.statements, read_only=True, isolation="repeatable_read"
        ) as session:
            scope = await resolve_spaces(session, space, self.space)
            yield session, scope.ids


def _one(space: str | None) -> str | None:
    """A single space, since a key or name may mean other things in others."""
    return None if space is None else clean_space(space)


def _key(key: str) -> str:
    cleaned = clean_key(key)
    if cleaned is None:
        raise InputError("the document's key is empty")
    return cleaned


def _check(limit: int, most: int) -> None:
    if not 1 <= limit <= most:
        raise InputError(f"limit is {limit}: it is 1 to {most:,}")
