"""Realms that the benchmark of time measures in: a large loaded one, which later runs use again, and empty ones."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import asyncpg
from pydantic import SecretStr

from benchmarks.server import fresh_database
from benchmarks.stub_client import ROOT
from benchmarks.time_graph import Graph, draw_graph
from benchmarks.time_load import Loaded, load_graph
from benchmarks.time_words import WordVectors
from benchmarks.workload import emit
from post_graph_rag import GraphRAG, Settings
from post_graph_rag.marks import mark_of
from post_graph_rag.models.protocols import ChatModel, EmbeddingModel
from post_graph_rag.models.roles import Models
from post_graph_rag.store.identifiers import quoted

CACHE = ROOT / "benchmarks" / "cache"
REALM = "time"


@dataclass(frozen=True, slots=True)
class Large:
    """A database with a realm of a loaded graph, its picture drawn and its vectors indexed."""

    dsn: str
    graph: Graph
    loaded: Loaded


def large(server: str, relations: int, reuse: bool) -> Large:
    """The loaded graph of this many relations; with `reuse` the one of the last run, if it is there and untouched."""
    name = f"bench_time_{relations}"
    graph, dsn = draw_graph(relations), database_dsn(server, name)
    kept = CACHE / f"{name}.json"
    if reuse and kept.exists():
        loaded = Loaded(**json.loads(kept.read_text()))
        if asyncio.run(stands_at(dsn)) == loaded.latest:
            return Large(dsn, graph, loaded)
    fresh_database(server, name)
    loaded = asyncio.run(_load(dsn, graph))
    kept.write_text(json.dumps(asdict(loaded)))
    return Large(dsn, graph, loaded)


@contextmanager
def copied(server: str, dsn: str, name: str) -> Iterator[str]:
    """A copy of a database for the block, for what changes it; gives its DSN."""
    source = urlsplit(dsn).path.removeprefix("/")
    drop = f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'
    asyncio.run(run_sql(server, drop))
    asyncio.run(run_sql(server, f'CREATE DATABASE "{name}" TEMPLATE "{source}" STRATEGY file_copy'))
    try:
        yield database_dsn(server, name)
    finally:
        asyncio.run(run_sql(server, drop))


@asynccontextmanager
async def engine(
    dsn: str, chat: ChatModel | None = None, embedding: EmbeddingModel | None = None
) -> AsyncIterator[GraphRAG]:
    """The library on models in this process, without gleaning; the realm is made if it is not there."""
    settings = Settings(dsn=SecretStr(dsn), realm=REALM, create=True, gleaning_passes=0)
    async with GraphRAG(settings, models=Models(chat, embedding or WordVectors())) as rag:
        yield rag


def database_dsn(server: str, name: str) -> str:
    """The DSN of another database of a server."""
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))


async def run_sql(dsn: str, statement: str) -> Any:
    """The one value that a statement gives, on a connection of its own."""
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


async def _load(dsn: str, graph: Graph) -> Loaded:
    took: dict[str, float] = {}
    async with engine(dsn) as rag:
        with measured(took, "load"):
            loaded = await load_graph(dsn, REALM, graph, WordVectors())
        with measured(took, "draw"):
            await rag.rebuild_graph()
        with measured(took, "optimize"):
            report = await rag.optimize()
    await run_sql(dsn, "VACUUM")
    emit(phase="loaded", rows=loaded.counts, superseded=round(loaded.superseded, 3), indexed=report.indexed, secs=took)
    return loaded


async def stands_at(dsn: str) -> str | None:
    """The belief mark at which the realm in a database stands; None where there is none."""
    try:
        schema = await run_sql(dsn, f"SELECT schema_name FROM post_graph_rag.realm WHERE name = '{REALM}'")
        return mark_of(await run_sql(dsn, f"SELECT stamp FROM {quoted(schema)}.clock")) if schema else None
    except (asyncpg.InvalidCatalogNameError, asyncpg.UndefinedTableError):
        return None


@contextmanager
def measured(took: dict[str, float], what: str) -> Iterator[None]:
    """Put the seconds that the block takes under `what`."""
    start = time.perf_counter()
    yield
    took[what] = round(time.perf_counter() - start, 1)
