"""Loads a drawn graph straight into a realm's tables, as if its documents had been indexed over the last weeks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import asyncpg
import numpy as np

from benchmarks.time_graph import Graph
from benchmarks.time_rows import Embedded, Row, Rows
from benchmarks.time_words import WordVectors
from post_graph_rag.marks import mark_of
from post_graph_rag.models.protocols import Vectors
from post_graph_rag.store.identifiers import quoted
from post_graph_rag.store.statements import render, sources

ARRIVALS = 20
"""Commits that the history consists of, a day apart."""
SCHEMA = "SELECT schema_name FROM post_graph_rag.realm WHERE name = $1"
INDEXES = """
SELECT format('%I.%I', n.nspname, c.relname) AS name, pg_get_indexdef(i.indexrelid) AS made
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)
"""
SEQUENCES = """
SELECT setval(c.oid::regclass, $2) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind = 'S'
"""
KINDS = ("passage", "entity", "relation")
COPY_HEAD = b"PGCOPY\n\xff\r\n\0" + bytes(8)
COPY_END = b"\xff\xff"


@dataclass(frozen=True, slots=True)
class Loaded:
    """How many rows of what were loaded, the share of relations that are superseded, and two belief marks.

    middle: after half of the arrivals; latest: now.
    """

    counts: dict[str, int]
    superseded: float
    middle: str
    latest: str


async def load_graph(
    dsn: str, realm: str, graph: Graph, vectors: WordVectors, kinds: Collection[str] = KINDS
) -> Loaded:
    """Load a graph into an empty realm. The picture in Apache AGE is not drawn: `rebuild_graph` does that.

    kinds: of which things vectors are loaded.
    """
    now = datetime.now(UTC)
    rows = Rows(graph, [now - (ARRIVALS - n) * timedelta(days=1) for n in range(ARRIVALS)])
    connection = await asyncpg.connect(dsn)
    try:
        schema = await connection.fetchval(SCHEMA, realm)
        counts = await _fill(connection, schema, rows, vectors, kinds)
        latest = await connection.fetchval(f"SELECT stamp FROM {quoted(schema)}.clock")
    finally:
        await connection.close()
    superseded = 1 - len(rows.current) / len(graph.relations)
    return Loaded(counts, superseded, mark_of(rows.stamps[ARRIVALS // 2]), mark_of(latest))


async def _fill(
    connection: Any, schema: str, rows: Rows, vectors: WordVectors, kinds: Collection[str]
) -> dict[str, int]:
    """Indexes are made afterwards, which is several times faster than row by row."""
    indexes = await connection.fetch(INDEXES, schema)
    for index in indexes:
        await connection.execute(f"DROP INDEX {index['name']}")
    counts = {}
    for name, columns, made in rows.tables():
        counts[name] = await _copy(connection, schema, name, columns.split(), made)
    for embedded in rows.embedded():
        if embedded.kind in kinds:
            counts[f"{embedded.kind}_vector"] = len(embedded.ids)
            await _copy_vectors(connection, schema, embedded, vectors)
    await connection.execute("SET maintenance_work_mem = '1GB'")
    for index in indexes:
        await connection.execute(index["made"])
    await connection.fetch(SEQUENCES, schema, max(counts.values()))
    await connection.execute(render(sources()["tidy_lone"], {"record": quoted(schema)}))
    return counts


async def _copy(connection: Any, schema: str, table: str, columns: list[str], rows: Iterable[Row]) -> int:
    status = await connection.copy_records_to_table(table, schema_name=schema, columns=columns, records=rows)
    return int(status.split()[-1])


async def _copy_vectors(connection: Any, schema: str, embedded: Embedded, vectors: WordVectors) -> None:
    """Rows in the binary form of COPY, written out at once: asyncpg knows no vectors."""
    table, columns = f"{embedded.kind}_vector_1", ["id", "space", "current", "embedding"]
    for start in range(0, len(embedded.ids), 20_000):
        part = slice(start, start + 20_000)
        made = vectors.vectors(embedded.texts[part])
        source = BytesIO(_binary(embedded.ids[part], embedded.spaces[part], embedded.current[part], made))
        await connection.copy_to_table(table, schema_name=schema, columns=columns, source=source, format="binary")


def _binary(ids: Sequence[int], spaces: Sequence[int], current: Sequence[bool], vectors: Vectors) -> bytes:
    """Each field is its length and its bytes; a vector is its width, two bytes of nothing, and its numbers."""
    width = vectors.shape[1]
    head = [("fields", ">i2"), ("l1", ">i4"), ("id", ">i8"), ("l2", ">i4"), ("space", ">i4"), ("l3", ">i4")]
    rest = [("current", "u1"), ("l4", ">i4"), ("width", ">i2"), ("none", ">i2"), ("vector", ">f4", (width,))]
    rows = np.zeros(len(ids), np.dtype([*head, *rest]))
    for name, value in {
        "fields": 4,
        "l1": 8,
        "l2": 4,
        "l3": 1,
        "l4": 4 + 4 * width,
        "width": width,
    }.items():
        rows[name] = value
    rows["id"], rows["space"], rows["current"], rows["vector"] = ids, spaces, current, vectors
    return COPY_HEAD + rows.tobytes() + COPY_END
