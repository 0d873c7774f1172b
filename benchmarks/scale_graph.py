"""A large graph in several spaces, the smallest of which holds one in a hundred; so many passages, entities, relations.

Drawn as that of the benchmark of time (`time_graph.py`): what a passage states is of entities of its own space.
"""

from __future__ import annotations

import random
from itertools import accumulate

from benchmarks.time_graph import PASSAGES, Drawing, Fact, Graph

SPACES = ("default", "archive", "notes", "small")
SHARES = (0.6, 0.29, 0.1, 0.01)
"""Of documents and of entities, by space."""
SMALL = "small"


def draw_spaces(passages: int, entities: int, relations: int, seed: int = 7) -> Graph:
    """A graph of just so many passages, entities that may be named, and relations."""
    return _Spaces(passages, entities, relations, seed).graph()


class _Spaces(Drawing):
    def __init__(self, passages: int, entities: int, relations: int, seed: int) -> None:
        super().__init__(relations, entities, seed)
        self._passages = passages
        self._homes = self._spread(entities)
        self._documents = self._spread(-(-passages // PASSAGES))
        self._members = [[n for n, home in enumerate(self._homes) if home == space] for space in range(len(SPACES))]
        weights = [(number + 3.0) ** -0.8 for number in range(entities)]
        self._weights = [list(accumulate(weights[member] for member in some)) for some in self._members]
        every = {
            space: [entity for entity in self._led if self._homes[entity] == space] for space in range(len(SPACES))
        }
        self._led_here = [every[space] or some for space, some in enumerate(self._members)]
        self._stated: list[list[Fact]] = [[] for _ in SPACES]

    def graph(self) -> Graph:
        while len(self._filler) < self._passages:
            self._enter()
            known = len(self._facts)
            self._passage()
            self._stated[self._space] += self._facts[known:]
        names = self._names
        return Graph(names, self._days, self._facts, self._filler, list(SPACES), self._documents, self._homes)

    def _spread(self, count: int) -> list[int]:
        """Each space's share of numbers, in a drawn order, at least one to each."""
        others = [space for space, share in enumerate(SHARES) if space for _ in range(max(1, round(share * count)))]
        spaces = [0] * (count - len(others)) + others
        random.Random(count).shuffle(spaces)
        return spaces

    def _enter(self) -> None:
        self._space = self._documents[len(self._filler) // PASSAGES]
        self._led = self._led_here[self._space]

    def _full(self, facts: int) -> bool:
        """Relations are as many as the passages so far should have, at least one fact to each."""
        due = (len(self._filler) + 1) * self._wanted // self._passages
        return facts > 0 and len(self._numbers) >= due

    def _entity(self) -> int:
        return self._rng.choices(self._members[self._space], cum_weights=self._weights[self._space])[0]

    def _anybody(self) -> int:
        return self._rng.choice(self._members[self._space])

    def _known(self) -> list[Fact]:
        return self._stated[self._space]
