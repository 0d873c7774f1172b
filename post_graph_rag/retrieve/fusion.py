"""Several ranked lists made into one by the ranks alone."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import fsum
from typing import TypeVar

C = TypeVar("C", bound=Hashable)


def reciprocal_rank_fusion(
    lists: Mapping[C, Sequence[int]], k: int = 60, weights: Mapping[C, float] | None = None
) -> list[tuple[int, float]]:
    """Fuse ranked lists: the score of an id is the sum of weight / (k + rank) over the lists that hold it.

    lists: ids by channel, best first; a repeated id counts once, at its best rank.
    k: damps the difference between first ranks; 60 is the value of the source.
    weights: by channel, 1 where none is given; a channel of weight 0 adds no id.
    Returns (id, score), best score first, then best rank in any channel, then smallest id.
    Source: Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms Condorcet …", SIGIR 2009.
    """
    weighted = weights or {}
    used = {channel: ids for channel, ids in lists.items() if weighted.get(channel, 1.0) > 0}
    found = channel_ranks(used)
    scores = {
        id_: fsum(weighted.get(channel, 1.0) / (k + rank) for channel, rank in ranks.items())
        for id_, ranks in found.items()
    }
    return sorted(scores.items(), key=lambda item: (-item[1], min(found[item[0]].values()), item[0]))


def channel_ranks(lists: Mapping[C, Sequence[int]]) -> dict[int, dict[C, int]]:
    """The rank, from 1, that each channel gave to each id; channels in the order of `lists`."""
    ranks: dict[int, dict[C, int]] = {}
    for channel, ids in lists.items():
        for rank, id_ in enumerate(dict.fromkeys(ids), 1):
            ranks.setdefault(id_, {})[channel] = rank
    return ranks
