"""The benchmark of scale: questions to a large realm and loading one. See README.md.

python -m benchmarks.scale                                the standard run
python -m benchmarks.scale --reuse                        on the realms that an earlier run loaded
python -m benchmarks.scale --only walk --passages 100000 --relations 1000000 --no-relation-vectors    the large run
"""

from __future__ import annotations

import argparse
import asyncio
import logging
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence

from benchmarks.goals import Line
from benchmarks.scale_goals import scale_goals
from benchmarks.scale_load import load_lines
from benchmarks.scale_place import Size, place_of, size_line
from benchmarks.scale_query import query_lines
from benchmarks.scale_recall import recall_lines
from benchmarks.scale_walk import walk_line
from benchmarks.server import bench_server, server_facts
from benchmarks.speed import machine
from benchmarks.time_place import CACHE
from benchmarks.workload import emit


def options_from(arguments: Sequence[str] | None) -> Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="what questions and loading cost in a large realm, as JSON lines")
    parser.add_argument("--passages", type=int, default=50_000)
    parser.add_argument("--entities", type=int, help="default: two to a passage")
    parser.add_argument("--relations", type=int, default=300_000)
    parser.add_argument("--no-relation-vectors", action="store_true", help="relations are found by words and walks")
    parser.add_argument("--questions", type=int, default=200, help="to ask")
    parser.add_argument("--load-relations", type=int, default=50_000, help="to load through index_documents")
    parser.add_argument("--only", type=_parts, default=list(PARTS), help=f"parts to run, of {','.join(PARTS)}")
    parser.add_argument("--reuse", action="store_true", help="take realms of an earlier run of the same size")
    parser.add_argument("--dsn", help="a server with both extensions; default: an embedded one")
    return parser.parse_args(arguments)


def _parts(text: str) -> list[str]:
    parts = text.split(",")
    if unknown := set(parts) - PARTS.keys():
        raise argparse.ArgumentTypeError(f"no part is called {', '.join(sorted(unknown))}")
    return parts


def size_of(options: Namespace) -> Size:
    """The size that is asked for."""
    entities = options.entities or 2 * options.passages
    return Size(options.passages, entities, options.relations, not options.no_relation_vectors)


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
    for goal in scale_goals(phases):
        emit(**goal)


def _query(options: Namespace, server: str) -> Iterator[Line]:
    """Questions, and the recall of a small space."""
    place = place_of(server, size_of(options), options.reuse)
    yield from asyncio.run(query_lines(place, options.questions))
    yield from asyncio.run(recall_lines(place, options.questions))
    yield asyncio.run(size_line(place))


def _tenth(options: Namespace, server: str) -> Iterator[Line]:
    """The same questions to a tenth of everything."""
    place = place_of(server, size_of(options).tenth(), options.reuse)
    for line in asyncio.run(query_lines(place, options.questions)):
        yield {**line, "phase": f"tenth-{line['phase']}"}


def _walk(options: Namespace, server: str) -> Iterator[Line]:
    yield asyncio.run(walk_line(place_of(server, size_of(options), options.reuse), options.questions))


def _load(options: Namespace, server: str) -> Iterator[Line]:
    yield from load_lines(server, options.load_relations)


PARTS: Mapping[str, Callable[[Namespace, str], Iterator[Line]]] = {
    "query": _query,
    "walk": _walk,
    "tenth": _tenth,
    "load": _load,
}


if __name__ == "__main__":
    main()
