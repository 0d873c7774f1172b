"""What is searched for a question inside its one transaction, and what is kept of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from post_graph_rag.models.protocols import Vectors
from post_graph_rag.records import QueryParam
from post_graph_rag.retrieve.channels import KINDS, Fused, Kind
from post_graph_rag.retrieve.distance import Hops, hops
from post_graph_rag.retrieve.folding import folded
from post_graph_rag.retrieve.modes import Plan
from post_graph_rag.retrieve.question import Question
from post_graph_rag.retrieve.results import Chosen
from post_graph_rag.retrieve.shortlist import Wanted, preferred, ranked, similar_enough, varied
from post_graph_rag.retrieve.trace import Trace
from post_graph_rag.retrieve.walking import choose_seeds, walk_from
from post_graph_rag.retrieve.word_order import WordOrder
from post_graph_rag.store.database import Session
from post_graph_rag.store.embeddings import embeddings
from post_graph_rag.store.hydrate import Shown, hydrate
from post_graph_rag.store.search import Scope, WordChannel, by_words, nearest

_DEPTH = 40
"""Hits of each channel that go into fusion, at least."""
_SHOWN = 10
"""Sources, mentions and pieces of evidence that are listed for one hit."""
_COMMON = (1000, 8, 4000)
"""A term is common in more than 1 of 8 things, but not below 1,000 and always above 4,000: it is not searched with."""


@dataclass(frozen=True, slots=True)
class Search:
    """One question's search. passages: how many are kept, which may be more than are asked for."""

    session: Session
    asked: Question
    plan: Plan
    scope: Scope
    param: QueryParam
    passages: int
    trace: Trace = field(default_factory=Trace)

    async def run(self, vectors: Vectors) -> tuple[Chosen, Shown]:
        """What is kept, best first, and what the record says of it."""
        await self._by_vectors(vectors)
        await self._by_words()
        far, orders = await self._walked(), self._word_orders()
        chosen = await self._chosen(Wanted(self.param, self.passages, told=bool(orders)), far)
        with self.trace.step("record", self.session):
            shown = await self._shown(chosen)
        return self._folded(self._in_order(chosen, shown, orders), shown), shown

    @property
    def _depth(self) -> int:
        return max(_DEPTH, 2 * self.param.top_k)

    async def _by_vectors(self, vectors: Vectors) -> None:
        with self.trace.step("vectors", self.session):
            queries = self.asked.queries(self.plan.vectors)
            found = await nearest(self.session, vectors, queries, self.scope.ids, self._depth, self.asked.when)
            self.trace.found.add(similar_enough(found, self.param.min_similarity, self.trace))

    async def _by_words(self) -> None:
        """Nothing where the channels take turns, which has no place for words."""
        if not self.plan.words or self.param.fusion == "quota":
            return
        channels = {channel: _limits(self.scope, channel) for channel in self.plan.words}
        sought = self.asked.terms, channels, self.asked.name_keys, self.scope.ids
        with self.trace.step("words", self.session):
            found = await by_words(self.session, *sought, self._depth, self.asked.when, self.asked.doubtful)
            self.trace.found.add(found)

    async def _walked(self) -> Hops:
        if not self.plan.walk:
            return {}
        found, seeds = self.trace.found, choose_seeds(self.trace.found, self.param)
        steps, spaces = self.param.max_hops, self.scope.ids
        with self.trace.step("walk", self.session):
            area = await walk_from(self.session, seeds, spaces, steps, found, self._depth, self.asked.when)
        if not self.param.node_distance:
            return {}
        return hops(area, [one for one, _ in seeds.entities], [one for one, _ in seeds.relations])

    async def _chosen(self, wanted: Wanted, far: Hops) -> Chosen:
        with self.trace.step("fusion"):
            fused = {kind: ranked(self.trace, kind, wanted, far) for kind in KINDS}
        if self.param.mmr is not None:
            with self.trace.step("mmr", self.session):
                fused = await self._varied(fused, wanted)
        kept = {kind: fused[kind][: wanted.kept(kind)] for kind in KINDS}
        settled = self.param.mmr is not None or self.param.node_distance
        return Chosen(kept["passage"], kept["entity"], kept["relation"], found=self.trace.found, settled=settled)

    async def _varied(self, fused: Mapping[Kind, list[Fused]], wanted: Wanted) -> dict[Kind, list[Fused]]:
        vectors = await embeddings(self.session, _ids(fused["passage"]), _ids(fused["relation"]))
        passages = varied(fused["passage"], "passage", wanted, vectors["passage"], self.trace)
        relations = varied(fused["relation"], "relation", wanted, vectors["relation"], self.trace)
        return {"passage": passages, "entity": fused["entity"], "relation": relations}

    async def _shown(self, chosen: Chosen) -> Shown:
        passages, entities, relations = map(_ids, (chosen.passages, chosen.entities, chosen.relations))
        return await hydrate(self.session, passages, entities, relations, _SHOWN, self.asked.when)

    def _word_orders(self) -> list[WordOrder]:
        """None where the order of relations was asked for."""
        if self.param.mmr is not None or self.param.node_distance or self.param.fusion != "rrf":
            return []
        return [order for text in self.asked.texts if (order := WordOrder.of(text)).words]

    def _in_order(self, chosen: Chosen, shown: Shown, orders: Sequence[WordOrder]) -> Chosen:
        """With the relations first that are asked for the way round they are."""
        if not orders:
            return chosen
        asked_for = {number for number, row in shown.relations.items() if any(order.agrees(row) for order in orders)}
        return replace(chosen, relations=preferred(chosen.relations, asked_for)[: self.param.top_k])

    def _folded(self, chosen: Chosen, shown: Shown) -> Chosen:
        """Without passages that say what a better one says; what only states a relation may be folded into one too."""
        if self.param.fold is None:
            return chosen
        there = [one for one in chosen.passages if one.id in shown.passages]
        stating = sorted(shown.passages.keys() - {one.id for one in there})
        numbers = [*_ids(there), *stating]
        with self.trace.step("folding"):
            rows = [shown.passages[number] for number in numbers]
            groups = folded([row["text"] for row in rows], self.param.fold, [_said_when(row) for row in rows])
        stays = [there[place] for place in groups if place < len(there)]
        self.trace.lose("passage", "folded", there, _ids(stays))
        named = {numbers[place]: tuple(numbers[one] for one in others) for place, others in groups.items()}
        return replace(chosen, passages=stays[: self.passages], duplicates=named)


def _said_when(row: Mapping[str, Any]) -> tuple[int, str | None]:
    """Space and date of a passage: what is said again elsewhere, or at another time, is something else."""
    return row["space"], row["sources"][0]["observed"]


def _limits(scope: Scope, channel: WordChannel) -> tuple[int, int]:
    """How many things a channel has, and how many postings of one term are read."""
    total = scope.totals[channel]
    least, share, most = _COMMON
    return total, min(max(least, total // share), most)


def _ids(fused: Sequence[Fused]) -> list[int]:
    return [one.id for one in fused]
