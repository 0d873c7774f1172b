"""Deleting and erasing a document in a large graph: seconds and statements, for few facts and for many.

Half of what its facts are about is known to the graph already; of every tenth one holds at a time for its subject.
"""

from __future__ import annotations

import asyncio
import random
import time
from argparse import Namespace
from collections.abc import Awaitable, Callable

from benchmarks.goals import Line
from benchmarks.sqlcount import counting
from benchmarks.time_graph import FACTS, Graph
from benchmarks.time_models import Thinking
from benchmarks.time_place import copied, engine, large
from benchmarks.time_words import LED, PREDICATES, WordBag, names
from post_graph_rag import Document, GraphRAG

FEW = 10


def delete_lines(options: Namespace, server: str) -> list[Line]:
    """Index documents into a copy of the loaded graph, delete them, index them again, erase them."""
    place = large(server, options.delete_relations, options.reuse)
    documents = {"few": _document(place.graph, FEW, 1), "many": _document(place.graph, options.facts, 2)}
    with copied(server, place.dsn, "bench_time_delete") as dsn:
        return asyncio.run(_forget(dsn, documents))


async def _forget(dsn: str, documents: dict[str, Document]) -> list[Line]:
    lines: list[Line] = []
    thinking = Thinking()
    async with engine(dsn, thinking.chat, thinking.embedding) as rag:
        await _warm_up(rag, documents["few"].model_copy(update={"key": "warm-up"}))
        for name, document in documents.items():
            for what, forget in (("delete", rag.delete_document), ("erase", rag.erase_document)):
                await rag.index_document(document)
                lines.append(await _measured(f"{what}-{name}", document, forget))
    return lines


async def _warm_up(rag: GraphRAG, document: Document) -> None:
    """Open connections and plan every statement."""
    for forget in (rag.delete_document, rag.erase_document):
        await rag.index_document(document)
        await forget(document.key or "")


async def _measured(phase: str, document: Document, forget: Callable[[str], Awaitable[object]]) -> Line:
    with counting() as count:
        start = time.perf_counter()
        await forget(document.key or "")
        seconds = time.perf_counter() - start
    facts = sum(chunk.count("\n") + 1 for chunk in document.chunks or ())
    return {"phase": phase, "facts": facts, "secs": round(seconds, 3), "statements": count.statements}


def _document(graph: Graph, facts: int, seed: int) -> Document:
    """A document of so many facts, a dozen a passage, a tenth of which take turns with known ones."""
    rng, bag = random.Random(seed), WordBag(2_000, seed)
    ends = _names(graph, max(4, facts * 2 // 5), rng, seed)
    led = [fact.subject for fact in graph.facts if fact.predicate == LED]

    def sentence(number: int) -> str:
        subject, other = rng.sample(ends, 2)
        if number % 10:
            return f"{subject} {rng.choice(PREDICATES)} {other} {' '.join(bag.draw(3))}."
        start = f"{rng.randint(1985, 2024)}-{rng.randint(1, 12):02}"
        return f"{graph.names[rng.choice(led)]} {LED} {other} from {start}."

    sentences = list(map(sentence, range(facts)))
    chunks = tuple("\n".join(sentences[start : start + FACTS]) for start in range(0, facts, FACTS))
    return Document(key=f"report-of-{facts}-facts", chunks=chunks, observed_at="2024-06-01")


def _names(graph: Graph, count: int, rng: random.Random, seed: int) -> list[str]:
    """Names that facts are about, as many to a fact as in the graph; it knows half of them."""
    known = {graph.names[rng.choice(graph.facts).subject] for _ in range(count // 2)}
    return [*sorted(known), *names(count - len(known), 900 + seed)]
