"""Several ranked lists made into one by the ranks alone."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

C = TypeVar("C", bound=Hashable)
_DIGITS = 13
_UNSEEN = float("inf")


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
    scores: dict[int, float] = {}
    best: dict[int, int] = {}
    for channel, ids in lists.items():
        weight = (weights or {}).get(channel, 1.0)
        for rank, id_ in enumerate(dict.fromkeys(ids) if weight > 0 else (), 1):
            scores[id_] = scores.get(id_, 0.0) + weight / (k + rank)
            if rank < best.get(id_, _UNSEEN):
                best[id_] = rank
    # Rounded, so that the order in which channels were added up makes no difference between equals.
    ordered = sorted([(-round(score, _DIGITS), best[id_], id_) for id_, score in scores.items()])
    return [(id_, -score) for score, _, id_ in ordered]
