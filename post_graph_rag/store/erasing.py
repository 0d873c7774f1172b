"""What is erased is found and taken away, under the realm's write lock."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from post_graph_rag.store.database import Session


@dataclass(frozen=True, slots=True)
class HeldPassage:
    """A passage of a document. alone: no other document holds or ever held it."""

    id: int
    text_hash: bytes
    text: str
    alone: bool


@dataclass(frozen=True, slots=True)
class Resting:
    """What rests, perhaps on nothing else, on what is erased: ids of relations, names, merges and entities.

    stood_for: entities for which some of these ever stood.
    """

    relations: frozenset[int]
    names: frozenset[int]
    merges: frozenset[int]
    entities: frozenset[int]
    stood_for: frozenset[int]

    @classmethod
    def together(cls, several: Sequence[Resting]) -> Resting:
        """What rests on any of several things."""
        names = ("relations", "names", "merges", "entities", "stood_for")
        return cls(**{name: frozenset().union(*(getattr(one, name) for one in several)) for name in names})


def _resting(row: Mapping[str, Any]) -> Resting:
    names = ("relations", "names", "merges", "entities", "stood_for")
    return Resting(**{name: frozenset(row[name]) for name in names})


async def passages_of(session: Session, documents: Iterable[int]) -> list[HeldPassage]:
    """The passages that any version of these documents held."""
    rows = await session.rows("passages_of", sorted(documents))
    return [HeldPassage(row["id"], row["text_hash"], row["text"], row["alone"]) for row in rows]


async def lone_entities(session: Session, passages: Iterable[int]) -> frozenset[int]:
    """Entities that only these passages mention or ever mentioned."""
    return frozenset(row["entity"] for row in await session.rows("lone_entities", sorted(passages)))


async def forget_findable(session: Session, passages: Iterable[int], entities: Iterable[int]) -> None:
    """Take away by what passages, entities and relations are found that will all be gone."""
    await session.run("forget_findable", sorted(passages), sorted(entities))


async def end_merges_with(session: Session, entities: Iterable[int], stamp: datetime) -> frozenset[int]:
    """End the live merges in which these take part; returns all who took part."""
    return frozenset(row["entity"] for row in await session.rows("end_merges_with", sorted(entities), stamp))


async def resting_on_passages(session: Session, passages: Iterable[int]) -> Resting:
    """What may rest on these passages alone."""
    return _resting(await session.row("resting_on_passages", sorted(passages)))


async def resting_on_entity(session: Session, entity: int) -> Resting:
    """What may rest alone on what is said of an entity, or claims its key."""
    return _resting(await session.row("resting_on_entity", entity))


async def forget_passages(session: Session, passages: Iterable[int], documents: Iterable[int]) -> None:
    """Take away documents with all their versions, and passages with all that they say."""
    await session.run("forget_passages", sorted(passages), sorted(documents))


async def cut_to_links(session: Session, passages: Iterable[int]) -> None:
    """Let passages that others hold or held too have said what they say only while, by the links left, these did."""
    await session.run("cut_to_links", sorted(passages))


async def silence_entity(session: Session, entity: int, stamp: datetime) -> dict[int, int]:
    """End all that is said of an entity; returns the passages that said something, with their space."""
    return {row["passage"]: row["space"] for row in await session.rows("silence_entity", entity, stamp)}


@dataclass(frozen=True, slots=True)
class Mentioning:
    """Where an entity is or was mentioned: text hashes of passages, keys of documents."""

    hashes: Sequence[bytes]
    documents: Sequence[str]

    @classmethod
    def together(cls, several: Sequence[Mentioning]) -> Mentioning:
        """Where any of several entities is or was mentioned, each place once."""
        hashes = dict.fromkeys(hash for one in several for hash in one.hashes)
        return cls([*hashes], sorted({key for one in several for key in one.documents}))


async def one_with(session: Session, entity: int) -> list[int]:
    """An entity and its namesakes that are one with it."""
    return [row["id"] for row in await session.rows("one_with", entity)]


async def passages_of_entity(session: Session, entity: int) -> Mentioning:
    """The passages that mention an entity, or ever did, and the documents that hold or held them."""
    row = await session.row("passages_of_entity", entity)
    return Mentioning(row["hashes"], row["documents"])


async def forget_sayings(session: Session, entity: int) -> None:
    """Take away all that was ever said of an entity, and all claims to its key."""
    await session.run("forget_sayings", entity)


async def forget_relations(session: Session, relations: Iterable[int]) -> None:
    """Take away relations with all that hangs on them but their vectors."""
    await session.run("forget_relations", sorted(relations))


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What hung on entities that were taken away.

    others: those they ever stood for, or that ever stood for them; names: pairs of key and name.
    """

    others: frozenset[int]
    names: frozenset[tuple[str, str]]


async def forget_entities(session: Session, entities: Iterable[int]) -> Forgotten:
    """Take away entities with all that hangs on them but their vectors."""
    row = await session.row("forget_entities", sorted(entities))
    return Forgotten(frozenset(row["others"]), frozenset(tuple(name) for name in json.loads(row["names"] or "[]")))


async def forget_vectors(
    session: Session,
    entities: Iterable[int],
    relations: Iterable[int],
    reworded: Iterable[int],
    renamed: Iterable[int],
) -> list[Any]:
    """Take away vectors of what is no more or was called otherwise; returns relations that need theirs anew.

    entities, relations: that are no more. reworded: entities whose vector goes if it is not that of their words.
    renamed: entities with a name that is no more, which the vectors of their relations may be made of.
    """
    return await session.rows("forget_vectors", sorted(entities), sorted(relations), sorted(reworded), sorted(renamed))


async def forget_replies(
    session: Session,
    passages: Iterable[bytes],
    names: Iterable[tuple[str, str]],
    sources: Iterable[bytes],
    keys: Iterable[bytes],
) -> int:
    """Take away what models said, and stored vectors; returns how many replies went.

    passages: text hashes of what the replies are about. names: (key, name) pairs; a reply that was told one which
    nothing bears any more goes. sources: hashes of texts, and keys: of vectors stored before these had a source.
    """
    told = sorted(names)
    counted: int = await session.value(
        "forget_replies",
        sorted(passages),
        [key for key, _ in told],
        [name for _, name in told],
        sorted(sources),
        sorted(keys),
    )
    return counted


async def put_erasures(session: Session, erased: Mapping[str, Iterable[int]], stamp: datetime) -> None:
    """Note, by kind and id and without a word of it, what was erased, and what is left of which other things hold now.

    Whoever follows the changes forgets the one, and is told how the other stands.
    """
    rows = [(kind, id) for kind in sorted(erased) for id in sorted(erased[kind])]
    await session.run("put_erasures", [kind for kind, _ in rows], [id for _, id in rows], stamp)
