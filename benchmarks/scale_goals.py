"""What questions and loading may cost in a large realm, and whether a run kept to it."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.goals import Line, Phases, at_least, at_most

MIX_MS = 50
MIX_FLOOR = 3
NAIVE_FLOOR = 2
RECALL = 0.95
GROWTH = 2
WALK_MS = 25
LIVE = 700
BULK = 2_000
LAST_TENTH = 1.3


def scale_goals(phases: Phases) -> Iterator[Line]:
    """One line for each number that the phases at hand allow to work out."""
    yield from _questions(phases)
    yield from _small_space(phases)
    if walked := phases.get("walk"):
        yield at_most(f"ms p50 of a walk through {walked['relations']} relations", walked["p50_ms"], WALK_MS)
    for name, wanted in (("live", LIVE), ("bulk", BULK)):
        if loaded := phases.get(f"load-{name}"):
            yield at_least(f"relations/s {name}", loaded["relations_per_s"], wanted)
            yield at_most(f"last tenth {name}, times the first", loaded["last_tenth_over_first"], LAST_TENTH)


def _questions(phases: Phases) -> Iterator[Line]:
    mix, naive, tenth = (phases.get(name) for name in ("query-mix", "query-naive", "tenth-query-mix"))
    if mix:
        yield at_most("ms p50 of mix", mix["p50_ms"], MIX_MS)
        yield at_most("mix p50, times the floor", mix["times_floor"], MIX_FLOOR)
    if naive:
        yield at_most("naive p50, times the floor", naive["times_floor"], NAIVE_FLOOR)
    if mix and tenth:
        yield at_most("mix p50, times that in a tenth", mix["p50_ms"] / tenth["p50_ms"], GROWTH)


def _small_space(phases: Phases) -> Iterator[Line]:
    for name, line in phases.items():
        if name.startswith("recall-") and name.endswith("-small"):
            kind = name.split("-")[1]
            yield at_most(f"{kind}: questions to a small space that got too little", line["short"], 0)
            yield at_least(f"{kind}: recall in a small space", line["recall"], RECALL)
