"""Fills a realm's tables by plain SQL, as the write path would, for tests of retrieval alone."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from post_graph_rag.names import name_key
from post_graph_rag.store.identifiers import quoted
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.statements import render
from post_graph_rag.terms import term_counts
from post_graph_rag.testing import ScriptedEmbedding

OPEN = "tstzrange(now(), null)"


@dataclass
class Fact:
    """subject, predicate, object and what an extractor would add."""

    subject: str
    predicate: str
    object: str
    fact: str = ""
    negated: bool = False
    valid: str | None = None
    confidence: float = 1.0

    @property
    def text(self) -> str:
        return self.fact or f"{self.subject} {self.predicate.replace('_', ' ')} {self.object}"


@dataclass
class Filler:
    """One realm under construction; ids are handed out here, rows are sent by `flush`."""

    realm: Realm
    embedding: ScriptedEmbedding
    rows: dict[str, list[tuple[Any, ...]]] = field(default_factory=lambda: defaultdict(list))
    ids: dict[tuple[Any, ...], int] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    evidence: set[tuple[int, int]] = field(default_factory=set)
    names: dict[int, str] = field(default_factory=dict)

    def _id(self, kind: str, *key: Any) -> tuple[int, bool]:
        known = self.ids.get((kind, *key))
        if known is not None:
            return known, False
        self.counts[kind] += 1
        number = self.ids[kind, *key] = self.counts[kind]
        return number, True

    def space(self, name: str) -> int:
        number, new = self._id("space", name)
        if new:
            self.rows["space (id, name)"].append((number, name))
        return number

    def document(
        self,
        key: str,
        text: str,
        facts: Iterable[Fact] = (),
        *,
        space: str = "default",
        mentions: Sequence[str] = (),
        title: str | None = None,
        source: str | None = None,
        metadata: dict[str, Any] | None = None,
        observed: str | None = None,
    ) -> int:
        """A document of one passage; gives the passage's id. Equal text in a space is one passage."""
        where = self.space(space)
        document, new = self._id("document", where, key)
        if new:
            self.rows["document (id, space, digest, key)"].append((document, where, _digest(key), key))
        version, _ = self._id("version", document)
        self.rows[
            "document_version (id, document, text_hash, context_hash, metadata_hash, title, source, context, metadata,"
            " observed_text, recorded)"
        ].append(
            (version, document, _digest(text), b"", b"", title, source, "{}", json.dumps(metadata or {}), observed,
             OPEN)
        )  # fmt: skip
        passage = self._passage(where, text)
        self.rows["document_passage (version, passage, ordinal, starts, ends, recorded)"].append(
            (version, passage, 0, 0, len(text), OPEN)
        )
        for name in mentions:
            self._mention(passage, self.entity(name, where))
        for fact in facts:
            self._fact(passage, where, fact)
        return passage

    def _passage(self, space: int, text: str) -> int:
        passage, new = self._id("passage", space, text)
        if new:
            self.rows["passage (id, space, text_hash, context_hash, text, tokens, extractor)"].append(
                (passage, space, _digest(text), b"", text, len(text.split()), "test")
            )
            self._vector("passage", passage, space, text)
            self._postings(1, passage, space, text)
        return passage

    def entity(self, name: str, space: int, canonical: int | None = None) -> int:
        key = name_key(name)
        entity, new = self._id("entity", space, key)
        self.names.setdefault(entity, name)
        if new:
            self.rows["entity (id, space, key, canonical, current)"].append(
                (entity, space, key, canonical or entity, canonical is None)
            )
            self.name(entity, name, space)
            if canonical is not None:
                self.rows["standing (entity, canonical, recorded)"].append((entity, canonical, OPEN))
            if canonical is None:
                self.rows["entity_presence (entity, recorded)"].append((entity, OPEN))
                self.rows["entity_profile (entity, name, type, description, pending)"].append(
                    (entity, name, "thing", f"{name} is a thing.", False)
                )
                self._vector("entity", entity, space, name)
        return entity

    def name(self, entity: int, name: str, space: int, alias: bool = False) -> None:
        number, _ = self._id("entity_name", entity, name)
        self.rows["entity_name (id, entity, name, key, alias, recorded)"].append(
            (number, entity, name, name_key(name), alias, OPEN)
        )
        self._postings(2, number, space, name)

    def _mention(self, passage: int, entity: int) -> None:
        _, new = self._id("mention", passage, entity)
        if new:
            self.rows["mention (passage, entity, recorded)"].append((passage, entity, OPEN))
            self._observation(passage, entity)

    def _observation(self, passage: int, entity: int) -> None:
        name = self.names[entity]
        self.rows["observation (passage, entity, name, type, description, digest, recorded)"].append(
            (passage, entity, name, "thing", f"{name} is a thing.", _digest(name), OPEN)
        )

    def _fact(self, passage: int, space: int, fact: Fact) -> None:
        subject, object_ = self.entity(fact.subject, space), self.entity(fact.object, space)
        self._mention(passage, subject)
        self._mention(passage, object_)
        relation, new = self._id("relation", subject, fact.predicate, object_, fact.negated)
        if new:
            self.rows["relation (id, space, subject, predicate, object, negated, fact, current, pending)"].append(
                (relation, space, subject, fact.predicate, object_, fact.negated, fact.text, True, False)
            )
            self.rows["relation_period (relation, valid, dated, recorded)"].append(
                (relation, fact.valid or "(,)", fact.valid is not None, OPEN)
            )
            self._vector("relation", relation, space, fact.text)
            self._postings(3, relation, space, fact.text)
        assertion, _ = self._id("assertion", passage, relation)
        if (passage, relation) not in self.evidence:
            self.evidence.add((passage, relation))
            self.rows[
                "assertion (id, passage, subject, predicate, object, negated, fact, valid, confidence, recorded)"
            ].append(
                (assertion, passage, subject, fact.predicate, object_, fact.negated, fact.text, fact.valid,
                 fact.confidence, OPEN)
            )  # fmt: skip
            self.rows["relation_evidence (relation, assertion, passage, recorded)"].append(
                (relation, assertion, passage, OPEN)
            )

    def _vector(self, kind: str, number: int, space: int, text: str) -> None:
        self.rows[f"{{{kind}_vector}} (id, space, current, embedding)"].append((number, space, True, text))

    def _postings(self, kind: int, number: int, space: int, text: str) -> None:
        counts = term_counts(text)
        length = sum(counts.values())
        for term, count in counts.items():
            self.rows["posting (kind, space, term, id, frequency, length, current)"].append(
                (kind, space, term, number, min(count, 32767), length, True)
            )

    async def flush(self, dsn: str) -> None:
        """Send all rows in an order that foreign keys allow, and let the planner know of them."""
        connection = await asyncpg.connect(dsn)
        try:
            for target, rows in self.rows.items():
                await self._send(connection, target, rows)
            await connection.execute(f"SET search_path = {quoted(self.realm.info.schema_name)}, public; ANALYZE")
        finally:
            await connection.close()
        self.rows.clear()

    async def retire(self, dsn: str, *, passage: int, relation: int, entities: Sequence[int]) -> None:
        """Close one document's passage, a relation and entities, as a later version without them would."""
        names = self.realm.names
        closed = "recorded = tstzrange(lower(recorded), now())"
        connection = await asyncpg.connect(dsn)
        for statement in (
            f"UPDATE {{record}}.document_passage SET {closed} WHERE passage = {passage}",
            f"UPDATE {{record}}.mention SET {closed} WHERE passage = {passage}",
            f"UPDATE {{record}}.relation_evidence SET {closed} WHERE passage = {passage}",
            f"UPDATE {{record}}.relation_period SET {closed} WHERE relation = {relation}",
            f"UPDATE {{record}}.relation SET current = false WHERE id = {relation}",
            f"UPDATE {{record}}.entity SET current = false WHERE id IN ({', '.join(map(str, entities))})",
            f"UPDATE {{passage_vector}} SET current = false WHERE id = {passage}",
            f"UPDATE {{relation_vector}} SET current = false WHERE id = {relation}",
            f"UPDATE {{entity_vector}} SET current = false WHERE id IN ({', '.join(map(str, entities))})",
            f"UPDATE {{record}}.posting SET current = false WHERE kind = 1 AND id = {passage}",
            f"UPDATE {{record}}.posting SET current = false WHERE kind = 3 AND id = {relation}",
        ):
            await connection.execute(render(statement, names))
        await connection.close()

    async def _send(self, connection: Any, target: str, rows: list[tuple[Any, ...]]) -> None:
        names = self.realm.names
        table, columns = target.split(" ", 1)
        into = render(table, names) if table.startswith("{") else f"{names['record']}.{table}"
        wanted = [name.strip() for name in columns.strip("()").split(",")]
        always = " OVERRIDING SYSTEM VALUE" if wanted[0] == "id" and "vector" not in table else ""
        values = ", ".join(_value(name, number) for number, name in enumerate(wanted, 1))
        if wanted[-1] == "embedding":
            vectors = await self.embedding.embed([row[-1] for row in rows])
            rows = [(*row[:-1], str(vector.tolist())) for row, vector in zip(rows, vectors, strict=True)]
        given = [row[:-1] if wanted[-1] == "recorded" else row for row in rows]
        await connection.executemany(f"INSERT INTO {into} {columns}{always} VALUES ({values})", given)


def _value(name: str, number: int) -> str:
    """`recorded` is always last, so that the numbers of the others stand."""
    match name:
        case "recorded":
            return OPEN
        case "embedding":
            return f"${number}::text::vector"
        case "valid":
            return f"${number}::text::tstzrange"
        case "context" | "metadata":
            return f"${number}::text::jsonb"
    return f"${number}"


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
