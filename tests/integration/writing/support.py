"""Engines on scripted models, and what a realm holds, by content: ids, stamps and vectors left out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import asyncpg

from post_graph_rag.config import Settings
from post_graph_rag.engine import GraphRAG
from post_graph_rag.models.protocols import ChatModel, EmbeddingModel
from post_graph_rag.models.roles import Models
from post_graph_rag.records import Document
from post_graph_rag.store.identifiers import quoted
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, fresh_realm_name, plain_facts

DIMENSIONS = 32
SCHEMA = "SELECT schema_name FROM post_graph_rag.realm WHERE name = $1"
Content: TypeAlias = Mapping[str, frozenset[tuple[Any, ...]]]


def facts_chat(**options: Any) -> ScriptedChat:
    """A language model that reads plain facts."""
    return ScriptedChat(extract=plain_facts, **options)


def small_embedding(**options: Any) -> ScriptedEmbedding:
    return ScriptedEmbedding(DIMENSIONS, **options)


def document(key: str, *lines: str, **fields: Any) -> Document:
    """A document of lines; each line is a passage of its own."""
    return Document(key=key, text="\n".join(lines), chunks=lines, **fields)


async def faults(rag: GraphRAG) -> list[str]:
    """What doctor has to say against the realm; empty when record, graph, vectors and words agree."""
    return [f"{found.check}: {found.detail}" for found in await rag.doctor() if not found.ok]


CONTENT = {
    "documents": """
        SELECT s.name, d.key, v.title, v.source, v.metadata::text, v.observed_text, encode(v.text_hash, 'hex'),
               array_agg(p.text ORDER BY l.ordinal)
        FROM {r}.document d JOIN {r}.space s ON s.id = d.space
        JOIN {r}.document_version v ON v.document = d.id AND upper_inf(v.recorded)
        JOIN {r}.document_passage l ON l.version = v.id AND upper_inf(l.recorded)
        JOIN {r}.passage p ON p.id = l.passage GROUP BY 1, 2, 3, 4, 5, 6, 7""",
    "passages": """
        SELECT s.name, p.text, p.event::text, p.extractor, p.failure IS NULL, count(*)
        FROM {r}.passage p JOIN {r}.space s ON s.id = p.space
        JOIN {r}.document_passage l ON l.passage = p.id AND upper_inf(l.recorded)
        GROUP BY p.id, 1, 2, 3, 4, 5""",
    "entities": """
        SELECT s.name, e.key, e.sense, p.name, p.type, p.description, c.key
        FROM {r}.entity e JOIN {r}.space s ON s.id = e.space JOIN {r}.entity c ON c.id = e.canonical
        JOIN {r}.entity_profile p ON p.entity = e.id WHERE e.current""",
    "mentions": """
        SELECT s.name, e.key, e.sense, c.key, p.text, p.event::text, count(*)
        FROM {r}.mention m JOIN {r}.entity e ON e.id = m.entity JOIN {r}.entity c ON c.id = e.canonical
        JOIN {r}.space s ON s.id = e.space JOIN {r}.passage p ON p.id = m.passage
        WHERE upper_inf(m.recorded) GROUP BY m.passage, 1, 2, 3, 4, 5, 6""",
    "names": """
        SELECT s.name, e.key, e.sense, n.name, n.key, n.alias, count(*)
        FROM {r}.entity_name n JOIN {r}.entity e ON e.id = n.entity JOIN {r}.space s ON s.id = e.space
        WHERE upper_inf(n.recorded) GROUP BY 1, 2, 3, 4, 5, 6""",
    "merges": """
        SELECT s.name, concat_ws('>', a.key, nullif(a.sense, 0)), concat_ws('>', b.key, nullif(b.sense, 0)), m.cause
        FROM {r}.merge m JOIN {r}.entity a ON a.id = m.source JOIN {r}.entity b ON b.id = m.target
        JOIN {r}.space s ON s.id = a.space WHERE upper_inf(m.recorded)
        AND EXISTS (SELECT FROM {r}.mention x WHERE x.entity = a.id AND upper_inf(x.recorded))""",
    "relations": """
        SELECT s.name, concat_ws('>', a.key, nullif(a.sense, 0)), r.predicate,
               concat_ws('>', b.key, nullif(b.sense, 0)), r.negated, r.fact,
               (SELECT array_agg(p.valid::text || p.dated::text ORDER BY p.valid::text, p.dated)
                FROM {r}.relation_period p WHERE p.relation = r.id AND upper_inf(p.recorded)),
               (SELECT array_agg(DISTINCT p.text) FROM {r}.relation_evidence e JOIN {r}.passage p ON p.id = e.passage
                WHERE e.relation = r.id AND upper_inf(e.recorded)),
               (SELECT count(*) FROM {r}.relation_evidence e WHERE e.relation = r.id AND upper_inf(e.recorded))
        FROM {r}.relation r JOIN {r}.entity a ON a.id = r.subject JOIN {r}.entity b ON b.id = r.object
        JOIN {r}.space s ON s.id = r.space WHERE r.current""",
    "words": """
        SELECT p.kind, s.name, p.term, p.frequency, p.length, count(*), t.event::text,
               coalesce(t.text, concat_ws('>', ne.key, nullif(ne.sense, 0), n.name, n.alias,
                                          a.key, a.sense, r.negated, r.predicate, b.key, b.sense))
        FROM {r}.posting p JOIN {r}.space s ON s.id = p.space
        LEFT JOIN {r}.passage t ON p.kind = 1 AND t.id = p.id
        LEFT JOIN {r}.entity_name n ON p.kind = 2 AND n.id = p.id LEFT JOIN {r}.entity ne ON ne.id = n.entity
        LEFT JOIN {r}.relation r ON p.kind = 3 AND r.id = p.id
        LEFT JOIN {r}.entity a ON a.id = r.subject LEFT JOIN {r}.entity b ON b.id = r.object
        WHERE p.current AND NOT EXISTS (SELECT FROM {r}.stale_word w WHERE w.kind = p.kind AND w.id = p.id)
        GROUP BY p.id, 1, 2, 3, 4, 5, 7, 8""",
    "vectors": """
        SELECT 'passage', s.name, p.text || coalesce(p.event::text, '')
        FROM {r}.passage_vector_1 v JOIN {r}.passage p ON p.id = v.id JOIN {r}.space s ON s.id = v.space WHERE v.current
        UNION ALL SELECT 'entity', s.name, concat_ws('>', e.key, nullif(e.sense, 0))
        FROM {r}.entity_vector_1 v JOIN {r}.entity e ON e.id = v.id
        JOIN {r}.space s ON s.id = v.space WHERE v.current
        UNION ALL SELECT 'relation', s.name, concat_ws('>', a.key, a.sense, r.negated, r.predicate, b.key, b.sense)
        FROM {r}.relation_vector_1 v JOIN {r}.relation r ON r.id = v.id JOIN {r}.space s ON s.id = v.space
        JOIN {r}.entity a ON a.id = r.subject JOIN {r}.entity b ON b.id = r.object WHERE v.current""",
    "pending": """
        SELECT 'entity', e.key FROM {r}.entity_profile p JOIN {r}.entity e ON e.id = p.entity
        WHERE p.pending AND e.current
        UNION ALL SELECT 'relation', r.fact FROM {r}.relation r WHERE r.pending AND r.current
        UNION ALL SELECT 'passage', p.text FROM {r}.passage p WHERE p.extractor IS NULL AND EXISTS (
            SELECT FROM {r}.document_passage l WHERE l.passage = p.id AND upper_inf(l.recorded))""",
}


@dataclass
class Place:
    """A realm of a test's own, and the engines that were opened on it. graph: "none" is made and written faster."""

    dsn: str
    realm: str = field(default_factory=fresh_realm_name)
    engines: list[GraphRAG] = field(default_factory=list)
    graph: str = "age"

    def engine(
        self,
        chat: ChatModel | None = None,
        embedding: EmbeddingModel | None = None,
        *,
        prompts: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> GraphRAG:
        """An engine on scripted models; without gleaning unless asked for, so that a passage is a call."""
        models = Models(chat or facts_chat(), embedding or small_embedding())
        made = GraphRAG(
            Settings(**{"dsn": self.dsn, "realm": self.realm, "graph": self.graph, "gleaning_passes": 0, **settings}),
            models=models,
            prompts=prompts,
        )
        self.engines.append(made)
        return made

    async def close(self) -> None:
        for made in self.engines:
            await made.close()

    async def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of a query in which {r} stands for the realm's record schema."""
        async with self._reading() as read:
            return await read(query, *values)

    async def content(self) -> Content:
        """All that the realm holds now, as sets of rows by content."""
        found: dict[str, frozenset[tuple[Any, ...]]] = {}
        async with self._reading() as read:
            for name, query in CONTENT.items():
                every = [_hashable(row) for row in await read(query)]
                assert len(every) == len(set(every)), f"{name}: a row twice"
                found[name] = frozenset(every)
        return found

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[Callable[..., Awaitable[list[tuple[Any, ...]]]]]:
        connection = await asyncpg.connect(self.dsn)
        try:
            schema = quoted(await connection.fetchval(SCHEMA, self.realm))

            async def read(query: str, *values: Any) -> list[tuple[Any, ...]]:
                return [tuple(row) for row in await connection.fetch(query.replace("{r}", schema), *values)]

            yield read
        finally:
            await connection.close()

    async def relations(self) -> set[tuple[str, str, str]]:
        """Keys and predicates of the current relations."""
        return {(row[1], row[2], row[3]) for row in (await self.content())["relations"]}


def _hashable(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value for value in row)


def differences(one: Content, other: Content) -> dict[str, tuple[Any, Any]]:
    """What two realms do not share, by kind; empty when they are equal."""
    return {
        name: (sorted(one[name] - other[name], key=repr), sorted(other[name] - one[name], key=repr))
        for name in one
        if one[name] != other[name]
    }
