"""The numbers this library set itself, and whether a run met them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Phases = Mapping[str, Mapping[str, Any]]
Line = dict[str, Any]

INGEST_RATIO = 15
STATEMENTS_PER_DOC = 12
QUERY_RATIO = 20
STATEMENTS_PER_QUERY = 8
THROUGHPUT_RATIO = 20
LATENCY_FACTOR = 1.5
CONCURRENCY = 8


def goals(ours: Phases, peer: Phases) -> Iterator[Line]:
    """One line for each number that the phases at hand allow to work out."""
    yield from _ratios(ours, peer)
    yield from _statements(ours)
    yield from _prompts(ours)
    yield from _latency(ours)


def at_least(goal: str, value: float, wanted: float) -> Line:
    """Whether a value reaches what is wanted."""
    return {"goal": goal, "value": round(value, 2), "wanted": f">= {wanted:g}", "met": value >= wanted}


def at_most(goal: str, value: float, wanted: float) -> Line:
    """Whether a value keeps within what is wanted."""
    return {"goal": goal, "value": round(value, 3), "wanted": f"<= {wanted:g}", "met": value <= wanted}


def _ratios(ours: Phases, peer: Phases) -> Iterator[Line]:
    compared: list[tuple[str, str, float, Callable[[Any, Any], float]]] = [
        ("ingest docs/s, times the peer's", "ingest", INGEST_RATIO, lambda a, b: a["docs_per_s"] / b["docs_per_s"]),
        ("mix p50, times faster than the peer", "query-1", QUERY_RATIO, lambda a, b: b["p50_ms"] / a["p50_ms"]),
        ("mix qps with 8 tasks, times the peer's", "query-8", THROUGHPUT_RATIO, lambda a, b: a["qps"] / b["qps"]),
    ]
    for goal, phase, wanted, ratio in compared:
        if phase in ours and phase in peer:
            yield at_least(goal, ratio(ours[phase], peer[phase]), wanted)


def _statements(ours: Phases) -> Iterator[Line]:
    if ingest := ours.get("ingest"):
        yield at_most("passages left without structure", ingest["pending"], 0)
        yield at_most("statements per document", ingest["statements_per_doc"], STATEMENTS_PER_DOC)
    if query := ours.get("query-1"):
        yield at_most("statements per query, largest", query["statements_max"], STATEMENTS_PER_QUERY)
    few, many = ours.get("statements-10"), ours.get("statements-100")
    if few and many:
        value, wanted = many["statements_per_doc"], few["statements_per_doc"]
        goal = "statements for a document of 100 facts in a chunk, as for 10"
        yield {"goal": goal, "value": value, "wanted": f"== {wanted:g}", "met": value == wanted}


def _prompts(ours: Phases) -> Iterator[Line]:
    for phase in ours.values():
        if phase["phase"].startswith("prompt-"):
            yield at_most(f"tokens sent under a budget of {phase['budget']}", phase["tokens_max"], phase["budget"])


def _latency(ours: Phases) -> Iterator[Line]:
    if run := ours.get("latency"):
        rounds = math.ceil(run["passages"] / CONCURRENCY) + 1
        wanted = LATENCY_FACTOR * rounds * run["delay_ms"] / 1000
        yield at_most(f"seconds for {run['passages']} passages at {run['delay_ms']} ms a call", run["secs"], wanted)
