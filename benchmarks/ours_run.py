"""Our side: one `index_documents` of all documents, questions, the latency run, and statements by document size.

python -m benchmarks.ours_run --dsn DSN --stub URL --sections ingest,query,latency,statements
"""

from __future__ import annotations

import asyncio
import logging
import time
from argparse import Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import bpe_openai

from benchmarks.corpus import documents, questions
from benchmarks.sqlcount import Count, counting
from benchmarks.stub_client import control
from benchmarks.workload import PARALLEL, WARM_UP, emit, side_options, timed
from post_graph_rag import Document, GraphRAG, QueryParam, Settings

REPLY_WRITES = r'INSERT INTO (?:\S+\.)?"?(?:reply|stored_vector|ledger)\b'
MIX = QueryParam(mode="mix", top_k=5)
BUDGETS = (1000, 8000)
LATENCY_PASSAGES = 29
LATENCY_DELAY_MS = 200


@asynccontextmanager
async def engine(options: Namespace, realm: str, gleaning: int = 1) -> AsyncIterator[GraphRAG]:
    """The library as a user opens it, on a realm made for the section."""
    settings = Settings(
        dsn=options.dsn,
        realm=realm,
        create=True,
        model="stub",
        embedding_model="stub-e",
        base_url=options.stub + "/v1",
        api_key="x",
        embedding_dimensions=options.dim,
        gleaning_passes=gleaning,
    )
    async with GraphRAG(settings) as rag:
        yield rag


# ---------------------------------------------------------------- ingest and queries


async def ingest(rag: GraphRAG, options: Namespace) -> None:
    """All documents in one call."""
    batch = [Document(text=t, source=s) for s, t in documents(options.docs, options.facts, options.entities)]
    control(options.stub, "/reset", {})
    start, cpu = time.perf_counter(), time.process_time()
    with counting() as count:
        reports = await rag.index_documents(batch)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    stats = control(options.stub, "/stats")
    emit(
        phase="ingest",
        docs=len(batch),
        passages=sum(r.passages for r in reports),
        entities=sum(r.entities for r in reports),
        relations=sum(r.relations for r in reports),
        pending=sum(r.pending for r in reports),
        secs=round(seconds, 2),
        docs_per_s=round(len(batch) / seconds, 2),
        client_cpu_ms_per_doc=round(1000 * cpu / len(batch), 2),
        stub_cpu_ms_per_doc=round(1000 * stats["cpu_seconds"] / len(batch), 2),
        embed_inputs=stats["embed_inputs"],
        **statement_figures(count, stats["calls"], len(batch)),
    )
    shapes(options, count)


def statement_figures(count: Count, calls: dict[str, int], docs: int) -> dict[str, Any]:
    """Statements a document, with and without one write for each model call."""
    writes = min(count.matching(REPLY_WRITES), sum(calls.values()))
    return {
        "statements_per_doc": round((count.statements - writes) / docs, 2),
        "reply_writes": writes,
        "statements_with_replies_per_doc": round(count.statements / docs, 2),
        "messages_per_doc": round(count.messages / docs, 2),
        "model_calls": calls,
        **count.summary(),
    }


def shapes(options: Namespace, count: Count) -> None:
    """Print the most frequent statements, if asked for: where to look when there are too many."""
    if options.shapes:
        for shape, times in count.shapes.most_common(30):
            emit(phase="shape", times=times, statement=shape)


