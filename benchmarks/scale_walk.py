"""A walk of two hops from ten entities, alone: the library's statement, and the ranking of what it reached."""

from __future__ import annotations

import random
import time

from benchmarks.goals import Line
from benchmarks.scale_place import Place
from benchmarks.time_place import REALM
from benchmarks.workload import WARM_UP, spread
from post_graph_rag.retrieve.walking import Seeds, rank_area
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import find_realm
from post_graph_rag.store.search import WalkBounds, find_scope, walk

SEEDS = 10


async def walk_line(place: Place, count: int) -> Line:
    """Seeds are subjects of drawn facts, so those that are named often come often."""
    database, rng = Database(place.dsn, pool_size=1), random.Random(13)
    waited, ranked, edges = [], [], []
    try:
        realm = await find_realm(database, REALM)
        async with database.transaction(realm.statements, read_only=True) as session:
            spaces = (await find_scope(session, None)).ids
            for _ in range(count + WARM_UP):
                seeds = [1 + fact.subject for fact in rng.choices(place.graph.facts, k=SEEDS)]
                start = time.perf_counter()
                area = await walk(session, seeds, [], [], spaces, WalkBounds(steps=2))
                reached = time.perf_counter()
                rank_area(area, Seeds([(seed, 1.0) for seed in seeds], [], []), 40)
                waited.append(1000 * (reached - start))
                ranked.append(1000 * (time.perf_counter() - reached))
                edges.append(len(area.edges))
    finally:
        await database.close()
    both = [a + b for a, b in zip(waited, ranked, strict=True)][WARM_UP:]
    line = {"phase": "walk", "relations": place.size.relations, "seeds": SEEDS, "hops": 2, **spread(both)}
    return {**line, "statement": spread(waited[WARM_UP:]), "edges_max": max(edges)}
