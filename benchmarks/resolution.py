"""What resolution makes of the entities that GPT-3.5 found in musique's passages: `python -m benchmarks.resolution`.

Prints one JSON line a phase: entities by name and by key, entities before and after resolving by likeness, with seconds
and their ratio from a quarter of the entities to all; and the precision of the merges, by verdicts that were read and
written by hand into benchmarks/data/merges_musique.jsonl. Merges that have no verdict are printed to be read.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
from pydantic import SecretStr

from benchmarks.recorded import DEFAULT_DATA, StoredEmbedding, names_of, said_of, stored_embedding
from benchmarks.server import bench_server, fresh_database
from benchmarks.stub_client import ROOT
from benchmarks.workload import emit
from post_graph_rag import Document, GraphRAG, Settings
from post_graph_rag.models.roles import Models
from post_graph_rag.names import name_key
from post_graph_rag.records import Extraction, ResolveReport
from post_graph_rag.store.identifiers import quoted
from post_graph_rag.testing import ScriptedChat

VERDICTS = ROOT / "benchmarks" / "data" / "merges_musique.jsonl"
DATABASE = "bench_resolution"
SEED, SAMPLE = 4, 100
SHARE = 5  # of the passages, whose entities are about a quarter of all
CURRENT = "SELECT count(*) FROM {r}.entity WHERE current"
MERGES = """
    SELECT a.name, b.name FROM {r}.merge m
    JOIN {r}.entity_profile a ON a.entity = m.source JOIN {r}.entity_profile b ON b.entity = m.target
    WHERE upper_inf(m.recorded) AND m.cause = 'similar'"""


def extractions(data: Path) -> dict[str, Extraction]:
    """What was extracted, by a text that stands for the passage."""
    return {f"passage {number}": found for number, found in said_of(data / "musique").items()}


@asynccontextmanager
async def indexed(
    dsn: str, realm: str, said: Mapping[str, Extraction], vectors: StoredEmbedding
) -> AsyncIterator[GraphRAG]:
    """An engine on a realm of its own that holds these passages, with entities by exact keys."""
    chat = ScriptedChat(extract=lambda text: said[text.strip()])
    settings = Settings(dsn=SecretStr(dsn), realm=realm, graph="none", gleaning_passes=0, resolve="exact")
    async with GraphRAG(settings, models=Models(chat, vectors)) as rag:
        await rag.index_documents([Document(key=text, text=text) for text in said])
        yield rag


async def resolved(rag: GraphRAG) -> tuple[ResolveReport, float]:
    """What resolving does, and the seconds it takes."""
    started = time.perf_counter()
    report = await rag.resolve_entities()
    return report, time.perf_counter() - started


async def rows(dsn: str, realm: str, query: str) -> list[tuple[Any, ...]]:
    """Rows of a query in which {r} stands for a realm's record schema."""
    connection = await asyncpg.connect(dsn)
    try:
        schema = await connection.fetchval("SELECT schema_name FROM post_graph_rag.realm WHERE name = $1", realm)
        return [tuple(row) for row in await connection.fetch(query.replace("{r}", quoted(schema)))]
    finally:
        await connection.close()


async def measured(dsn: str, realm: str, said: Mapping[str, Extraction], vectors: StoredEmbedding) -> dict[str, Any]:
    """One realm of some passages, before and after."""
    async with indexed(dsn, realm, said, vectors) as rag:
        [(before,)] = await rows(dsn, realm, CURRENT)
        report, seconds = await resolved(rag)
        [(after,)] = await rows(dsn, realm, CURRENT)
    names = len(names_of(said.values()))
    figures = {"names": names, "before": before, "after": after, "merged": report.merged, "pairs": report.pairs}
    emit(phase=realm, **figures, seconds=round(seconds, 2), ms_an_entity=round(1000 * seconds / before, 3))
    return {**figures, "seconds": seconds}


def drawn(merges: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """A sample of merges by seed, or all where there are not as many."""
    return sorted(random.Random(SEED).sample(sorted(merges), min(SAMPLE, len(merges))))


def judged(merges: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The precision of merges by the verdicts that are kept; prints those that have none."""
    lines = VERDICTS.read_text(encoding="utf-8").splitlines() if VERDICTS.exists() else []
    verdicts = {frozenset((found["one"], found["other"])): found["same"] for found in map(json.loads, lines)}
    known = [verdicts[pair] for pair in map(frozenset, merges) if pair in verdicts]
    for one, other in merges:
        if frozenset((one, other)) not in verdicts:
            emit(unread=True, one=one, other=other)
    return {"sample": len(merges), "read": len(known), "right": sum(known), "precision": _share(sum(known), len(known))}


def exact_merges(names: Iterable[str]) -> list[tuple[str, str]]:
    """Names that share a key with the first name of it."""
    first: dict[str, str] = {}
    return [(name, one) for name in sorted(names) if (one := first.setdefault(name_key(name), name)) != name]


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


async def run(dsn: str, data: Path) -> None:
    """Measure a part and the whole, and judge what was merged."""
    said, vectors = extractions(data), stored_embedding(data)
    part = dict(list(said.items())[: len(said) // SHARE])
    small = await measured(dsn, "part", part, vectors)
    whole = await measured(dsn, "whole", said, vectors)
    growth, slower = whole["before"] / small["before"], whole["seconds"] / small["seconds"]
    emit(phase="growth", entities=round(growth, 2), seconds=round(slower, 2))
    similar = [(one, other) for one, other in await rows(dsn, "whole", MERGES)]
    emit(phase="similar merges", **judged(drawn(similar)))
    emit(phase="exact merges", **judged(drawn(exact_merges(names_of(said.values())))))


def main() -> None:
    """Measure on an embedded server, or on the one of --dsn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dsn")
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    given = parser.parse_args()
    with bench_server(given.dsn) as server:
        asyncio.run(run(fresh_database(server, DATABASE), given.data))


if __name__ == "__main__":
    main()
