"""Collects what the channels found, by kind of thing, and fuses it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from post_graph_rag.records import Channel, ChannelRank, QueryParam
from post_graph_rag.retrieve.fusion import reciprocal_rank_fusion
from post_graph_rag.store.search import Hits

Kind = Literal["passage", "entity", "relation"]
KINDS: Sequence[Kind] = get_args(Kind)

_FINDS: Mapping[str, Kind] = {
    "passage_vector": "passage",
    "passage_text": "passage",
    "entity_vector": "entity",
    "entity_name": "entity",
    "relation_vector": "relation",
    "relation_text": "relation",
}


@dataclass(frozen=True, slots=True)
class Fused:
    """One thing that was found: its fused score, and where each channel placed it."""

    id: int
    score: float
    channels: tuple[ChannelRank, ...]


@dataclass(slots=True)
class Found:
    """Hits of all channels so far, by kind."""

    hits: dict[Kind, dict[Channel, Hits]] = field(default_factory=dict)

    def add(self, channels: Mapping[Channel, Hits]) -> None:
        """Take in what the search channels found, each of which finds one kind of thing."""
        for channel, hits in channels.items():
            self.put(_FINDS[channel], channel, hits)

    def put(self, kind: Kind, channel: Channel, hits: Hits) -> None:
        self.hits.setdefault(kind, {})[channel] = hits

    def of(self, kind: Kind) -> dict[Channel, Hits]:
        return self.hits.get(kind, {})

    def best(self, kind: Kind, param: QueryParam, most: int) -> list[tuple[int, float]]:
        """Ids and fused scores, best first; what no channel gave a score comes last and has none."""
        known = {channel: hits for channel, hits in self.of(kind).items() if param.weight(channel) > 0}
        lists = {channel: hits.ids[: _scored(hits)] for channel, hits in known.items()}
        weights = {channel: param.weight(channel) for channel in lists}
        fused = reciprocal_rank_fusion(lists, param.rrf_k, weights)[:most]
        there = {number for number, _ in fused}
        rest = dict.fromkeys(number for hits in known.values() for number in hits.ids[_scored(hits) :])
        return [*fused, *((number, 0.0) for number in rest if number not in there)][:most]

    def fused(self, kind: Kind, param: QueryParam, most: int) -> list[Fused]:
        """The best of a kind with all that the channels said of them."""
        best = self.best(kind, param, most)
        places = self.places(kind, {number for number, _ in best})
        return [Fused(number, score, tuple(places[number])) for number, score in best]

    def places(self, kind: Kind, wanted: Iterable[int]) -> dict[int, list[ChannelRank]]:
        """Where each channel placed these."""
        places: dict[int, list[ChannelRank]] = {number: [] for number in wanted}
        for channel, hits in self.of(kind).items():
            for rank, (number, score) in enumerate(zip(hits.ids, hits.scores, strict=True), 1):
                if number in places:
                    places[number].append(ChannelRank(channel=channel, rank=rank, score=score))
        return places


def _scored(hits: Hits) -> int:
    """How many of the hits, which come best first, have a score above 0: the rest is like anything else."""
    return len(hits.ids) if not hits.scores or hits.scores[-1] > 0 else sum(score > 0 for score in hits.scores)
