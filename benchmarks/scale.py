"""The benchmark of scale: questions to a large realm and loading one. See README.md.

python -m benchmarks.scale --passages 50000 --relations 300000      the standard run
python -m benchmarks.scale --reuse                                   on the realms that the last run loaded
"""

from __future__ import annotations

import argparse
import asyncio
import logging
from argparse import Namespace
from collections.abc import Sequence

from benchmarks.goals import Line
from benchmarks.scale_place import Size, place_of
from benchmarks.scale_query import query_lines
from benchmarks.server import bench_server, server_facts
from benchmarks.speed import machine
from benchmarks.time_place import CACHE
from benchmarks.workload import emit

PARTS = ("query",)


def options_from(arguments: Sequence[str] | None) -> Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="what questions and loading cost in a large realm, as JSON lines")
    parser.add_argument("--passages", type=int, default=50_000)
    parser.add_argument("--entities", type=int, help="default: two to a passage")
    parser.add_argument("--relations", type=int, default=300_000)
    parser.add_argument("--no-relation-vectors", action="store_true", help="relations are found by words and walks")
    parser.add_argument("--questions", type=int, default=200, help="to ask")
    parser.add_argument("--reuse", action="store_true", help="take realms of an earlier run of the same size")
    parser.add_argument("--dsn", help="a server with both extensions; default: an embedded one")
    return parser.parse_args(arguments)


def size_of(options: Namespace) -> Size:
    """The size that is asked for."""
    entities = options.entities or 2 * options.passages
    return Size(options.passages, entities, options.relations, not options.no_relation_vectors)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what was asked for and print the goals at the end."""
    options = options_from(arguments)
    logging.disable(logging.WARNING)
    CACHE.mkdir(parents=True, exist_ok=True)
    with bench_server(options.dsn) as server:
        emit(phase="machine", **machine(), **server_facts(server))
        place = place_of(server, size_of(options), options.reuse)
        lines: list[Line] = asyncio.run(query_lines(place, options.questions))
        for line in lines:
            emit(**line)


if __name__ == "__main__":
    main()
