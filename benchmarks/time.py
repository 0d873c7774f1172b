"""The benchmark of time: questions about other times, deleting, a busy subject, and dated questions. See README.md.

python -m benchmarks.time                        everything
python -m benchmarks.time --only query --reuse   one part, on the graph that the last run loaded
"""

from __future__ import annotations

import argparse
import os
from argparse import Namespace
from collections.abc import Sequence

from benchmarks.parts import Parts, add_only, run_parts
from benchmarks.time_busy import busy_lines
from benchmarks.time_dated import dated_lines
from benchmarks.time_delete import delete_lines
from benchmarks.time_goals import time_goals
from benchmarks.time_place import CACHE
from benchmarks.time_query import query_lines

PARTS: Parts = {
    "query": query_lines,
    "delete": delete_lines,
    "busy": busy_lines,
    "timeqa": dated_lines,
}
DATA = "../shared/data"


def options_from(arguments: Sequence[str] | None) -> Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="what other times, deleting and a busy subject cost, as JSON lines")
    add_only(parser, PARTS)
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what was asked for and print the goals at the end."""
    CACHE.mkdir(parents=True, exist_ok=True)
    run_parts(options_from(arguments), PARTS, time_goals)


if __name__ == "__main__":
    main()
