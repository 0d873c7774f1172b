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
        put = partial(_put, database, realm, committed, derived.vectors)
        left = await tried_again(database, put) if derived.vectors else committed.size
    except RAGError as error:
        return Undone(committed.size, error)
    return Undone(left, derived.error)


async def _put(database: Database, realm: Realm, committed: Committed, vectors: Mapping[str, str]) -> int:
    async with database.transaction(realm.statements) as session:
        await write.hold_writes(session)
        left = await put_made(session, committed, vectors)
        failpoints.reach("before_vectors_commit")
    failpoints.reach("after_vectors_commit")
    return left


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
    """Write those of a commit's vectors that were made, under the realm's write lock; returns how many were not."""
    entities = [entity for entity in committed.entities if entity.text in vectors]
    relations = [relation for relation in committed.relations if relation.text in vectors]
    if entities:
        await write.put_entity_vectors(
            session,
            [entity.entity for entity in entities],
            [entity.space for entity in entities],
            [vectors[entity.text] for entity in entities],
            [entity.digest for entity in entities],
        )
    if relations:
        await write.put_relation_vectors(
            session,
            [relation.id for relation in relations],
            [relation.space for relation in relations],
            [vectors[relation.text] for relation in relations],
        )
    return len(committed.entities) + len(committed.relations) - len(entities) - len(relations)
