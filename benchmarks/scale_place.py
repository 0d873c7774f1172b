"""Realms of a given size, loaded once and kept for later runs."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, dataclass

import asyncpg

from benchmarks.goals import Line
from benchmarks.scale_graph import draw_spaces
from benchmarks.server import fresh_database
from benchmarks.time_graph import Graph
from benchmarks.time_load import KINDS, SCHEMA, Loaded, load_graph
from benchmarks.time_place import CACHE, REALM, database_dsn, engine, measured, run_sql, stands_at
from benchmarks.time_words import WordVectors
from benchmarks.workload import emit
from post_graph_rag.store.database import Database
from post_graph_rag.store.optimize import optimize
from post_graph_rag.store.realms import find_realm

DIMENSIONS = 384
BYTES = """
SELECT CASE WHEN c.relname ~ '_hnsw$' THEN 'hnsw' WHEN t.relname ~ '_vector_' THEN 'vectors'
            WHEN t.relname = 'posting' THEN 'words' WHEN n.nspname <> $1 THEN 'graph' ELSE 'record' END AS what,
       sum(pg_relation_size(c.oid) + CASE WHEN c.relkind = 'r' THEN pg_total_relation_size(c.oid)
           - pg_relation_size(c.oid) - pg_indexes_size(c.oid) ELSE 0 END)::bigint AS bytes
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_index i ON i.indexrelid = c.oid
JOIN pg_class t ON t.oid = coalesce(i.indrelid, c.oid)
WHERE c.relkind IN ('r', 'i') AND n.nspname IN (
    $1, (SELECT graph_name FROM post_graph_rag.realm WHERE schema_name = $1)
) GROUP BY 1 ORDER BY 2 DESC
"""


@dataclass(frozen=True, slots=True)
class Size:
    """How much a realm holds, and whether relations have vectors."""

    passages: int
    entities: int
    relations: int
    relation_vectors: bool = True

    @property
    def name(self) -> str:
        """Of the database."""
        bare = "" if self.relation_vectors else "_bare"
        return f"bench_scale_{self.passages}_{self.entities}_{self.relations}{bare}"

    @property
    def kinds(self) -> tuple[str, ...]:
        """Of what there are vectors."""
        return KINDS if self.relation_vectors else ("passage", "entity")

    def tenth(self) -> Size:
        """A tenth of everything."""
        return Size(self.passages // 10, self.entities // 10, self.relations // 10, self.relation_vectors)


@dataclass(frozen=True, slots=True)
class Place:
    """A database with a realm of that size: its picture drawn, all its vectors in HNSW indexes."""

    size: Size
    dsn: str
    graph: Graph


def place_of(server: str, size: Size, reuse: bool) -> Place:
    """The loaded realm; with `reuse` the one of an earlier run, if it is there and untouched."""
    graph = draw_spaces(size.passages, size.entities, size.relations)
    place = Place(size, database_dsn(server, size.name), graph)
    kept = CACHE / f"{size.name}.json"
    if reuse and kept.exists() and asyncio.run(stands_at(place.dsn)) == json.loads(kept.read_text())["latest"]:
        return place
    fresh_database(server, size.name)
    kept.write_text(json.dumps(asdict(asyncio.run(_load(place)))))
    return place


async def _load(place: Place) -> Loaded:
    took: dict[str, float] = {}
    vectors = WordVectors(DIMENSIONS)
    async with engine(place.dsn, embedding=vectors) as rag:
        with measured(took, "load"):
            loaded = await load_graph(place.dsn, REALM, place.graph, vectors, place.size.kinds)
        with measured(took, "draw"):
            await rag.rebuild_graph()
    with measured(took, "index"):
        await _index(place.dsn)
    await run_sql(place.dsn, "VACUUM ANALYZE")
    emit(phase="loaded", rows=loaded.counts, superseded=round(loaded.superseded, 3), secs=took)
    return loaded


async def _index(dsn: str) -> None:
    """HNSW indexes whatever the size, so that sizes can be compared."""
    database = Database(dsn, pool_size=1)
    try:
        await optimize(database, await find_realm(database, REALM), threshold=0)
    finally:
        await database.close()


async def size_line(place: Place) -> Line:
    """Bytes on disk, by what they are for."""
    connection = await asyncpg.connect(place.dsn)
    try:
        rows = await connection.fetch(BYTES, await connection.fetchval(SCHEMA, REALM))
    finally:
        await connection.close()
    megabytes = {row["what"]: round(row["bytes"] / 2**20, 1) for row in rows}
    return {"phase": "disk", "relations": place.size.relations, "mb": sum(megabytes.values()), "of_which": megabytes}
