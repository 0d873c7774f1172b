"""The benchmark of model calls: what they take, how limits are borne, what becomes of replies. See README.md.

python -m benchmarks.models                          everything
python -m benchmarks.models --only overhead,replay   these parts
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.goals import CONCURRENCY, Line, Phases, at_least, at_most
from benchmarks.models_calls import cost_lines, overhead_lines
from benchmarks.models_limits import latency_line, storm_line
from benchmarks.parts import Parts, add_only, run_parts
from benchmarks.recorded import DEFAULT_DATA
from benchmarks.replay import replayed
from benchmarks.server import fresh_database
from benchmarks.stub_client import ROOT, running_stub

DATABASE = "bench_models"
OVERHEAD_TOKENS = 900
LATENCY_FACTOR = 1.3
KEPT_SHARE = 0.99


def cost(options: Namespace, server: str) -> list[Line]:
    """Calls and tokens per 1,000 characters."""
    return asyncio.run(cost_lines(options, fresh_database(server, DATABASE)))


def limits(options: Namespace, server: str) -> list[Line]:
    """Delays and limits."""
    options.dsn = fresh_database(server, DATABASE)
    with running_stub(options.dim) as options.stub:
        return asyncio.run(_limits(options))


async def _limits(options: Namespace) -> list[Line]:
    return [await latency_line(options), await storm_line(options)]


def replay(options: Namespace, _server: str) -> list[Line]:
    """What parser and gates keep of recorded replies."""
    try:
        return [{"phase": f"replay-{model}", **figures} for model, figures in replayed(options.data).items()]
    except FileNotFoundError as error:
        return [{"phase": "replay", "skipped": f"{error.filename} is not there"}]


def resolution(options: Namespace, server: str) -> list[Line]:
    """Entities before and after resolution, as its own benchmark prints them."""
    if not options.data.exists():
        return [{"phase": "resolution", "skipped": f"{options.data} is not there"}]
    command = [sys.executable, "-m", "benchmarks.resolution", "--dsn", server, "--data", str(options.data)]
    ran = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


PARTS: Parts = {
    "overhead": overhead_lines,
    "cost": cost,
    "limits": limits,
    "replay": replay,
    "resolution": resolution,
}


def goals(phases: Phases) -> Iterator[Line]:
    """One line for each number that the phases at hand allow to work out."""
    for name, line in phases.items():
        if name.startswith("overhead"):
            yield at_most(f"tokens of an extraction call beside its passage, {name}", line["tokens"], OVERHEAD_TOKENS)
        if name.startswith("replay-"):
            for share in ("entities_share", "triples_share"):
                yield at_least(f"{share} of well-formed ones kept, {name}", line[share], KEPT_SHARE)
            yield at_most(f"duplicates by key and type, {name}", line["duplicates"], 0)
    if run := phases.get("latency"):
        rounds = math.ceil(run["passages"] / CONCURRENCY) + 1
        wanted = LATENCY_FACTOR * rounds * run["delay_ms"] / 1000
        yield at_most(f"seconds for {run['passages']} passages at {run['delay_ms']} ms a call", run["secs"], wanted)
    if storm := phases.get("storm"):
        yield at_most("passages lost in a storm of limits", storm["pending"], 0)
        yield at_most("calls before their time", storm["early"], 0)


def options_from(arguments: Sequence[str] | None) -> Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="what model calls take and how limits are borne, as JSON lines")
    add_only(parser, PARTS)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("POST_GRAPH_RAG_DATA", DEFAULT_DATA)))
    parser.add_argument("--dsn", help="a server with both extensions; default: an embedded one")
    for name, default in (("facts", 10), ("entities", 800), ("dim", 256)):
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what was asked for and print the goals at the end."""
    run_parts(options_from(arguments), PARTS, goals)


if __name__ == "__main__":
    main()
