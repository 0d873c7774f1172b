"""Engines for the tests of forgetting, and a search for what must be gone from every column of a realm."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import numpy as np
from numpy.typing import NDArray

from post_graph_rag.config import Settings
from post_graph_rag.engine import GraphRAG
from post_graph_rag.models.roles import Models
from post_graph_rag.store.identifiers import quoted
from tests.integration.writing.support import SCHEMA, Place, facts_chat, small_embedding

COLUMNS = """
    SELECT format('%I.%I', n.nspname, c.relname) AS table, quote_ident(a.attname) AS column
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type t ON t.oid = a.atttypid
    WHERE n.nspname IN (SELECT unnest(ARRAY[schema_name, graph_name]) FROM post_graph_rag.realm WHERE name = $1)
      AND c.relkind = 'r' AND t.typname <> 'vector' ORDER BY 1, a.attnum"""
VECTORS = """
    SELECT format('%I.%I', n.nspname, c.relname) AS table, quote_ident(a.attname) AS column
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type t ON t.oid = a.atttypid
    WHERE n.nspname = (SELECT schema_name FROM post_graph_rag.realm WHERE name = $1)
      AND c.relkind = 'r' AND t.typname IN ('vector', 'halfvec') ORDER BY 1"""
NO_RECORD = ("clock", "space", "ledger", "reply", "stored_vector", "erasure", "stale_word")
SAMPLES = """
    SELECT schemaname || '.' || tablename || '.' || attname, concat_ws(' ', most_common_vals::text,
           histogram_bounds::text, most_common_elems::text)
    FROM pg_stats WHERE schemaname IN (SELECT unnest(ARRAY[schema_name, graph_name]) FROM post_graph_rag.realm
                                       WHERE name = $1)"""


async def where_it_stands(place: Place, *secrets: str) -> set[tuple[str, str]]:
    """The columns, and the secret in them, in which any of these texts stands, whatever its case; bytes as text too."""
    found: set[tuple[str, str]] = set()
    connection = await asyncpg.connect(place.dsn)
    try:
        await connection.execute("SELECT '0'::ag_catalog.agtype")
        await connection.execute("SET search_path = public, ag_catalog")
        columns = await connection.fetch(COLUMNS, place.realm)
        assert len(columns) > 100
        for table, column in columns:
            rows = await connection.fetch(f"SELECT format('%s', {column}) FROM {table}")
            for (text,) in rows:
                found |= {(f"{table}.{column}".replace('"', ""), secret) for secret in secrets if _holds(text, secret)}
    finally:
        await connection.close()
    return found


def _holds(text: str, secret: str) -> bool:
    plain, hidden = text.lower(), secret.lower()
    return hidden in plain or hidden.encode().hex() in plain


async def sampled(place: Place, *secrets: str) -> set[tuple[str, str]]:
    """The same in what the planner's statistics hold of the tables."""
    connection = await asyncpg.connect(place.dsn)
    try:
        rows = await connection.fetch(SAMPLES, place.realm)
    finally:
        await connection.close()
    return {(name, secret) for name, text in rows for secret in secrets if _holds(text or "", secret)}


async def vectors_in(place: Place, vectors: Sequence[NDArray[np.float32]]) -> list[str]:
    """The tables that hold any of these vectors."""
    connection = await asyncpg.connect(place.dsn)
    found: list[str] = []
    try:
        for table, column in await connection.fetch(VECTORS, place.realm):
            rows = await connection.fetch(f"SELECT {column}::real[] FROM {table}")
            held = np.array([row[0] for row in rows], dtype=np.float32).reshape(len(rows), -1)
            if any(np.isclose(held, vector, atol=1e-6).all(axis=1).any() for vector in vectors if len(rows)):
                found.append(table)
    finally:
        await connection.close()
    return found


async def every_row(place: Place) -> int:
    """How many rows the realm's record has, but for clock, spaces, ledger, replies, and mere ids of what is gone."""
    connection = await asyncpg.connect(place.dsn)
    try:
        schema = await connection.fetchval(SCHEMA, place.realm)
        tables = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = $1", schema)
        names = [row[0] for row in tables if row[0] not in NO_RECORD]
        counted = [await connection.fetchval(f"SELECT count(*) FROM {quoted(schema)}.{quoted(name)}") for name in names]
        return sum(counted)
    finally:
        await connection.close()


def unconfigured(place: Place) -> GraphRAG:
    """An engine that has no models."""
    made = GraphRAG(Settings(dsn=place.dsn, realm=place.realm))  # type: ignore[arg-type]
    place.engines.append(made)
    return made


@asynccontextmanager
async def lent(place: Place, models: Models | None = None) -> AsyncIterator[tuple[Any, GraphRAG]]:
    """A connection of the test's own, and an engine on it."""
    connection = await asyncpg.connect(place.dsn)
    rag = GraphRAG(
        Settings(realm=place.realm), connection=connection, models=models or Models(facts_chat(), small_embedding())
    )
    try:
        yield connection, rag
    finally:
        await rag.close()
        await connection.close()
