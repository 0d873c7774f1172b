"""The statements of the write path as typed functions. All but the lookups run under the realm's write lock."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from post_graph_rag.errors import RealmMoved
from post_graph_rag.periods import Holding, Span
from post_graph_rag.store.database import Session
from post_graph_rag.store.rows import as_json, flat

Rows = Sequence[Mapping[str, Any]]
PASSAGE, NAME, RELATION = 1, 2, 3


async def take_stamp(session: Session) -> datetime:
    """Take the realm's write lock until the transaction ends; returns the belief time of this commit.

    Raises RealmMoved when the realm is no longer the one that was opened.
    """
    stamp: datetime | None = await session.value("take_stamp")
    if stamp is None:
        raise RealmMoved
    return stamp


async def hold_writes(session: Session) -> None:
    """Take the realm's write lock without a stamp: for what is derived and no part of belief."""
    if await session.value("hold_writes") is None:
        raise RealmMoved


# ---------------------------------------------------------------- documents and passages


async def find_documents(session: Session, wanted: Rows) -> dict[int, Any]:
    """Live versions of documents, by the caller's number n."""
    return {row["n"]: row for row in await session.rows("find_documents", as_json(wanted))}


async def find_passages(session: Session, wanted: Rows) -> dict[int, Any]:
    """Passages that are there, by n."""
    return {row["n"]: row for row in await session.rows("find_passages", as_json(wanted))}


async def find_known_names(session: Session, wanted: Rows) -> dict[int, list[str]]:
    """Names the realm knows among the keys of each n."""
    found: dict[int, list[str]] = {}
    for row in await session.rows("find_known_names", as_json(wanted)):
        found.setdefault(row["n"], []).append(row["name"])
    return found


@dataclass(frozen=True, slots=True)
class PutDocument:
    """Ids of a document and its space; `version`: hashes of text and context, and the date, of its live version."""

    space: int
    document: int
    version: tuple[bytes | None, bytes | None, str | None]


async def put_documents(session: Session, wanted: Rows) -> dict[int, PutDocument]:
    """Documents by n; made where new."""
    rows = await session.rows("put_documents", as_json(wanted))
    version = itemgetter("text_hash", "context_hash", "observed_text")
    return {row["n"]: PutDocument(row["space"], row["document"], version(row)) for row in rows}


@dataclass(frozen=True, slots=True)
class PutPassage:
    """A passage's id, whether it is new, which extraction its structure is from, whether a live document holds it."""

    id: int
    added: bool
    extractor: str | None
    live: bool


async def put_passages(session: Session, wanted: Rows) -> dict[int, PutPassage]:
    """Insert what is new; by n."""
    rows = await session.rows("put_passages", as_json(wanted))
    return {row["n"]: PutPassage(row["id"], row["added"], row["extractor"], row["live"]) for row in rows}


async def mark_passages(session: Session, marks: Rows) -> None:
    """Note which extraction passages have now, or why they lack one."""
    await session.run("mark_passages", as_json(marks))


async def settle_pending(session: Session, marks: Rows) -> set[int]:
    """The same for passages found pending before; returns those that still were, and that a live document holds."""
    return {row["id"] for row in await session.rows("settle_pending", as_json(marks))}


async def exchange_versions(session: Session, versions: Rows, stamp: datetime) -> list[int]:
    """Put new versions in place of the old; returns passages that no live document holds any more."""
    rows = await session.rows("exchange_versions", as_json(versions), stamp)
    return [row["passage"] for row in rows]


# ---------------------------------------------------------------- structure


async def put_entities(session: Session, keys: Sequence[tuple[int, str]]) -> dict[tuple[int, str], int]:
    """Ids of entities by (space, key); made where new."""
    wanted = [{"n": n, "space": space, "key": key} for n, (space, key) in enumerate(keys)]
    rows = await session.rows("put_entities", as_json(wanted))
    return {keys[row["n"]]: row["id"] for row in rows}


async def put_structure(session: Session, structure: Mapping[str, Rows], stamp: datetime) -> None:
    """Write mentions, observations, claims and assertions of passages."""
    await session.run("put_structure", as_json(structure), stamp)


async def close_structure(session: Session, passages: Iterable[int], stamp: datetime) -> None:
    """These passages say nothing any more."""
    await session.run("close_structure", sorted(passages), stamp)


