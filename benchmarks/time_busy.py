"""One busy subject: what a document about it costs when there are a thousand others about it, beside the tenth.

Each document states ten facts with one predicate, of which one holds at a time, at dates in no order; what it states
them of comes from a pool, so facts come back. The documents in between are indexed in groups, unmeasured.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from argparse import Namespace
from datetime import date, timedelta

from benchmarks.goals import Line
from benchmarks.server import fresh_database
from benchmarks.sqlcount import counting
from benchmarks.time_models import Thinking
from benchmarks.time_place import engine
from benchmarks.time_words import LED, WordBag, names
from post_graph_rag import Document, GraphRAG
from post_graph_rag.records import PredicateRule

SUBJECT = "Busy Subject"
FACTS = 10
EARLY = 10
NEIGHBOURS = 5
GROUP = 50
FIRST_DAY = date(1990, 1, 1)
DAYS = 12_000


def busy_lines(options: Namespace, server: str) -> list[Line]:
    """Index all documents and compare."""
    return [asyncio.run(_run(fresh_database(server, "bench_time_busy"), options.documents, options.pool))]


async def _run(dsn: str, count: int, pool: int) -> Line:
    thinking, documents = Thinking(), _documents(count + NEIGHBOURS, pool)
    async with engine(dsn, thinking.chat, thinking.embedding) as rag:
        await rag.set_rules([PredicateRule(predicate=LED, per="subject")])
        await rag.index_text(f"Warm Up {LED} Other One.")
        early, sent = await _around(rag, thinking, documents, 0, EARLY)
        late, more = await _around(rag, thinking, documents, EARLY + NEIGHBOURS // 2, count)
    ratio = late / early
    return {
        "phase": "busy",
        "early": EARLY,
        "late": count,
        "pool": pool,
        "early_ms": round(1000 * early, 2),
        "late_ms": round(1000 * late, 2),
        "ratio": round(ratio, 3),
        "statements": [sent, more],
    }


async def _around(
    rag: GraphRAG, thinking: Thinking, documents: list[Document], start: int, place: int
) -> tuple[float, int]:
    """Index from `start` (0 is the first) to the document at `place` (1 is the first), and time its neighbours.

    Returns the median of their seconds without the models', and the most statements of one.
    """
    first = place - 1 - NEIGHBOURS // 2
    for group in range(start, first, GROUP):
        await rag.index_documents(documents[group : min(group + GROUP, first)])
    seconds, statements = [], []
    for document in documents[first : first + NEIGHBOURS]:
        took, sent = await _timed(rag, thinking, document)
        seconds.append(took)
        statements.append(sent)
    return statistics.median(seconds), max(statements)


async def _timed(rag: GraphRAG, thinking: Thinking, document: Document) -> tuple[float, int]:
    with counting() as count:
        start, thought = time.perf_counter(), thinking.seconds
        await rag.index_document(document)
        took = time.perf_counter() - start - (thinking.seconds - thought)
    return took, count.statements


def _documents(count: int, pool: int) -> list[Document]:
    rng, bag, others = random.Random(5), WordBag(2_000, 5), names(pool, 5)
    made = []
    for number in range(count):
        days = [FIRST_DAY + timedelta(days=rng.randrange(DAYS)) for _ in range(FACTS)]
        sentences = [f"{SUBJECT} {LED} {rng.choice(others)} from {day} {' '.join(bag.draw(3))}." for day in days]
        made.append(Document(key=f"note-{number}", chunks=("\n".join(sentences),)))
    return made
