"""The speed benchmark: this library and the published peer on one server in one run. See README.md.

python -m benchmarks.speed                       everything, about six minutes
python -m benchmarks.speed --only latency        one section of ours
python -m benchmarks.speed --skip-peer           against the peer's figures of the last run
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.goals import goals
from benchmarks.peer_env import peer_environment, peer_python
from benchmarks.server import bench_server, fresh_database, server_facts
from benchmarks.stub_client import ROOT, running_stub
from benchmarks.workload import SECTIONS, emit

CACHE = ROOT / "benchmarks" / "cache"
PEER_FIGURES = CACHE / "peer.json"
COMPARED = {"ingest", "query"}
SIZES = ("docs", "facts", "entities", "questions", "dim")
Phases = dict[str, dict[str, Any]]


def options_from(arguments: Sequence[str] | None) -> Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="speed side by side with the published peer, one JSON line per phase")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="run this section only; may be repeated")
    parser.add_argument("--skip-peer", action="store_true", help="compare with the peer's figures of the last run")
    parser.add_argument("--skip-ours", action="store_true", help="run the peer alone and keep its figures")
    parser.add_argument("--dsn", help="a server with both extensions; default: an embedded one")
    parser.add_argument("--shapes", action="store_true", help="print our most frequent statements")
    parser.add_argument("--docs", type=int, default=200, help="documents to index")
    parser.add_argument("--facts", type=int, default=10, help="facts a document")
    parser.add_argument("--entities", type=int, default=800, help="entities the facts are about")
    parser.add_argument("--questions", type=int, default=200, help="questions to ask")
    parser.add_argument("--dim", type=int, default=256, help="width of the embeddings")
    return parser.parse_args(arguments)


def run_side(name: str, command: Sequence[str | Path], environment: Mapping[str, str] | None) -> Phases:
    """Run one side in a process of its own, print its lines as they come, and return them by phase."""
    phases: Phases = {}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for text in process.stdout:
        line = json.loads(text)
        phases[line["phase"]] = line
        emit(side=name, **line)
    if process.wait():
        raise SystemExit(f"the {name} side failed with code {process.returncode}; its own message is above")
    return phases


def side_arguments(options: Namespace, dsn: str, stub: str, sections: Sequence[str]) -> list[str]:
    """What both sides are told."""
    sizes = [part for name in SIZES for part in (f"--{name}", str(getattr(options, name)))]
    shapes = ["--shapes"] if options.shapes else []
    return ["--dsn", dsn, "--stub", stub, "--sections", ",".join(sections), *sizes, *shapes]


def run_peer(options: Namespace, server: str, sections: Sequence[str]) -> Phases:
    """The peer, with a stub that has seen nothing yet; its figures are kept for --skip-peer."""
    python = peer_python(CACHE / "peer-venv")
    dsn = fresh_database(server, "bench_peer")
    with running_stub(options.dim) as stub:
        script = [python, ROOT / "benchmarks" / "peer_run.py"]
        phases = run_side("peer", [*script, *side_arguments(options, dsn, stub, sections)], peer_environment())
    keep(options, phases)
    return phases


def run_ours(options: Namespace, server: str, sections: Sequence[str]) -> Phases:
    """This library, with a stub that has seen nothing yet."""
    dsn = fresh_database(server, "bench_ours")
    with running_stub(options.dim) as stub:
        module = [sys.executable, "-m", "benchmarks.ours_run"]
        return run_side("ours", [*module, *side_arguments(options, dsn, stub, sections)], peer_environment())


# ---------------------------------------------------------------- figures of the last run


def sizes(options: Namespace) -> dict[str, int]:
    """What a run's figures depend on."""
    return {name: getattr(options, name) for name in SIZES}


def all_kept() -> dict[str, Phases]:
    """The peer's figures of earlier runs, by their sizes."""
    kept_figures: dict[str, Phases] = json.loads(PEER_FIGURES.read_text()) if PEER_FIGURES.exists() else {}
    return kept_figures


def keep(options: Namespace, phases: Phases) -> None:
    """Keep the peer's figures; phases of an earlier run of the same sizes stay."""
    figures, key = all_kept(), json.dumps(sizes(options))
    figures[key] = figures.get(key, {}) | phases
    PEER_FIGURES.write_text(json.dumps(figures, indent=1))


def kept(options: Namespace) -> Phases:
    """The peer's figures of the last run of these sizes; none if there was none."""
    return all_kept().get(json.dumps(sizes(options)), {})


def machine() -> dict[str, Any]:
    """Where the figures were taken."""
    load = os.getloadavg()[0]
    return {"cpus": os.cpu_count(), "load": round(load, 2), "python": platform.python_version()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what was asked for and print the goals at the end."""
    options = options_from(arguments)
    sections = options.only or list(SECTIONS)
    CACHE.mkdir(parents=True, exist_ok=True)
    with bench_server(options.dsn) as server:
        emit(phase="machine", **machine(), **server_facts(server), **sizes(options))
        with_peer = COMPARED & set(sections) and not options.skip_peer
        peer = run_peer(options, server, sections) if with_peer else kept(options)
        if not with_peer:
            for line in peer.values():
                emit(side="peer, earlier", **line)
        ours = {} if options.skip_ours else run_ours(options, server, sections)
    for line in goals(ours, peer):
        emit(**line)


if __name__ == "__main__":
    main()
