"""The peer's side: its own ingest loop and its own queries. Run as a file by the peer's environment, never as a module.

Started with this folder as the first place to import from, so that `post_graph_rag` is the peer and not this library.
"""

from __future__ import annotations

import asyncio
import logging
import time
from argparse import Namespace
from typing import Any

import sqlcount
from corpus import documents, questions
from stub_client import control
from workload import PARALLEL, WARM_UP, emit, side_options, timed

from post_graph_rag import DocumentMetadata, GraphRAG, QueryParam, RAGConfig

REALM = "bench"


def config(options: Namespace) -> Any:
    """The peer's configuration, as in its own benchmark."""
    return RAGConfig(
        api_base=options.stub + "/v1",
        api_key="x",
        model="stub",
        embedding_model="stub-e",
        embedding_dim=options.dim,
        db_uri=options.dsn,
        realm=REALM,
        schema_per_realm=True,
        gleaning_passes=1,
        max_hops=2,
        pool_min_size=2,
    )


async def ingest(rag: Any, options: Namespace) -> None:
    """One document after the other, as the peer's index_text takes them."""
    control(options.stub, "/reset", {})
    start, passages, errors = time.perf_counter(), 0, 0
    with sqlcount.counting() as count:
        for source, text in documents(options.docs, options.facts, options.entities):
            results = await rag.index_text(text, metadata=DocumentMetadata(source=source))
            passages += len(results)
            errors += sum(r["structure_errors"] for r in results)
    seconds = time.perf_counter() - start
    emit(
        phase="ingest",
        docs=options.docs,
        passages=passages,
        structure_errors=errors,
        secs=round(seconds, 2),
        docs_per_s=round(options.docs / seconds, 2),
        statements_per_doc=round(count.statements / options.docs, 1),
        messages_per_doc=round(count.messages / options.docs, 1),
        model_calls=control(options.stub, "/stats")["calls"],
        **count.summary(),
    )
    await rag.store.client._execute("ANALYZE")


async def query(rag: Any, options: Namespace, tasks: int) -> None:
    """Mix mode with synthesis."""

    async def ask(question: str) -> None:
        await rag.query(question, param=QueryParam(mode="mix", top_k=5))

    asked = list(questions(options.questions, options.entities))
    await timed(ask, asked[:WARM_UP], tasks)
    control(options.stub, "/reset", {})
    with sqlcount.counting() as count:
        times = await timed(ask, asked, tasks)
    stats = control(options.stub, "/stats")
    emit(
        phase=f"query-{tasks}",
        **times,
        statements_per_query=round(count.statements / len(asked), 1),
        prompt_chars_avg=stats["prompt_chars"].get("synthesis", 0) // len(asked),
        prompt_chars_max=stats["max_prompt_chars"].get("synthesis", 0),
        **count.summary(),
    )


async def run(options: Namespace) -> None:
    """Every section asked for; questions need the documents, so these are always ingested."""
    rag = GraphRAG(config(options))
    await rag.store.connect()
    await rag.initialize()
    await ingest(rag, options)
    if "query" in options.sections:
        await query(rag, options, 1)
        await query(rag, options, PARALLEL)
    await rag.close()


def main() -> None:
    """Command line."""
    options = side_options(__doc__ or "")
    logging.disable(logging.WARNING)
    asyncio.run(run(options))


if __name__ == "__main__":
    main()
