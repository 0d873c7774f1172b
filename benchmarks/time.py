"""The benchmark of time: questions about other times, deleting, a busy subject, and dated questions. See README.md.

python -m benchmarks.time                        everything
python -m benchmarks.time --only query --reuse   one part, on the graph that the last run loaded
"""

from __future__ import annotations

import argparse
import logging
import os
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence

from benchmarks.goals import Line
from benchmarks.server import bench_server, server_facts
from benchmarks.speed import machine
from benchmarks.time_busy import busy_lines
from benchmarks.time_dated import dated_lines
from benchmarks.time_delete import delete_lines
from benchmarks.time_goals import time_goals
from benchmarks.time_place import CACHE
from benchmarks.time_query import query_lines
from benchmarks.workload import emit

PARTS: Mapping[str, Callable[[Namespace, str], list[Line]]] = {
    "query": query_lines,
    "delete": delete_lines,
    "busy": busy_lines,
    "timeqa": dated_lines,
}
DATA = "../shared/data"


def options_from(arguments: Sequence[str] | None) -> Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="what other times, deleting and a busy subject cost, as JSON lines")
    parser.add_argument("--only", type=_parts, default=list(PARTS), help=f"parts to run, of {','.join(PARTS)}")
    parser.add_argument("--relations", type=int, default=100_000, help="of the graph that is asked")
    parser.add_argument("--questions", type=int, default=200, help="to ask of it")
    parser.add_argument("--delete-relations", type=int, default=300_000, help="of the graph that is deleted from")
    parser.add_argument("--facts", type=int, default=1_000, help="of the document that is deleted")
    parser.add_argument("--documents", type=int, default=1_000, help="about the busy subject")
    parser.add_argument("--pool", type=int, default=200, help="of what is stated of it")
    parser.add_argument("--data", default=os.environ.get("POST_GRAPH_RAG_DATA", DATA), help="folder with timeqa/ in it")
    parser.add_argument("--dated-questions", type=int, default=300, help="of TimeQA")
    parser.add_argument("--reuse", action="store_true", help="take graphs of the last run of the same size")
    parser.add_argument("--dsn", help="a server with both extensions; default: an embedded one")
    return parser.parse_args(arguments)


def _parts(text: str) -> list[str]:
    parts = text.split(",")
    if unknown := set(parts) - PARTS.keys():
        raise argparse.ArgumentTypeError(f"no part is called {', '.join(sorted(unknown))}")
    return parts


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what was asked for and print the goals at the end."""
    options = options_from(arguments)
    logging.disable(logging.WARNING)
    CACHE.mkdir(parents=True, exist_ok=True)
    phases: dict[str, Line] = {}
    with bench_server(options.dsn) as server:
        emit(phase="machine", **machine(), **server_facts(server))
        for part in options.only:
            for line in PARTS[part](options, server):
                phases[line["phase"]] = line
                emit(**line)
    for goal in time_goals(phases):
        emit(**goal)


if __name__ == "__main__":
    main()