async def reopen_structure(session: Session, passages: Iterable[int], stamp: datetime) -> None:
    """These passages, held again by a document, say again what they said."""
    await session.run("reopen_structure", sorted(passages), stamp)


async def touched_entities(session: Session, passages: Iterable[int]) -> set[int]:
    """Entities that these passages ever mentioned."""
    return {row["entity"] for row in await session.rows("touched_entities", sorted(passages))}


# ---------------------------------------------------------------- merges


@dataclass(frozen=True, slots=True)
class Claim:
    """Live passages say that `target` is also called by the key of `source`; with the types either is given.

    stands: for whom `target` stands, where no claim that is being looked at bears on that; else `target` itself.
    """

    source: int
    target: int
    target_key: str
    stands: int
    source_types: tuple[str, ...]
    target_types: tuple[str, ...]


async def touched_claims(session: Session, entities: Iterable[int]) -> list[Claim]:
    """Claims whose outcome may depend on these entities: on their own keys, on those they claim, and so on."""
    rows = await session.rows("touched_claims", sorted(entities))
    return [
        Claim(
            **{name: row[name] for name in ("source", "target", "target_key", "stands")},
            source_types=tuple(row["source_types"] or ()),
            target_types=tuple(row["target_types"] or ()),
        )
        for row in rows
    ]


async def live_merges(session: Session, entities: Iterable[int], sources: Iterable[int]) -> dict[int, int]:
    """Merges by alias, source -> target: those of `sources`, and those in which `entities` take part."""
    rows = await session.rows("live_merges", sorted(entities), sorted(sources))
    return {row["source"]: row["target"] for row in rows}


async def put_merges(session: Session, ended: Iterable[int], made: Mapping[int, int], stamp: datetime) -> None:
    """End merges by their source, and make new ones."""
    sources = sorted(made)
    await session.run("put_merges", sorted(ended), sources, [made[source] for source in sources], stamp)


@dataclass(frozen=True, slots=True)
class Member:
    """An entity in a component of merges; `target` is what its own merge leads to."""

    id: int
    key: str
    sense: int
    canonical: int
    target: int | None


async def merge_component(session: Session, entities: Iterable[int]) -> list[Member]:
    """All entities that merges tie to these."""
    rows = await session.rows("merge_component", sorted(entities))
    return [Member(row["id"], row["key"], row["sense"], row["canonical"], row["target"]) for row in rows]


async def put_canonical(session: Session, canonical: Mapping[int, int]) -> None:
    """Note for whom entities stand now."""
    ids = sorted(canonical)
    await session.run("put_canonical", ids, [canonical[id] for id in ids])


async def mentioning_passages(session: Session, entities: Iterable[int]) -> set[int]:
    """Live passages that mention any of these."""
    return {row["passage"] for row in await session.rows("mentioning_passages", sorted(entities))}


# ---------------------------------------------------------------- relations


@dataclass(frozen=True, slots=True)
class Stated:
    """One live assertion of a relation."""

    id: int
    passage: int
    span: Span | None
    fact: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Group:
    """A relation with all that is asserted of it and what is written down of it now."""

    space: int
    subject: int
    predicate: str
    object: int
    negated: bool
    relation: int | None
    fact: str | None
    current: bool
    pending: bool
    subject_name: str
    object_name: str
    subject_key: str
    object_key: str
    assertions: tuple[Stated, ...]
    periods: Mapping[Holding, int]
    evidence: frozenset[int]


async def fetch_groups(session: Session, passages: Iterable[int], moved: Iterable[int]) -> list[Group]:
    """Relations touched by changed passages and by entities that were merged or taken apart."""
    rows = await session.rows("fetch_groups", sorted(passages), sorted(moved))
    return [_group(row) for row in rows]


def _group(row: Mapping[str, Any]) -> Group:
    return Group(
        **{name: row[name] for name in ("space", "subject", "predicate", "object", "negated", "relation", "fact")},
        current=bool(row["current"]),
        pending=bool(row["pending"]),
        **{name: row[name] for name in ("subject_name", "object_name", "subject_key", "object_key")},
        assertions=tuple(
            Stated(id, passage, Span(starts, ends) if dated else None, fact, confidence)
            for id, passage, dated, starts, ends, fact, confidence in json.loads(row["assertions"] or "[]")
        ),
        periods={
            Holding(Span(starts, ends), dated): id for id, dated, starts, ends in json.loads(row["periods"] or "[]")
        },
        evidence=frozenset(json.loads(row["evidence"] or "[]")),
    )


