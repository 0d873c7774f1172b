"""Several ranked lists made into one by taking turns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest


def in_turn(lists: Sequence[Sequence[int]], k: int) -> list[tuple[int, float]]:
    """The first of each list, then the second of each, and so on, each id once.

    Returns (id, score), best first; the score is 1 / (k + place), the place counted from 1, so that it can be compared
    with one of reciprocal rank fusion.
    """
    turns = dict.fromkeys(one for turn in zip_longest(*lists) for one in turn if one is not None)
    return [(one, 1 / (k + place)) for place, one in enumerate(turns, 1)]
