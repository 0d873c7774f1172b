"""Personalised PageRank over a small neighbourhood, by power iteration on edge lists."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Indexes = NDArray[np.intp]


def personalised_pagerank(
    starts: Indexes, ends: Indexes, restart: Numbers, damping: float, tolerance: float = 1e-5
) -> Numbers:
    """How often a walker who follows undirected edges and now and then starts anew is at each node.

    starts, ends: the edges, by node index; repeated edges weigh more.
    restart: weight of each node as a place to start anew, at least one above 0; its length is the number of nodes.
    damping: probability of following an edge rather than starting anew, below 1: the lower, the more counts what is
        near.
    tolerance: summed change at which the iteration stops.
    Returns probabilities that sum to 1. Source: Haveliwala, Topic-Sensitive PageRank, WWW 2002.
    """
    size = len(restart)
    restart = restart / restart.sum()
    away, towards = np.concatenate([starts, ends]), np.concatenate([ends, starts])
    degree = np.bincount(away, minlength=size)
    share = damping / np.maximum(degree, 1)
    rank = restart
    for _ in range(_steps(damping, tolerance)):
        flow = np.bincount(towards, weights=(rank * share)[away], minlength=size)
        # What edges do not carry on starts anew, from nodes without edges too.
        following = flow + (1.0 - flow.sum()) * restart
        moved = float(np.abs(following - rank).sum())
        rank = following
        if moved < tolerance:
            break
    return rank


def _steps(damping: float, tolerance: float) -> int:
    """Steps after which the change is below the tolerance whatever the graph: each shrinks it by the damping."""
    return int(np.ceil(np.log(tolerance / 2) / np.log(damping))) + 1 if 0 < damping < 1 else 1
