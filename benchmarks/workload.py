"""What both sides of the comparison do alike: time questions, print JSON lines. Also run by the peer's environment."""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

SECTIONS = ("ingest", "query", "latency", "statements")
WARM_UP = 20
PARALLEL = 8


def emit(**line: Any) -> None:
    """Print one JSON line at once."""
    print(json.dumps(line), flush=True)


def side_options(description: str) -> argparse.Namespace:
    """The options that speed.py hands to either side."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--stub", required=True, help="URL of the stub, without /v1")
    parser.add_argument("--sections", default="ingest,query", help="comma-separated")
    parser.add_argument("--shapes", action="store_true", help="print the most frequent statements of this library")
    for name, default in (("docs", 200), ("facts", 10), ("entities", 800), ("questions", 200), ("dim", 256)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    options.sections = options.sections.split(",")
    return options


async def timed(ask: Callable[[str], Awaitable[Any]], questions: Sequence[str], tasks: int) -> dict[str, Any]:
    """Ask every question with `tasks` workers in this process; gives questions/s and latencies in milliseconds."""
    waiting, took = list(reversed(questions)), []

    async def worker() -> None:
        while waiting:
            start = time.perf_counter()
            await ask(waiting.pop())
            took.append(1000 * (time.perf_counter() - start))

    start = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(tasks)))
    seconds = time.perf_counter() - start
    return {"tasks": tasks, "questions": len(questions), "qps": round(len(questions) / seconds, 2), **spread(took)}


def spread(took: Sequence[float]) -> dict[str, float]:
    """Median, 95th percentile and largest of the latencies."""
    ordered = sorted(took)
    p95 = ordered[int(0.95 * (len(ordered) - 1))]
    return {
        "p50_ms": round(statistics.median(ordered), 2),
        "p95_ms": round(p95, 2),
        "max_ms": round(ordered[-1], 2),
    }
