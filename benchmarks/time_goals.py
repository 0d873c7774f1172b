"""What questions in time, deleting and a busy subject may cost, and whether a run kept to it."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.goals import Line, Phases, at_most

BELIEVED_RATIO = 1.5
AS_OF_RATIO = 1.3
DELETE_SECONDS = 1.0
ERASE_SECONDS = 3.0
BUSY_RATIO = 3.0


def time_goals(phases: Phases) -> Iterator[Line]:
    """One line for each number that the phases at hand allow to work out."""
    yield from _questions(phases)
    yield from _forgetting(phases)
    if busy := phases.get("busy"):
        yield at_most(f"indexing document {busy['late']}, times document {busy['early']}", busy["ratio"], BUSY_RATIO)
    if dated := phases.get("timeqa"):
        value, wanted = dated["recall_as_of"], dated["recall"]
        yield {
            "goal": "R@5 with as_of, not below without",
            "value": value,
            "wanted": f">= {wanted}",
            "met": value >= wanted,
        }


def _questions(phases: Phases) -> Iterator[Line]:
    wanted_ratios = {"believed-middle": BELIEVED_RATIO, "believed-latest": BELIEVED_RATIO, "as-of": AS_OF_RATIO}
    for name, wanted in wanted_ratios.items():
        if line := phases.get(f"query-{name}"):
            yield at_most(f"mix p50 {name}, times the plain question", line["ratio"], wanted)


def _forgetting(phases: Phases) -> Iterator[Line]:
    for what, seconds in (("delete", DELETE_SECONDS), ("erase", ERASE_SECONDS)):
        few, many = phases.get(f"{what}-few"), phases.get(f"{what}-many")
        if few and many:
            yield at_most(f"seconds to {what} a document of {many['facts']} facts", many["secs"], seconds)
            value, wanted = many["statements"], few["statements"]
            goal = f"statements to {what} it, as for one of {few['facts']}"
            yield {"goal": goal, "value": value, "wanted": f"== {wanted:g}", "met": value == wanted}
