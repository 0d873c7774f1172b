"""A trace told: for each channel what it found, and what became of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from post_graph_rag.records import (
    Candidate,
    Channel,
    ChannelRank,
    Explanation,
    Funnel,
    QueryData,
    QueryParam,
    Reason,
)
from post_graph_rag.retrieve.channels import KINDS, Kind
from post_graph_rag.retrieve.context import Written
from post_graph_rag.retrieve.trace import Trace
from post_graph_rag.store.search import NO_HITS, Hits


def explained(trace: Trace, data: QueryData, written: Written, param: QueryParam) -> Explanation:
    """The funnel of each channel, and the steps. data: what is returned; written: the context that was made of it."""
    gathered = frozenset(hit.id for hit in trace.gathered)
    fates = _Fates(trace, param, _returned(data), _read(written), gathered)
    funnels = [fates.funnel(kind, channel, hits) for kind in KINDS for channel, hits in trace.found.of(kind).items()]
    return Explanation(funnels=(*funnels, *fates.evidence()), steps=tuple(trace.steps))


@dataclass(frozen=True, slots=True)
class _Fates:
    """What became of each candidate. returned, read: ids of what is returned, and of what the context holds.

    gathered: ids of the passages before a reranker chose among them.
    """

    trace: Trace
    param: QueryParam
    returned: Mapping[Kind, frozenset[int]]
    read: Mapping[Kind, frozenset[int]]
    gathered: frozenset[int]

    def funnel(self, kind: Kind, channel: Channel, hits: Hits) -> Funnel:
        unlike = self.trace.unlike.get(channel, NO_HITS)
        found = zip((*hits.ids, *unlike.ids), (*hits.scores, *unlike.scores), strict=True)
        candidates = [
            self._candidate(
                kind,
                ChannelRank(channel=channel, rank=rank, score=score),
                number,
                "similarity" if rank > len(hits.ids) else self._lost(kind, channel, number),
            )
            for rank, (number, score) in enumerate(found, 1)
        ]
        return _funnel(kind, channel, candidates)

    def evidence(self) -> Iterator[Funnel]:
        """Passages that state a chosen relation are a channel that is known only once relations are chosen."""
        places = [(hit.id, one) for hit in self.trace.gathered for one in hit.channels if one.channel == "evidence"]
        if places:
            lost = [self._lost("passage", "evidence", number) for number, _ in places]
            candidates = [
                self._candidate("passage", one, number, why) for (number, one), why in zip(places, lost, strict=True)
            ]
            yield _funnel("passage", "evidence", candidates)

    def _candidate(self, kind: Kind, place: ChannelRank, number: int, lost: Reason | None) -> Candidate:
        read = lost is None and number in self.read[kind]
        return Candidate(id=number, rank=place.rank, score=place.score, lost=lost, in_context=read)

    def _lost(self, kind: Kind, channel: Channel, number: int) -> Reason | None:
        if number in self.returned[kind]:
            return None
        if kind == "passage" and number in self.gathered:
            return "reranked"
        if reason := self.trace.lost.get(kind, {}).get(number):
            return reason
        return "weight" if self.param.weight(channel) == 0 else "top_k"


def _funnel(kind: Kind, channel: Channel, candidates: Sequence[Candidate]) -> Funnel:
    dropped = Counter(one.lost for one in candidates if one.lost is not None)
    kept = [one for one in candidates if one.lost is None]
    unread = 0 if kind == "entity" else sum(not one.in_context for one in kept)
    return Funnel(
        channel=channel,
        kind=kind,
        candidates=tuple(candidates),
        dropped=dict(dropped),
        returned=len(kept),
        budget=unread,
    )


def _returned(data: QueryData) -> Mapping[Kind, frozenset[int]]:
    return {
        "passage": frozenset(hit.id for hit in data.passages),
        "entity": frozenset(hit.id for hit in data.entities),
        "relation": frozenset(hit.id for hit in data.relations),
    }


def _read(written: Written) -> Mapping[Kind, frozenset[int]]:
    """A context holds facts and passages; entities are read in these."""
    return {
        "passage": frozenset(packed.hit.id for packed in written.draft.passages),
        "entity": frozenset(),
        "relation": frozenset(fact.id for fact in written.draft.facts),
    }