@dataclass(frozen=True, slots=True)
class GroupChanges:
    """What is to be written of relations; rows refer to one another by n."""

    relations: Rows
    periods: Rows
    evidence: Rows
    ended_periods: Sequence[int]
    ended_evidence: Sequence[tuple[int, int]]


async def apply_groups(session: Session, changes: GroupChanges, stamp: datetime) -> dict[int, int]:
    """Write the difference; returns the relation's id for each n."""
    given = {"relations": changes.relations, "periods": changes.periods, "evidence": changes.evidence}
    ended = changes.ended_evidence
    rows = await session.rows(
        "apply_groups",
        as_json(given),
        list(changes.ended_periods),
        [relation for relation, _ in ended],
        [assertion for _, assertion in ended],
        stamp,
    )
    return {row["n"]: row["relation"] for row in rows}


# ---------------------------------------------------------------- profiles and names


async def fetch_profiles(session: Session, entities: Iterable[int]) -> list[Any]:
    """What live passages say of entities and of those they are merged into, beside their profile as it is."""
    return await session.rows("fetch_profiles", sorted(entities))


async def settle_names(session: Session, passages: Iterable[int], stamp: datetime) -> list[Any]:
    """Write names that these passages are the first to give, end those nothing gives any more; returns both."""
    return await session.rows("settle_names", sorted(passages), stamp)


async def apply_profiles(session: Session, profiles: Rows) -> None:
    """Write profiles, and which entities are current."""
    await session.run("apply_profiles", as_json(profiles))


# ---------------------------------------------------------------- indexes


@dataclass(frozen=True, slots=True)
class Posted:
    """The words of one thing: how often each term stands in it."""

    kind: int
    space: int
    id: int
    terms: Mapping[str, int]


async def put_postings(session: Session, posted: Sequence[Posted], replaced: Sequence[tuple[int, int]]) -> None:
    """Write words, after taking away those of (kind, id) pairs that are replaced."""
    columns: list[list[Any]] = [[] for _ in range(6)]
    for item in posted:
        length = sum(item.terms.values())
        for term, frequency in item.terms.items():
            for column, value in zip(
                columns, (item.kind, item.space, item.id, length, term, min(frequency, 32767)), strict=True
            ):
                column.append(value)
    await session.run("put_postings", *columns, [kind for kind, _ in replaced], [id for _, id in replaced])


async def put_passage_vectors(
    session: Session, ids: Sequence[int], spaces: Sequence[int], vectors: Sequence[NDArray[np.float32]]
) -> None:
    """Vectors of new passages."""
    await session.run("put_passage_vectors", ids, spaces, flat(vectors), len(vectors[0]))


async def put_entity_vectors(
    session: Session,
    ids: Sequence[int],
    spaces: Sequence[int],
    vectors: Sequence[NDArray[np.float32]],
    digests: Sequence[str],
) -> None:
    """Vectors of entities, made from profiles with these digests (`profile_digest`)."""
    await session.run("put_entity_vectors", ids, spaces, flat(vectors), len(vectors[0]), digests)


async def put_relation_vectors(
    session: Session, ids: Sequence[int], spaces: Sequence[int], vectors: Sequence[NDArray[np.float32]]
) -> None:
    """Vectors of relations."""
    await session.run("put_relation_vectors", ids, spaces, flat(vectors), len(vectors[0]))


@dataclass(frozen=True, slots=True)
class Findable:
    """Ids of what comes into search and of what goes."""

    passages: frozenset[int] = frozenset()
    no_passages: frozenset[int] = frozenset()
    entities: frozenset[int] = frozenset()
    no_entities: frozenset[int] = frozenset()
    relations: frozenset[int] = frozenset()
    no_relations: frozenset[int] = frozenset()
    no_names: frozenset[int] = frozenset()


async def set_current(session: Session, findable: Findable) -> None:
    """Let channels find what is current, and nothing else."""
    await session.run(
        "set_current",
        *(
            sorted(ids)
            for ids in (
                findable.passages,
                findable.no_passages,
                findable.entities,
                findable.no_entities,
                findable.relations,
                findable.no_relations,
                findable.no_names,
            )
        ),
    )
