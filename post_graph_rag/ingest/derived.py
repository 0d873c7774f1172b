"""Vectors that follow from a commit: of entities whose profile changed, and of new relations."""

from __future__ import annotations

from collections.abc import Mapping

from post_graph_rag import failpoints
from post_graph_rag.ingest.commit import Committed
from post_graph_rag.models.embedder import Embedder
from post_graph_rag.models.protocols import Vectors
from post_graph_rag.store import write
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.realms import Realm


async def put_derived(database: Database, realm: Realm, embedder: Embedder, committed: Committed) -> None:
    """Make and write the vectors that a commit left to be made. Raises EmbeddingError."""
    vectors = await make_derived(embedder, [committed])
    if not vectors:
        return
    async with database.transaction(realm.statements) as session:
        await write.hold_writes(session)
        await put_made(session, committed, vectors)
        failpoints.reach("before_vectors_commit")
    failpoints.reach("after_vectors_commit")


async def make_derived(embedder: Embedder, committed: list[Committed]) -> dict[str, Vectors]:
    """The vectors that commits leave to be made, by text. Raises EmbeddingError."""
    texts = [text for one in committed for text in one.texts]
    return dict(zip(texts, await embedder.embed(texts, keep=False), strict=True)) if texts else {}


async def put_made(session: Session, committed: Committed, vectors: Mapping[str, Vectors]) -> int:
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
