"""What becomes of recall when one default of the ranking is changed: `python -m benchmarks.quality_sweep`.

Channels are asked once a question; the walk and the fusion then run anew for each change, so that hundreds of changes
take minutes. Evidence is left out: its weight decides among passages that are far down. Prints the table of SWEEP.md:
R@2 / R@5 / R@10 of mix, over all questions and over their halves (odd and even ones).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality import DATABASE, indexed, options
from benchmarks.quality_score import DEPTHS
from benchmarks.quality_sets import PAGES, SETS, RecallSet, recall_set
from benchmarks.resolution import rows
from benchmarks.server import bench_server, database_dsn
from post_graph_rag.records import QueryParam
from post_graph_rag.records.asking import USUAL_WEIGHTS
from post_graph_rag.retrieve import walking
from post_graph_rag.retrieve.channels import Found
from post_graph_rag.retrieve.modes import plan_for
from post_graph_rag.retrieve.question import read_question
from post_graph_rag.retrieve.searching import Search
from post_graph_rag.retrieve.spaces import resolve_spaces
from post_graph_rag.retrieve.trace import Trace
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.realms import Realm, find_realm

DEPTH = 40
DOCUMENTS = """
    SELECT p.passage, d.key FROM {r}.document_passage p JOIN {r}.document_version v ON v.id = p.version
    JOIN {r}.document d ON d.id = v.document WHERE upper_inf(p.recorded)"""
WALKS: Mapping[str, Sequence[float]] = {
    "_ENTITIES": (4, 6, 8, 10, 12),
    "_RELATIONS": (2, 3, 4, 5, 6, 8),
    "_PASSAGES": (5, 10, 20, 30),
    "_PASSAGE_WEIGHT": (0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 4.0),
    "_SEED_RRF_K": (1, 2, 5, 10),
    "_DAMPING": (0.5, 0.6, 0.7, 0.8, 0.85, 0.9),
    "_TOLD": (0.0, 0.5, 1.0, 2.0, 3.0, 4.0),
    "_LEAST": (0.0, 0.1, 0.3, 0.5),
}
WEIGHTS: Mapping[str, Sequence[float]] = {
    "passage_vector": (0.0, 0.1, 0.2, 0.3, 0.4, 0.7, 1.0),
    "passage_text": (0.2, 0.3, 0.4, 0.5, 0.7, 1.0),
    "entity_vector": (0.5, 1.0, 2.0),
    "entity_name": (0.5, 1.0, 2.0),
    "relation_text": (0.0, 0.5, 1.0),
}
RRF_K = (1, 2, 3, 5, 10, 20, 60)


@dataclass(frozen=True, slots=True)
class Change:
    """One default that is another: of the walk's module, or of a question."""

    name: str
    walk: Mapping[str, float]
    param: QueryParam


@dataclass(frozen=True, slots=True)
class Swept:
    """A set whose channels were asked. hits: what they found, by question; documents: keys, by passage."""

    asked: RecallSet
    realm: Realm
    database: Database
    hits: Sequence[Found]
    documents: Mapping[int, str]

    async def recall(self, change: Change) -> NDArray[np.float64]:
        """A row a question, a column a depth."""
        with changed(change.walk):
            async with self._session() as session:
                scope = await resolve_spaces(session, None, "default")
                param = walking.counted(change.param, scope.stated, scope.totals["passage_text"])
                ranked = [await self._ranked(session, found, scope.ids, param) for found in self.hits]
        pairs = zip(ranked, self.asked.questions, strict=True)
        return np.array([[len(q.gold & set(keys[:k])) / len(q.gold) for k in DEPTHS] for keys, q in pairs])

    async def _ranked(self, session: Session, known: Found, spaces: list[int], param: QueryParam) -> list[str]:
        found = Found({kind: dict(channels) for kind, channels in known.hits.items()})
        seeds = walking.choose_seeds(found, param)
        await walking.walk_from(session, seeds, spaces, param.max_hops, found, DEPTH)
        best = (self.documents[number] for number, _ in found.best("passage", param, DEPTH))
        return list(dict.fromkeys(best))

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[Session]:
        async with self.database.transaction(self.realm.statements, read_only=True) as session:
            yield session


@contextmanager
def changed(constants: Mapping[str, float]) -> Iterator[None]:
    """The walk's constants are others while the block lasts."""
    kept = {name: getattr(walking, name) for name in constants}
    for name, value in constants.items():
        setattr(walking, name, value)
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(walking, name, value)


def changes() -> Iterator[Change]:
    """The defaults, and each change of one of them."""
    yield Change("defaults", {}, QueryParam())
    for name, values in WALKS.items():
        usual = getattr(walking, name)
        yield from (Change(f"{name[1:].lower()} {v:g}", {name: v}, QueryParam()) for v in values if v != usual)
    for name, values in WEIGHTS.items():
        usual = dict(USUAL_WEIGHTS)[name]  # type: ignore[index]
        yield from (Change(f"{name} {v:g}", {}, _param(weights={name: v})) for v in values if v != usual)
    yield from (Change(f"rrf_k {k}", {}, QueryParam(rrf_k=k)) for k in RRF_K if QueryParam().rrf_k != k)


def _param(**given: Any) -> QueryParam:
    return QueryParam(**given)


async def swept(dsn: str, asked: RecallSet) -> Swept:
    """Ask the channels of a realm that the quality benchmark made, or make it."""
    async with indexed(dsn, asked.name, asked.documents, asked.models):
        database = Database(dsn)
        realm = await find_realm(database, asked.name)
        hits = [await _channels(database, realm, asked, question.text) for question in asked.questions]
    return Swept(asked, realm, database, hits, dict(await rows(dsn, asked.name, DOCUMENTS)))


async def _channels(database: Database, realm: Realm, asked: RecallSet, text: str) -> Found:
    param, plan, trace = QueryParam(), plan_for("mix"), Trace()
    assert plan is not None
    question = read_question(text, param)
    vectors = await asked.models.embedding.embed(question.embedded, "query")
    async with database.transaction(realm.statements, read_only=True) as session:
        scope = await resolve_spaces(session, None, "default", question.when)
        search = Search(session, question, plan, scope, param, param.top_k, trace)
        await search._by_vectors(vectors)
        await search._by_words()
    return trace.found


def row(change: Change, recalls: Sequence[NDArray[np.float64]]) -> str:
    """A line of the table."""
    cells = [" / ".join(f"{x:.3f}" for x in part.mean(0)) for found in recalls for part in _parts(found)]
    return f"| {' | '.join([change.name, *cells])} |"


def _parts(found: NDArray[np.float64]) -> Sequence[NDArray[np.float64]]:
    return found, found[::2], found[1::2]


async def run(dsn: str, sets: Sequence[RecallSet]) -> None:
    """Print the table."""
    asked = [await swept(dsn, one) for one in sets]
    heads = [f"{one.name}{part}" for one in sets for part in ("", ", odd", ", even")]
    print(f"| change | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
    for change in changes():
        print(row(change, [await one.recall(change) for one in asked]), flush=True)
    for one in asked:
        await one.database.close()


def main() -> None:
    """On the database that the quality benchmark left."""
    given = options()
    sets = [recall_set(name, given.data, given.cache, given.queries) for name in (*SETS, PAGES)]
    with bench_server(given.dsn) as server:
        asyncio.run(run(database_dsn(server, DATABASE), sets))


if __name__ == "__main__":
    main()
