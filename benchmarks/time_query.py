"""Questions in time on a large graph: what a mark of belief, or a year, costs beside the plain question."""

from __future__ import annotations

import asyncio
import statistics
import time
from argparse import Namespace
from collections.abc import Mapping, Sequence

from benchmarks.goals import Line
from benchmarks.sqlcount import counting
from benchmarks.time_graph import questions
from benchmarks.time_load import Loaded
from benchmarks.time_place import engine, large
from benchmarks.time_words import DIMENSIONS
from benchmarks.workload import WARM_UP, spread
from post_graph_rag import GraphRAG, QueryParam

YEAR = "2005"
"""Of which it is asked what held then; the drawn documents are of 1985 to 2023."""


def query_lines(options: Namespace, server: str) -> list[Line]:
    """Load the graph and ask: a line for each way of asking."""
    place = large(server, options.relations, options.reuse)
    return asyncio.run(_ask(place.dsn, questions(place.graph, options.questions), _params(place.loaded)))


def _params(loaded: Loaded) -> dict[str, QueryParam]:
    plain = QueryParam(mode="mix", top_k=5)
    return {
        "plain": plain,
        "believed-middle": plain.model_copy(update={"as_believed_at": loaded.middle}),
        "believed-latest": plain.model_copy(update={"as_believed_at": loaded.latest}),
        "as-of": plain.model_copy(update={"as_of": YEAR}),
        "both": plain.model_copy(update={"as_of": YEAR, "as_believed_at": loaded.latest}),
    }


async def _ask(dsn: str, asked: Sequence[str], params: Mapping[str, QueryParam]) -> list[Line]:
    took: dict[str, list[float]] = {name: [] for name in params}
    statements: dict[str, set[int]] = {name: set() for name in params}
    async with engine(dsn) as rag:
        for question in asked[:WARM_UP]:
            for param in params.values():
                await rag.query_data(question, param)
        for number, question in enumerate(asked):
            for name in _turned(list(params), number):
                seconds, sent = await _timed(rag, question, params[name])
                took[name].append(1000 * seconds)
                statements[name].add(sent)
    return [_line(name, times, took["plain"], max(statements[name])) for name, times in took.items()]


def _turned(names: list[str], number: int) -> list[str]:
    """Each kind comes first, second, … equally often, so that none always finds what another one warmed up."""
    place = number % len(names)
    return names[place:] + names[:place]


async def _timed(rag: GraphRAG, question: str, param: QueryParam) -> tuple[float, int]:
    with counting() as count:
        start = time.perf_counter()
        await rag.query_data(question, param)
        seconds = time.perf_counter() - start
    return seconds, count.statements


def _line(name: str, times: Sequence[float], plain: Sequence[float], statements: int) -> Line:
    return {
        "phase": f"query-{name}",
        "dimensions": DIMENSIONS,
        "questions": len(times),
        **spread(times),
        "ratio": round(statistics.median(times) / statistics.median(plain), 3),
        "ratio_of_pairs": round(statistics.median(a / b for a, b in zip(times, plain, strict=True)), 3),
        "statements_max": statements,
    }
