"""A benchmark of several parts: which are asked for, and running them one after the other."""

from __future__ import annotations

import argparse
import logging
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping

from benchmarks.goals import Line, Phases
from benchmarks.server import bench_server, server_facts
from benchmarks.speed import machine
from benchmarks.workload import emit

Parts = Mapping[str, Callable[[Namespace, str], Iterable[Line]]]
"""By name: what measures, given the options and the server, and gives a line a phase."""


def add_only(parser: ArgumentParser, parts: Parts) -> None:
    """The option that names parts to run; all of them where it is not given."""

    def named(text: str) -> list[str]:
        names = text.split(",")
        if unknown := set(names) - parts.keys():
            raise argparse.ArgumentTypeError(f"no part is called {', '.join(sorted(unknown))}")
        return names

    parser.add_argument("--only", type=named, default=list(parts), help=f"parts to run, of {','.join(parts)}")


def run_parts(options: Namespace, parts: Parts, goals: Callable[[Phases], Iterator[Line]]) -> None:
    """Print a JSON line for the machine, one a phase of the parts of `options.only`, and the goals at the end."""
    logging.disable(logging.WARNING)
    phases: dict[str, Line] = {}
    with bench_server(options.dsn) as server:
        emit(phase="machine", **machine(), **server_facts(server))
        for part in options.only:
            for line in parts[part](options, server):
                phases[line.get("phase", part)] = line
                emit(**line)
    for goal in goals(phases):
        emit(**goal)
