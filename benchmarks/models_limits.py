"""29 passages against a model that is slow, and against one that keeps telling us to slow down."""

from __future__ import annotations

import time
from argparse import Namespace

from benchmarks.corpus import documents
from benchmarks.goals import Line
from benchmarks.ours_run import LATENCY_DELAY_MS, LATENCY_PASSAGES, engine
from benchmarks.stub_client import control
from post_graph_rag import Document

STORM = {"delay_ms": 0, "limit_every": 3, "retry_after": 1}
CALM = {"delay_ms": 0, "limit_every": 0}


async def latency_line(options: Namespace) -> Line:
    """Every call takes its time; calls run side by side."""
    line = await _read(options, "bench_slow", {**CALM, "delay_ms": LATENCY_DELAY_MS}, seed=23)
    return {"phase": "latency", "delay_ms": LATENCY_DELAY_MS, **line}


async def storm_line(options: Namespace) -> Line:
    """Every third call is told to come back in a second."""
    return {"phase": "storm", **STORM, **await _read(options, "bench_storm", STORM, seed=29)}


async def _read(options: Namespace, realm: str, behaviour: dict[str, int], seed: int) -> Line:
    texts = [text for _, text in documents(LATENCY_PASSAGES + 1, options.facts, options.entities, seed=seed)]
    async with engine(options, realm, gleaning=0) as rag:
        await rag.index_documents([Document(chunks=(texts[0],), source="warm-up")])
        control(options.stub, "/config", dict(behaviour))
        control(options.stub, "/reset", {})
        start = time.perf_counter()
        [report] = await rag.index_documents([Document(chunks=tuple(texts[1:]), source="long")])
        seconds = time.perf_counter() - start
        stats = control(options.stub, "/stats")
        control(options.stub, "/config", dict(CALM))
    return {
        "passages": report.passages,
        "pending": report.pending,
        "secs": round(seconds, 3),
        "calls": stats["calls"].get("extraction", 0),
        **{name: stats[name] for name in ("max_inflight", "limited", "early")},
    }
