"""Vectors that follow from a commit: of entities whose profile changed, and of new relations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from post_graph_rag import failpoints
from post_graph_rag.errors import EmbeddingError, RAGError
from post_graph_rag.ingest.again import tried_again
from post_graph_rag.ingest.written import Committed
from post_graph_rag.models.embedder import Embedder
from post_graph_rag.store import write
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.rows import as_vectors


@dataclass(frozen=True, slots=True)
class Derived:
    """Vectors, as they are sent, by the text they are of; and the first error of those that could not be made."""

    vectors: Mapping[str, str]
    error: EmbeddingError | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """How many vectors are still to be made, and why."""

    count: int = 0
    error: RAGError | None = None


async def put_derived(database: Database, realm: Realm, embedder: Embedder, committed: Committed) -> Undone:
    """Make and write the vectors that a commit left to be made; what cannot be had stays pending."""
    try:
        derived = await make_derived(embedder, [committed])
        there = derived.vectors.keys()
        made, lacking = committed.split(lambda one: one.text in there, lambda one: one.text in there)
        if made.size:
            held = await tried_again(database, partial(_put_free, database, realm, made, derived.vectors))
            await tried_again(database, partial(_put_held, database, realm, held, derived.vectors))
    except RAGError as error:
        return Undone(committed.size, error)
    return Undone(lacking.size, derived.error)


async def _put_free(database: Database, realm: Realm, made: Committed, vectors: Mapping[str, str]) -> Committed:
    """Write beside the next commit, which mostly writes other things; returns the vectors of what it writes too."""
    async with database.transaction(realm.statements) as session:
        entities, relations = await write.hold_unwritten(session, made.entity_ids, made.relation_ids)
        mine, held = made.split(lambda one: one.entity in entities, lambda one: one.id in relations)
        await put_made(session, mine, vectors)
        failpoints.reach("before_vectors_commit")
    failpoints.reach("after_vectors_commit")
    return held


async def _put_held(database: Database, realm: Realm, held: Committed, vectors: Mapping[str, str]) -> None:
    """Write between two commits."""
    if held.size:
        async with database.transaction(realm.statements) as session:
            await write.hold_writes(session)
            await write.hold_rows(session, held.entity_ids, held.relation_ids)
            await put_made(session, held, vectors)


async def make_derived(embedder: Embedder, committed: list[Committed]) -> Derived:
    """The vectors that commits leave to be made."""
    texts = [text for one in committed for text in one.texts]
    outcomes = dict(zip(texts, await embedder.try_each(texts, keep=False), strict=True)) if texts else {}
    made = {text: outcome for text, outcome in outcomes.items() if not isinstance(outcome, EmbeddingError)}
    # Written out here, where no lock is held.
    vectors = dict(zip(made, as_vectors(made.values()), strict=True))
    errors = (error for error in outcomes.values() if isinstance(error, EmbeddingError))
    return Derived(vectors, next(errors, None))


async def put_made(session: Session, committed: Committed, vectors: Mapping[str, str]) -> int:
    """Write those of a commit's vectors that were made; returns how many were not.

    Nothing else may write what they are of: under the realm's write lock, or with `hold_unwritten`.
    """
    made, lacking = committed.split(lambda one: one.text in vectors, lambda one: one.text in vectors)
    if made.entities:
        await write.put_entity_vectors(
            session,
            [entity.entity for entity in made.entities],
            [entity.space for entity in made.entities],
            [vectors[entity.text] for entity in made.entities],
            [entity.digest for entity in made.entities],
        )
    if made.relations:
        await write.put_relation_vectors(
            session,
            [relation.id for relation in made.relations],
            [relation.space for relation in made.relations],
            [vectors[relation.text] for relation in made.relations],
        )
    return lacking.size
