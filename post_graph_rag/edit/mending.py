"""After something was taken from the record: what rested on nothing else goes too, the rest is put right.

Runs in the commit that takes it away, after what follows from that by the common way (ingest/consequences.py). The
number of statements does not depend on how much is erased.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from post_graph_rag.ingest.groups import Triple
from post_graph_rag.ingest.profiles import Profile
from post_graph_rag.ingest.written import Committed, RelationText
from post_graph_rag.names import predicate_words
from post_graph_rag.profiles import Said, words_of
from post_graph_rag.store import erasing, mending, write
from post_graph_rag.store.database import Session
from post_graph_rag.store.erasing import Resting
from post_graph_rag.store.mending import Founded
from post_graph_rag.store.write import Findable, Posted
from post_graph_rag.terms import term_counts


@dataclass(frozen=True, slots=True)
class Loss:
    """What the record loses. entities: those that go; resting: what may rest on nothing else.

    passages: text hashes of those whose stored replies go; texts: of those that go themselves, and vector_keys: what
    their stored vectors may be found by.
    """

    entities: frozenset[int]
    resting: Resting
    passages: frozenset[bytes]
    texts: frozenset[bytes] = frozenset()
    vector_keys: frozenset[bytes] = frozenset()


@dataclass(frozen=True, slots=True)
class Mended:
    """What went beside what was asked for. replies: how many. entities, relations: whose vectors are made anew.

    entities_left, relations_left: those that stay, but of which another history is told now.
    """

    relations_gone: frozenset[int]
    entities_left: frozenset[int]
    relations_left: frozenset[int]
    replies: int
    entities: list[Profile] = field(default_factory=list)
    relations: list[RelationText] = field(default_factory=list)

    def joined(self, committed: Committed) -> Committed:
        """With what the common way left to be made."""
        entities = {one.entity: one for one in [*self.entities, *committed.entities]}
        relations = {
            one.id: one for one in [*self.relations, *committed.relations] if one.id not in self.relations_gone
        }
        return Committed(list(entities.values()), list(relations.values()), committed.structured)


async def mend(session: Session, stamp: datetime, loss: Loss) -> Mended:
    """Let go what rests on nothing any more, and put right what is left. The loss itself is gone already."""
    resting = loss.resting
    founded = await _let_go(session, resting.relations, loss.entities)
    lost = await mending.mend_names(session, resting.names)
    moved = await mending.mend_merges(session, resting.merges)
    forgotten = await erasing.forget_entities(session, loss.entities)
    stood = await mending.mend_standing(session, moved | forgotten.others)
    carried = await mending.cut_to_standing(session, stood | forgotten.others)
    founded = founded.joined(await _let_go(session, carried - founded.gone, ()))
    retold = await mending.mend_periods(session, founded, stamp)
    touched = (resting.entities | resting.stood_for | stood | moved | forgotten.others) - loss.entities
    await mending.mend_presence(session, touched)
    profiles = await _reword(session, touched)
    await _word_relations(session, founded.left)
    renamed = (lost.entities | forgotten.others) - loss.entities
    rows = await erasing.forget_vectors(session, loss.entities, founded.gone, touched, renamed)
    names = lost.names | forgotten.names
    replies = await erasing.forget_replies(session, loss.passages, names, loss.texts, loss.vector_keys)
    return Mended(founded.gone, touched, retold, replies, profiles, [_relation(row) for row in rows])


async def _let_go(session: Session, relations: Iterable[int], entities: Iterable[int]) -> Founded:
    """Take away those of these relations, and of all that end in the entities, that rest on nothing any more."""
    founded = await mending.unfounded_relations(session, relations, entities)
    await erasing.forget_relations(session, founded.gone)
    return founded


async def _reword(session: Session, entities: Iterable[int]) -> list[Profile]:
    """Let entities that are not current be called and described by what is left; returns those that changed."""
    rows = await mending.words_of_past(session, entities)
    made = [profile for row in rows if (profile := _profile(row)) is not None]
    named = {profile.entity: profile for profile in made}
    await mending.put_words_of_past(session, [_words(row["entity"], named) for row in rows])
    return [profile for profile in made if profile.pending]


def _profile(row: Mapping[str, Any]) -> Profile | None:
    """What an entity was called and said to be; None when nothing is left that says so."""
    said = [Said(*item) for item in json.loads(row["sample"] or "[]")]
    if not said:
        return None
    words = words_of(said, row["given"])
    pending = row["pending"] or (words.name, words.description) != (row["name"], row["description"])
    return Profile(row["entity"], row["space"], words.name, words.type, words.description, False, pending)


def _words(entity: int, named: Mapping[int, Profile]) -> dict[str, Any]:
    profile = named.get(entity)
    if profile is None:
        return {"entity": entity, "name": None}
    return {"entity": entity, "name": profile.name, "type": profile.type, "description": profile.description}


async def _word_relations(session: Session, relations: Iterable[int]) -> None:
    """Let relations that no live passage states be worded, and found, by what is left of their evidence."""
    rows = await mending.wordings_of_past(session, relations)
    await mending.put_wordings_of_past(session, {row["id"]: row["fact"] for row in rows})
    posted = [Posted(write.RELATION, row["space"], row["id"], term_counts(_relation_words(row))) for row in rows]
    await write.put_postings(session, posted, [(write.RELATION, row["id"]) for row in rows])
    await write.set_current(session, Findable(no_relations=frozenset(row["id"] for row in rows)))


def _relation_words(row: Mapping[str, Any]) -> str:
    return f"{row['subject']} {predicate_words(row['predicate'])} {row['object']} {row['fact']}"


def _relation(row: Mapping[str, Any]) -> RelationText:
    triple = Triple(row["subject"], row["predicate"], row["object"], row["negated"])
    return RelationText(row["id"], row["space"], triple.text)