async def query(rag: GraphRAG, options: Namespace, tasks: int) -> None:
    """Mix mode with synthesis, warm."""
    asked = list(questions(options.questions, options.entities))
    per_query: list[int] = []

    async def ask(question: str) -> None:
        with counting() as one:
            await rag.query(question, param=MIX)
        per_query.append(one.statements)

    await timed(ask, asked[:WARM_UP], tasks)
    per_query.clear()
    control(options.stub, "/reset", {})
    cpu = time.process_time()
    with counting() as count:
        times = await timed(ask, asked, tasks)
    cpu = time.process_time() - cpu
    stats = control(options.stub, "/stats")
    emit(
        phase=f"query-{tasks}",
        **times,
        client_cpu_ms_per_query=round(1000 * cpu / len(asked), 2),
        statements_per_query=round(count.statements / len(asked), 2),
        statements_max=max(per_query) if tasks == 1 else None,
        prompt_chars_avg=stats["prompt_chars"].get("synthesis", 0) // len(asked),
        prompt_chars_max=stats["max_prompt_chars"].get("synthesis", 0),
        **count.summary(),
    )
    shapes(options, count)


async def prompts(rag: GraphRAG, options: Namespace) -> None:
    """Count the tokens that really reached the model, under a small and under the default budget."""
    encoding = bpe_openai.get_encoding("o200k_base")
    for budget in BUDGETS:
        largest, over = 0, 0
        for question in questions(WARM_UP, options.entities):
            await rag.query(question, param=MIX.model_copy(update={"max_total_tokens": budget}))
            sent = control(options.stub, "/last?kind=synthesis")["messages"]
            tokens = sum(len(encoding.encode_ordinary(m["content"])) for m in sent)
            largest, over = max(largest, tokens), over + (tokens > budget)
        emit(phase=f"prompt-{budget}", budget=budget, tokens_max=largest, over_budget=over)


# ---------------------------------------------------------------- latency and statements


async def latency(options: Namespace) -> None:
    """One document of given chunks while every model call takes its time."""
    texts = [text for _, text in documents(LATENCY_PASSAGES + 1, options.facts, options.entities, seed=23)]
    async with engine(options, "bench_latency", gleaning=0) as rag:
        await rag.index_documents([Document(chunks=(texts[0],), source="warm-up")])
        control(options.stub, "/config", {"delay_ms": LATENCY_DELAY_MS})
        control(options.stub, "/reset", {})
        start = time.perf_counter()
        await rag.index_documents([Document(chunks=tuple(texts[1:]), source="long")])
        seconds = time.perf_counter() - start
        control(options.stub, "/config", {"delay_ms": 0})
        stats = control(options.stub, "/stats")
    emit(
        phase="latency",
        passages=LATENCY_PASSAGES,
        delay_ms=LATENCY_DELAY_MS,
        secs=round(seconds, 3),
        max_inflight=stats["max_inflight"],
        model_calls=stats["calls"],
    )


async def statements(options: Namespace) -> None:
    """One document of one chunk, with few and with many facts."""
    async with engine(options, "bench_statements") as rag:
        await one_document(rag, options, facts=10, seed=31)  # opens connections and prepares statements
        for seed, facts in ((32, 10), (33, 100)):
            control(options.stub, "/reset", {})
            with counting() as count:
                await one_document(rag, options, facts, seed)
            calls = control(options.stub, "/stats")["calls"]
            emit(phase=f"statements-{facts}", facts=facts, **statement_figures(count, calls, 1))
            shapes(options, count)


async def one_document(rag: GraphRAG, options: Namespace, facts: int, seed: int) -> None:
    """Index one document of one chunk."""
    text = next(documents(1, facts, options.entities, seed=seed))[1]
    await rag.index_documents([Document(chunks=(text,), source=f"seed-{seed}")])


async def run(options: Namespace) -> None:
    """Every section asked for; questions need the documents."""
    if {"ingest", "query"} & set(options.sections):
        async with engine(options, "bench") as rag:
            await ingest(rag, options)
            if "query" in options.sections:
                await query(rag, options, 1)
                await query(rag, options, PARALLEL)
                await prompts(rag, options)
    if "latency" in options.sections:
        await latency(options)
    if "statements" in options.sections:
        await statements(options)


def main() -> None:
    """Command line."""
    options = side_options(__doc__ or "")
    logging.disable(logging.WARNING)
    asyncio.run(run(options))


if __name__ == "__main__":
    main()
