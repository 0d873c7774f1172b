"""What one question did on its way: its steps, what the channels found, and why things were left out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from post_graph_rag.records import PassageHit, QueryData, Reason, Step
from post_graph_rag.retrieve.channels import Found, Fused, Kind
from post_graph_rag.retrieve.results import Chosen
from post_graph_rag.store.database import Session
from post_graph_rag.store.search import Hits


@dataclass(slots=True)
class Trace:
    """Made for one question and gone with it.

    unlike: what vectors found that is less similar than was asked for, by channel; it is not in `found`.
    lost: why things were left out after fusion, by kind and id.
    gathered: the passages before a reranker chose among them.
    """

    found: Found = field(default_factory=Found)
    unlike: dict[str, Hits] = field(default_factory=dict)
    lost: dict[Kind, dict[int, Reason]] = field(default_factory=dict)
    gathered: tuple[PassageHit, ...] = ()
    steps: list[Step] = field(default_factory=list)

    @contextmanager
    def step(self, name: str, session: Session | None = None) -> Iterator[None]:
        """Note how long the block takes, and how many statements it sends."""
        start, before = time.perf_counter(), session.sent if session else 0
        yield
        taken = (time.perf_counter() - start) * 1000
        self.steps.append(Step(name=name, milliseconds=taken, statements=session.sent - before if session else 0))

    def lose(self, kind: Kind, reason: Reason, before: Iterable[Fused], kept: Iterable[int]) -> None:
        """Note why what was there before and is not kept is there no more."""
        ids = set(kept)
        gone = {one.id: reason for one in before if one.id not in ids}
        self.lost[kind] = gone | self.lost.get(kind, {})

    def gather(self, chosen: Chosen, data: QueryData) -> None:
        """Note what became of what was kept, before a reranker chooses."""
        self.gathered = data.passages
        self.lose("passage", "unstated", chosen.passages, [hit.id for hit in data.passages])
        self.lose("entity", "unstated", chosen.entities, [hit.id for hit in data.entities])
        self.lose("relation", "unstated", chosen.relations, [hit.id for hit in data.relations])
