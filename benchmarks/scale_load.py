"""Loading through `index_documents`: relations a second, live and in bulk, and the last tenth beside the first.

The models work in this process and cost next to nothing: texts are known beforehand, with their facts; a vector is
drawn by a hash of its text.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from pydantic import SecretStr

from benchmarks.goals import Line
from benchmarks.scale_graph import draw_spaces
from benchmarks.scale_place import DIMENSIONS
from benchmarks.server import fresh_database
from benchmarks.sqlcount import counting
from benchmarks.time_graph import PASSAGES, Graph
from benchmarks.time_place import REALM
from benchmarks.time_words import LED
from post_graph_rag import Document, GraphRAG, Settings
from post_graph_rag.models.protocols import EmbeddingKind, Vectors
from post_graph_rag.models.roles import Models
from post_graph_rag.records import Extraction, PredicateRule, Progress
from post_graph_rag.testing import ScriptedChat, plain_facts

GROUP = 50
"""Documents of one call, live."""
TENTHS = 10


class Drawn:
    """An embedding model: unit vectors drawn by a hash of their text."""

    name = "drawn"
    dimensions = DIMENSIONS

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        """A row for each text, numbers from one table that begins elsewhere for each."""
        starts = [int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest()) for text in texts]
        rows = _TABLE[(np.array(starts)[:, None] + np.arange(DIMENSIONS)) % len(_TABLE)]
        unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    async def close(self) -> None:
        """Nothing is held open."""


_TABLE = np.random.default_rng(7).standard_normal(1 << 20, np.float32)


def load_lines(server: str, relations: int) -> Iterator[Line]:
    """The same documents live, a call for every few of them, and in bulk mode, in one call."""
    graph = draw_spaces(relations // 6, relations // 3, relations)
    documents = list(_documents(graph))
    known = {text: plain_facts(text) for text in map(graph.text, range(len(graph.filler)))}
    for name, group in (("live", GROUP), ("bulk", len(documents))):
        dsn = fresh_database(server, f"bench_scale_{name}")
        yield asyncio.run(_run(dsn, name, documents, known, group))


def _documents(graph: Graph) -> Iterator[Document]:
    for number, day in enumerate(graph.days):
        passages = range(number * PASSAGES, min((number + 1) * PASSAGES, len(graph.filler)))
        chunks = tuple(map(graph.text, passages))
        space = graph.spaces[graph.space_of(number * PASSAGES)]
        yield Document(key=f"report-{number}", chunks=chunks, observed_at=day.isoformat(), space=space)


@dataclass(slots=True)
class Watch:
    """Seconds at which documents were published, without what followed a call; seconds of what followed."""

    working: float = 0.0
    after: float = 0.0
    published: list[float] = field(default_factory=list)
    _began: float = 0.0
    _last: float = 0.0

    def begin(self) -> None:
        self._began = self._last = time.perf_counter()

    def saw(self, progress: Progress) -> None:
        """A step of a call."""
        if progress.stage == "published":
            self._last = time.perf_counter()
            self.published.append(self.working + self._last - self._began)

    def end(self) -> None:
        self.working += self._last - self._began
        self.after += time.perf_counter() - self._last

    def last_over_first(self) -> float:
        """How many times as long as the first tenth of the documents the last one took.

        Documents of one commit are published at once: between two commits their number grows evenly.
        """
        count = len(self.published)
        steps = dict(zip([0.0, *self.published], range(count + 1), strict=True))
        bounds = np.interp([count / TENTHS, count - count / TENTHS], list(steps.values()), list(steps))
        return float((self.published[-1] - bounds[1]) / bounds[0])

    def told(self, relations: int) -> Line:
        """Seconds, and relations a second with and without what followed."""
        return {
            "secs": round(self.working, 1),
            "after_secs": round(self.after, 1),
            "relations_per_s": round(relations / self.working),
            "relations_per_s_whole": round(relations / (self.working + self.after)),
            "last_tenth_over_first": round(self.last_over_first(), 2),
        }


async def _run(dsn: str, name: str, documents: Sequence[Document], known: dict[str, Extraction], group: int) -> Line:
    models = Models(ScriptedChat(extract=known.__getitem__), Drawn())
    settings = Settings(dsn=SecretStr(dsn), realm=REALM, create=True, gleaning_passes=0)
    watch, own = Watch(), time.process_time()
    async with GraphRAG(settings, models=models) as rag:
        await rag.set_rules([PredicateRule(predicate=LED, per="subject")])
        with counting() as count:
            for start in range(0, len(documents), group):
                watch.begin()
                await rag.index_documents(documents[start : start + group], progress=watch.saw, bulk=name == "bulk")
                watch.end()
        own = time.process_time() - own
        relations = (await rag.realm_stats()).relations
    line = {"phase": f"load-{name}", "documents": len(documents), "relations": relations, **watch.told(relations)}
    return {
        **line,
        "own_secs": round(own, 1),
        "statements_per_document": round(count.statements / len(documents), 1),
    }
