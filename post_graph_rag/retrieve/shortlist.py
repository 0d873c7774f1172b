"""From what the channels found to what is looked up: fused, with a floor, by distance, by variety."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from post_graph_rag.records import Channel, QueryParam
from post_graph_rag.retrieve.channels import Found, Fused, Kind
from post_graph_rag.retrieve.distance import Hops
from post_graph_rag.retrieve.diversity import cosines, most_diverse
from post_graph_rag.retrieve.quota import in_turn
from post_graph_rag.retrieve.trace import Trace
from post_graph_rag.store.search import Hits

_COPIES = 4
"""So many passages at least, or half as many as are kept, are looked up beyond them, since copies of others will go."""
_TOLD = 12
"""So many relations at least, or as many as are kept, are looked up beyond them where the record tells which lead."""
_POOL = 4
"""So many times as many are looked at as are kept, where something chooses among them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many of each kind are kept, and whether a choice is made among more.

    told: whether a choice among relations is made by what the record tells of them.
    """

    param: QueryParam
    passages: int
    told: bool = False

    def kept(self, kind: Kind) -> int:
        """More of those of which some will go once the record has told what they are."""
        most = self.passages if kind == "passage" else self.param.top_k
        spare = {
            "passage": max(_COPIES, most // 2) if self.param.fold is not None else 0,
            "relation": max(_TOLD, most) if self.told else 0,
        }
        return most + spare.get(kind, 0)

    def pool(self, kind: Kind) -> int:
        choosing = self.param.mmr is not None or self.param.node_distance
        return _POOL * self.kept(kind) if choosing else self.kept(kind)


def similar_enough(found: Mapping[Channel, Hits], least: float | None, trace: Trace) -> Mapping[Channel, Hits]:
    """What vectors found, down to the similarity that is asked for."""
    if least is None:
        return found
    kept: dict[Channel, Hits] = {}
    for channel, hits in found.items():
        count = sum(score >= least for score in hits.scores)
        kept[channel] = Hits(hits.ids[:count], hits.scores[:count])
        trace.unlike[channel] = Hits(hits.ids[count:], hits.scores[count:])
    return kept


def ranked(trace: Trace, kind: Kind, wanted: Wanted, far: Hops) -> list[Fused]:
    """The best of a kind: fused, down to the score that is asked for, the nearest first if that is asked for."""
    param = wanted.param
    fused = _fused(trace.found, kind, param, wanted.pool(kind))
    if param.min_score is not None:
        good = [one for one in fused if one.score >= param.min_score]
        trace.lose(kind, "score", fused, [one.id for one in good])
        fused = good
    if param.node_distance:
        steps = far.get(kind, {})
        fused.sort(key=lambda one: steps.get(one.id, len(steps)))
    return fused


def varied(
    fused: Sequence[Fused], kind: Kind, wanted: Wanted, vectors: Mapping[int, NDArray[np.float32]], trace: Trace
) -> list[Fused]:
    """As many as are kept, by maximal marginal relevance; relevance is the score, or the place that distance gave."""
    param = wanted.param
    if param.mmr is None or not vectors:
        return list(fused[: wanted.kept(kind)])
    nothing = np.zeros_like(next(iter(vectors.values())))
    similar = cosines(np.stack([vectors.get(one.id, nothing) for one in fused]))
    order = most_diverse(_relevance(fused, param), similar, param.mmr, wanted.kept(kind))
    taken = [fused[place] for place in order]
    trace.lose(kind, "mmr", fused, [one.id for one in taken])
    return taken


def preferred(fused: Sequence[Fused], first: Set[int]) -> list[Fused]:
    """With these first: they count as much more as the best one counts."""
    best = max((one.score for one in fused), default=0.0)
    raised = [replace(one, score=one.score + best) if one.id in first else one for one in fused]
    return sorted(raised, key=lambda one: -one.score)


def _fused(found: Found, kind: Kind, param: QueryParam, most: int) -> list[Fused]:
    if param.fusion == "rrf":
        return found.fused(kind, param, most)
    lists = [hits.ids for channel, hits in found.of(kind).items() if param.weight(channel) > 0]
    best = in_turn(lists, param.rrf_k)[:most]
    places = found.places(kind, [number for number, _ in best])
    return [Fused(number, score, tuple(places[number])) for number, score in best]


def _relevance(fused: Sequence[Fused], param: QueryParam) -> NDArray[np.float64]:
    if param.node_distance:
        return np.linspace(1, 0, len(fused), endpoint=False)
    best = max((one.score for one in fused), default=0.0)
    return np.array([one.score / best if best else 0.0 for one in fused])
