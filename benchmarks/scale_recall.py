"""Whether the smallest space of a realm gets all it asks for, and how much of what an exact search finds."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import asyncpg
import numpy as np

from benchmarks.goals import Line
from benchmarks.scale_graph import SMALL
from benchmarks.scale_place import DIMENSIONS, Place
from benchmarks.time_graph import questions
from benchmarks.time_load import SCHEMA
from benchmarks.time_place import REALM
from benchmarks.time_words import WordVectors
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.identifiers import quoted
from post_graph_rag.store.realms import find_realm
from post_graph_rag.store.search import VectorChannel, find_scope, nearest

TOP = 10
EXACT = """
SELECT id FROM {}_1 WHERE current AND space = ANY($2::int[]) ORDER BY (embedding <=> $1::text::vector) + 0 LIMIT $3
"""


async def recall_lines(place: Place, count: int) -> list[Line]:
    """Of each kind of vector, in the smallest space and in all together."""
    channels: list[VectorChannel] = [f"{kind}_vector" for kind in place.size.kinds]  # type: ignore[misc]
    vectors = await WordVectors(DIMENSIONS).embed(questions(place.graph, count, seed=12))
    database = Database(place.dsn, pool_size=1)
    exact = await asyncpg.connect(place.dsn)
    await exact.execute(f"SET search_path = {quoted(await exact.fetchval(SCHEMA, REALM))}, public")
    try:
        realm = await find_realm(database, REALM)
        async with database.transaction(realm.statements, read_only=True) as session:
            return [
                await _line(session, exact, vectors, channel, names)
                for channel in channels
                for names in ([SMALL], None)
            ]
    finally:
        await exact.close()
        await database.close()


async def _line(
    session: Session, exact: Any, vectors: Any, channel: VectorChannel, names: Sequence[str] | None
) -> Line:
    spaces = (await find_scope(session, names)).ids
    short, recalls = 0, []
    for vector in vectors:
        wanted = {row["id"] for row in await exact.fetch(EXACT.format(channel), str(vector.tolist()), spaces, TOP)}
        hits = (await nearest(session, np.array([vector]), [(channel, 0)], spaces, 40))[channel].ids[:TOP]
        short += len(hits) < len(wanted)
        recalls.append(len(wanted & set(hits)) / len(wanted))
    where = "small" if names else "all"
    return {
        "phase": f"recall-{channel}-{where}",
        "questions": len(recalls),
        "top": TOP,
        "short": short,
        "recall": round(statistics.mean(recalls), 4),
    }
