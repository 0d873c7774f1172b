"""The benchmark of scale: questions to a large realm and loading one. See README.md.

python -m benchmarks.scale                                the standard run
python -m benchmarks.scale --reuse                        on the realms that an earlier run loaded
python -m benchmarks.scale --only walk --passages 100000 --relations 1000000 --no-relation-vectors    the large run
"""

from __future__ import annotations

import argparse
import asyncio
from argparse import Namespace
from collections.abc import Iterator, Sequence

from benchmarks.goals import Line
from benchmarks.parts import Parts, add_only, run_parts
from benchmarks.scale_goals import scale_goals
from benchmarks.scale_load import load_lines
from benchmarks.scale_place import Size, place_of, size_line
from benchmarks.scale_query import query_lines
from benchmarks.scale_recall import recall_lines
from benchmarks.scale_walk import walk_line
from benchmarks.time_place import CACHE


def options_from(arguments: Sequence[str] | None) -> Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="what questions and loading cost in a large realm, as JSON lines")
    parser.add_argument("--passages", type=int, default=50_000)
    parser.add_argument("--entities", type=int, help="default: two to a passage")
    parser.add_argument("--relations", type=int, default=300_000)
    parser.add_argument("--no-relation-vectors", action="store_true", help="relations are found by words and walks")
    parser.add_argument("--questions", type=int, default=200, help="to ask")
    parser.add_argument("--load-relations", type=int, default=50_000, help="to load through index_documents")
    add_only(parser, PARTS)
    parser.add_argument("--reuse", action="store_true", help="take realms of an earlier run of the same size")
    parser.add_argument("--dsn", help="a server with both extensions; default: an embedded one")
    return parser.parse_args(arguments)


def size_of(options: Namespace) -> Size:
    """The size that is asked for."""
    entities = options.entities or 2 * options.passages
    return Size(options.passages, entities, options.relations, not options.no_relation_vectors)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what was asked for and print the goals at the end."""
    CACHE.mkdir(parents=True, exist_ok=True)
    run_parts(options_from(arguments), PARTS, scale_goals)


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


PARTS: Parts = {
    "query": _query,
    "walk": _walk,
    "tenth": _tenth,
    "load": _load,
}


if __name__ == "__main__":
    main()
