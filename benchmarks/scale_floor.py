"""The floor of a question: its searches as bare prepared statements, one after the other on one connection.

Nearest vectors by the indexes, postings of its words, and the edges and mentions that its walk reads; nothing is fused,
shown or checked, and only the statements are timed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from benchmarks.scale_searched import KINDS, Searched
from post_graph_rag.records import Mode
from post_graph_rag.retrieve import walking
from post_graph_rag.retrieve.modes import plan_for
from post_graph_rag.store.identifiers import quoted
from post_graph_rag.store.search import VectorChannel, WalkBounds

DEPTH = 40
"""Hits of each search, as in a question."""
WAYS = (("subject", "object"), ("object", "subject"))
SETTINGS = {
    "jit": "off",
    "enable_seqscan": "off",
    "hnsw.ef_search": "100",
    "hnsw.iterative_scan": "relaxed_order",
    "plan_cache_mode": "force_generic_plan",
}
NEAREST = """
SELECT id FROM {channel}_1 WHERE current AND NOT tail ORDER BY embedding <=> $1::text::vector LIMIT $2::int
"""
WORDS = """
SELECT p.id, sum(t.rarity * p.frequency * 2.2 / (p.frequency + 0.3 + 0.9 * p.length / 60)) AS score
FROM unnest($2::text[], $3::float8[]) AS t(term, rarity) CROSS JOIN LATERAL (
    SELECT p.id, p.frequency, p.length FROM posting p
    WHERE p.kind = $1::smallint AND p.term = t.term AND p.current AND p.space = ANY($4::int[]) OFFSET 0
) p GROUP BY p.id ORDER BY score DESC LIMIT $5::int
"""
NAMES = "SELECT entity FROM entity_name WHERE key = ANY($1::text[]) AND upper_inf(recorded)"
ENDS = "SELECT subject, object FROM relation WHERE id = ANY($1::bigint[])"
EDGES = """
SELECT r.id, r.{other} AS other FROM unnest($1::bigint[]) AS f(id) CROSS JOIN LATERAL (
    SELECT r.id, r.{other} FROM relation r
    WHERE r.current AND r.{end} = f.id AND r.space = ANY($2::int[]) ORDER BY r.{other} LIMIT $3::int
) r
"""
MENTIONS = """
SELECT m.passage, f.id FROM unnest($1::bigint[]) AS f(id) CROSS JOIN LATERAL (
    SELECT m.passage FROM mention m WHERE m.entity = f.id AND upper_inf(m.recorded) ORDER BY m.passage LIMIT $2::int
) m
"""


@dataclass(slots=True)
class Floor:
    """One connection with the statements prepared; spaces: ids of those that are asked."""

    connection: Any
    spaces: list[int]
    prepared: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    @classmethod
    async def open(cls, dsn: str, schema: str) -> Floor:
        """A connection of its own, that asks all spaces; close it with `connection.close()`."""
        connection = await asyncpg.connect(dsn)
        await connection.execute(f"SET search_path = {quoted(schema)}, public")
        for name, value in SETTINGS.items():
            await connection.execute(f"SET {name} = '{value}'")
        return cls(connection, [row["id"] for row in await connection.fetch("SELECT id FROM space")])

    async def asked(self, mode: Mode, searched: Searched) -> float:
        """Milliseconds that the searches of a mode take together."""
        plan, self.seconds = plan_for(mode), 0.0
        assert plan is not None, "a mode that searches nothing has no floor"
        found = {channel: await self._near(channel, searched.vector) for channel in plan.vectors}
        for channel in plan.words:
            await self._rows(WORDS, KINDS[channel], *searched.terms[channel], self.spaces, DEPTH)
        named = [row["entity"] for row in await self._rows(NAMES, searched.keys)] if plan.words else []
        if plan.walk:
            entities = [*named, *found.get("entity_vector", [])][: walking._ENTITIES]
            relations = found.get("relation_vector", [])[: walking._RELATIONS]
            await self._walk(entities, relations, WalkBounds())
        return 1000 * self.seconds

    async def _near(self, channel: VectorChannel, vector: str) -> list[int]:
        return [row["id"] for row in await self._rows(NEAREST.format(channel=channel), vector, DEPTH)]

    async def _walk(self, entities: list[int], relations: list[int], bounds: WalkBounds) -> None:
        ends = await self._rows(ENDS, relations)
        seen = {*entities, *(end for row in ends for end in row)}
        frontier = sorted(seen)
        for _ in range(bounds.steps):
            reached = Counter([other for way in WAYS for other in await self._others(way, frontier, bounds.edges)])
            best = sorted(reached.keys() - seen, key=lambda entity: (-reached[entity], entity))
            frontier = best[: max(bounds.entities - len(seen), 0)]
            seen.update(frontier)
        await self._rows(MENTIONS, sorted(seen), bounds.passages)

    async def _others(self, way: tuple[str, str], frontier: list[int], most: int) -> list[int]:
        end, other = way
        return [
            row["other"] for row in await self._rows(EDGES.format(end=end, other=other), frontier, self.spaces, most)
        ]

    async def _rows(self, statement: str, *values: Any) -> Sequence[Any]:
        if statement not in self.prepared:
            self.prepared[statement] = await self.connection.prepare(statement)
        start = time.perf_counter()
        rows: Sequence[Any] = await self.prepared[statement].fetch(*values)
        self.seconds += time.perf_counter() - start
        return rows
