"""Entities that may be one for being alike: which are looked at, beside which, what speaks for it, and their merges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from post_graph_rag.errors import RealmMoved
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.realms import Realm

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Entities that became current since they were last looked at; stamp: no others did until then.

    exact: how many vectors one search for the nearest compares; 0 where an index finds them.
    """

    stamp: datetime
    entities: Sequence[int]
    exact: int


@dataclass(frozen=True, slots=True)
class CalledEntity:
    """An entity that stands for itself. mentions: how many, of at most a hundred."""

    id: int
    key: str
    name: str
    type: str
    description: str
    mentions: int


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """Cosine similarity of the vectors of two entities, 0 where one has none, and how many neighbours they share."""

    similarity: float
    shared: int


async def unresolved_entities(session: Session) -> Unresolved:
    """What came since the last look. Raises RealmMoved when the realm is no longer the one that was opened."""
    row = await session.row("unresolved_entities")
    if row is None:
        raise RealmMoved
    return Unresolved(row["stamp"], row["entities"], row["exact"])


@dataclass(frozen=True, slots=True)
class Alike:
    """An entity and those that it may be one with; names: of `others`, in their order."""

    one: int
    name: str
    others: Sequence[int]
    names: Sequence[str]


async def alike_entities(
    session: Session, entities: Sequence[int], most_names: int, searched: Sequence[int], nearest: int
) -> list[Alike]:
    """Each of `entities` beside those that share a word of at most `most_names` names, or are near those `searched`."""
    rows = await session.rows("alike_entities", list(entities), most_names, list(searched), nearest)
    return [Alike(*row) for row in rows]


async def called_entities(session: Session, entities: Iterable[int]) -> dict[int, CalledEntity]:
    """What is known of those that are current, by id."""
    rows = await session.rows("called_entities", sorted(entities))
    return {row["id"]: CalledEntity(**dict(row)) for row in rows}


async def pair_evidence(session: Session, pairs: Sequence[Pair]) -> list[PairEvidence]:
    """What speaks for each pair, in order."""
    rows = await session.rows("pair_evidence", [one for one, _ in pairs], [other for _, other in pairs])
    return [PairEvidence(row["similarity"], row["shared"]) for row in rows]


async def put_similar_merges(session: Session, merges: Sequence[Pair], stamp: datetime) -> list[Pair]:
    """Merge sources into targets where nothing speaks against it by now; returns those that were made."""
    rows = await session.rows("put_similar_merges", [one for one, _ in merges], [into for _, into in merges], stamp)
    return [(row["source"], row["target"]) for row in rows]


async def note_resolved(database: Database, realm: Realm, stamp: datetime) -> None:
    """Note that all entities that became current until `stamp` were looked at."""
    async with database.single(realm.statements) as session:
        await session.run("note_resolved", stamp)
