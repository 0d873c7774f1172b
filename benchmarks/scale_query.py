"""Questions to a large realm: how long each mode takes, beside the same searches as bare prepared statements."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.goals import Line
from benchmarks.scale_floor import Floor
from benchmarks.scale_graph import SMALL
from benchmarks.scale_place import DIMENSIONS, Place
from benchmarks.scale_searched import Searched, read_all
from benchmarks.sqlcount import counting
from benchmarks.time_graph import questions
from benchmarks.time_load import SCHEMA
from benchmarks.time_place import REALM, engine, run_sql
from benchmarks.time_words import WordVectors
from benchmarks.workload import WARM_UP, spread
from post_graph_rag import GraphRAG, QueryParam
from post_graph_rag.records import Mode

TOP = 8
MODES: Sequence[Mode] = ("mix", "local", "naive")
ASKED: Mapping[str, QueryParam] = {
    **{mode: QueryParam(mode=mode, top_k=TOP, space="*") for mode in MODES},
    "mix-default": QueryParam(top_k=TOP),
    "mix-small": QueryParam(top_k=TOP, space=SMALL),
}
"""Each mode in all spaces together, and the usual one in the largest and in the smallest."""


@dataclass(slots=True)
class Took:
    """Milliseconds of each question, processor milliseconds of this process, and statements."""

    wall: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)
    statements: list[int] = field(default_factory=list)


async def query_lines(place: Place, count: int) -> list[Line]:
    """Ask and compare: a line for each way of asking, with the floor of its mode."""
    vectors = WordVectors(DIMENSIONS)
    schema = await run_sql(place.dsn, SCHEMA.replace("$1", f"'{REALM}'"))
    floor = await Floor.open(place.dsn, schema)
    asked = await read_all(floor.connection, floor.spaces, questions(place.graph, count), vectors)
    async with engine(place.dsn, embedding=vectors) as rag:
        took, floors = await _in_turn(rag, floor, asked)
    await floor.connection.close()
    return [_line(place, name, times, floors[ASKED[name].mode]) for name, times in took.items()]


async def _in_turn(
    rag: GraphRAG, floor: Floor, asked: Sequence[Searched]
) -> tuple[dict[str, Took], dict[Mode, list[float]]]:
    """Every question in every way, and its searches, so that each comes first, second, … equally often."""
    took: dict[str, Took] = {name: Took() for name in ASKED}
    floors: dict[Mode, list[float]] = {mode: [] for mode in MODES}
    names = [*ASKED, *MODES]
    for number, searched in enumerate([*asked[:WARM_UP], *asked]):
        if number == WARM_UP:
            took, floors = {name: Took() for name in ASKED}, {mode: [] for mode in MODES}
        place = number % len(names)
        for turn in [*range(place, len(names)), *range(place)]:
            if turn < len(ASKED):
                await _ask(rag, searched.text, ASKED[names[turn]], took[names[turn]])
            else:
                mode = MODES[turn - len(ASKED)]
                floors[mode].append(await floor.asked(mode, searched))
    return took, floors


async def _ask(rag: GraphRAG, question: str, param: QueryParam, took: Took) -> None:
    with counting() as count:
        own, start = time.process_time(), time.perf_counter()
        await rag.query_data(question, param)
        took.wall.append(1000 * (time.perf_counter() - start))
        took.own.append(1000 * (time.process_time() - own))
    took.statements.append(count.statements)


def _line(place: Place, name: str, took: Took, floor: Sequence[float]) -> Line:
    return {
        "phase": f"query-{name}",
        "passages": place.size.passages,
        "questions": len(took.wall),
        **spread(took.wall),
        "own_ms": round(statistics.median(took.own), 2),
        "floor_p50_ms": round(statistics.median(floor), 2),
        "times_floor": round(statistics.median(took.wall) / statistics.median(floor), 2),
        "statements_max": max(took.statements),
    }
