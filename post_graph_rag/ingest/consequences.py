"""What follows in the record when passages got, lost or took up structure; the second half of a commit.

The number of statements does not depend on how many passages or facts there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from post_graph_rag.ingest.groups import Settled, triple_of, words_of
from post_graph_rag.ingest.profiles import Profile, profile
from post_graph_rag.ingest.resolve import alias_merges, canonical
from post_graph_rag.ingest.structure import structure_rows
from post_graph_rag.ingest.supersession import settle_relations
from post_graph_rag.ingest.written import Committed, RelationText, Written
from post_graph_rag.store import write
from post_graph_rag.store.database import Session
from post_graph_rag.store.projection import Touched, project
from post_graph_rag.store.write import Findable, Posted
from post_graph_rag.terms import term_counts

Relations: TypeAlias = Mapping[int, Settled]
Begin: TypeAlias = Callable[[Sequence[str]], None]
"""Relations by id, as they were found and as they are now."""


@dataclass(frozen=True, slots=True)
class Followed:
    """What followed from what was written: names that nothing says any more, touched relations and entities."""

    names_gone: frozenset[int]
    moved: frozenset[int]
    relations: Relations
    profiles: Sequence[Profile]


async def follow(
    session: Session, stamp: datetime, graph: str | None, written: Written, begin: Begin | None = None
) -> Committed:
    """Bring structure, names, merges, relations, profiles, indexes and the graph up to date.

    begin: told what will be embedded as soon as that is known, while the rest is written.
    """
    await _put_structure(session, stamp, written)
    touched = await write.touched_entities(session, written.changed) | written.told
    names, gone = await _put_names(session, stamp, written.changed)
    moved = await _merge(session, stamp, touched, written.told)
    profiles = await _put_profiles(session, stamp, touched | moved)
    relations = await settle_relations(session, stamp, written.changed, moved)
    left = Committed(
        [made for made in profiles if made.pending and made.current],
        _without_vector(relations),
        len(written.structure),
    )
    if begin is not None:
        begin(left.texts)
    followed = Followed(gone | written.names_gone, moved, relations, profiles)
    await write.put_postings(session, [*written.posted, *names, *_words(relations)], _replaced(relations))
    await write.set_current(session, _findable(written, followed))
    if graph is not None:
        await _draw(session, graph, written, followed)
    return left


async def _put_structure(session: Session, stamp: datetime, written: Written) -> None:
    if ended := written.retired | written.closed:
        await write.close_structure(session, ended, stamp)
    if written.reopened:
        await write.reopen_structure(session, written.reopened, stamp)
    keys, rows = structure_rows(written.structure)
    entities = await write.put_entities(session, keys)
    await write.put_structure(session, rows(entities), stamp)


async def _put_names(session: Session, stamp: datetime, changed: Iterable[int]) -> tuple[list[Posted], frozenset[int]]:
    """Names come before merges, which follow from them; returns words of new ones, and those nothing says any more."""
    rows = await write.settle_names(session, changed, stamp)
    posted = [Posted(write.NAME, row["space"], row["id"], term_counts(row["name"])) for row in rows if row["live"]]
    return posted, frozenset(row["id"] for row in rows if not row["live"])


async def _merge(session: Session, stamp: datetime, touched: set[int], told: frozenset[int]) -> frozenset[int]:
    """Bring the merges that are nobody's word up to date; returns which entities stand for others than before.

    told: all whose standing people changed.
    """
    ties = await write.touched_claims(session, touched)
    live = await write.live_merges(session, touched, ties.sources)
    wanted = {**alias_merges(ties.claims, ties.apart), **ties.similar}
    ended = {source for source, target in live.items() if wanted.get(source) != target}
    made = {source: target for source, target in wanted.items() if live.get(source) != target}
    if not ended and not made and not told:
        return frozenset()
    tied = told | ended | {live[source] for source in ended} | made.keys() | set(made.values())
    before = await write.merge_component(session, tied)
    await write.put_merges(session, ended, made, ties.namesakes, stamp)
    return await _stand(session, stamp, {member.id for member in before} | tied)


async def _stand(session: Session, stamp: datetime, entities: set[int]) -> frozenset[int]:
    """Note for whom entities stand after their merges changed; returns all that had to do with a move."""
    members = await write.merge_component(session, entities)
    stands = canonical(members)
    moves = {member.id: stands[member.id] for member in members if member.canonical != stands[member.id]}
    await write.put_canonical(session, moves, stamp)
    return frozenset(moves) | set(moves.values()) | {one.canonical for one in members if one.id in moves}


async def _put_profiles(session: Session, stamp: datetime, entities: Iterable[int]) -> list[Profile]:
    rows = await write.fetch_profiles(session, entities)
    profiles = [made for row in rows if (made := profile(row)) is not None]
    await write.apply_profiles(session, [made.row() for made in profiles], stamp)
    return profiles


def _words(relations: Relations) -> list[Posted]:
    return [
        Posted(write.RELATION, one.group.space, id, term_counts(words_of(one.group)))
        for id, one in relations.items()
        if one.reworded
    ]


def _replaced(relations: Relations) -> list[tuple[int, int]]:
    """Relations whose words were there and are others now."""
    return [(write.RELATION, id) for id, one in relations.items() if one.group.relation is not None and one.reworded]


def _without_vector(relations: Relations) -> list[RelationText]:
    """Relations that are new, or back without a vector."""
    return [
        RelationText(id, one.group.space, triple_of(one.group).text)
        for id, one in relations.items()
        if one.group.relation is None or (one.group.pending and one.current and not one.group.current)
    ]


def _findable(written: Written, followed: Followed) -> Findable:
    relations, profiles = followed.relations, followed.profiles
    return Findable(
        passages=written.linked,
        no_passages=written.retired,
        entities=frozenset(made.entity for made in profiles if made.current),
        no_entities=frozenset(made.entity for made in profiles if not made.current),
        relations=frozenset(id for id, one in relations.items() if one.changed and one.current),
        no_relations=frozenset(id for id, one in relations.items() if one.changed and not one.current),
        no_names=followed.names_gone,
    )


async def _draw(session: Session, graph: str, written: Written, followed: Followed) -> None:
    passages = set(written.changed | written.linked)
    if followed.moved:
        passages |= await write.mentioning_passages(session, followed.moved)
    entities = [made.entity for made in followed.profiles]
    relations = [id for id, one in followed.relations.items() if one.changed]
    await project(session, graph, Touched(written.documents, passages, entities, relations))
