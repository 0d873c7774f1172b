"""Seeded synthetic corpus, the same for every library under test: one fact a line, as stub_model.extract reads it."""

from __future__ import annotations

import random
from collections.abc import Iterator

_FIRST = """
Alder Birch Cedar Dorsal Ember Fjord Garnet Harbor Indigo Juniper Kestrel Lumen Meridian Nimbus Onyx Pinnacle
Quarry Ridge Summit Tundra Umber Vertex Willow Xenon Yarrow Zephyr
"""
_LAST = """
Systems Labs Holdings Analytics Energy Foods Motors Textiles Robotics Capital Media Networks Pharma Steel Airlines
Logistics Software Optics Marine Mining
"""
FIRST = tuple(_FIRST.split())
LAST = tuple(_LAST.split())
PREDICATES = (
    "acquired",
    "supplies parts to",
    "competes with",
    "invested in",
    "partners with",
    "sued",
    "licensed patents to",
    "merged with",
    "hired executives from",
    "audits",
)
TAILS = (
    "after a long negotiation led by the regional office",
    "as reported in the annual filing and confirmed by two regulators",
    "according to a statement that the board published in spring",
    "while the market expected a different outcome",
)


def entities(count: int, seed: int = 7) -> list[str]:
    """The first `count` company names, two words before three, each group shuffled by the seed."""
    rng = random.Random(seed)
    short = [f"{a} {b}" for a in FIRST for b in LAST]
    long = [f"{a} {c} {b}" for a in FIRST for c in FIRST for b in LAST if a != c]
    rng.shuffle(short)
    rng.shuffle(long)
    return (short + long)[:count]


def documents(
    count: int, facts: int = 10, entity_count: int = 400, seed: int = 7, zipf: bool = True
) -> Iterator[tuple[str, str]]:
    """Yield (source, text); with zipf some entities are named far more often than others, so hubs exist."""
    rng = random.Random(seed)
    names = entities(entity_count, seed)
    weights = [1.0 / (i + 3) for i in range(len(names))] if zipf else None
    for number in range(count):
        lines = [_fact(rng, names, weights) for _ in range(facts)]
        yield f"doc-{number:05d}.txt", "\n".join(lines)


def _fact(rng: random.Random, names: list[str], weights: list[float] | None) -> str:
    subject, other = rng.choices(names, weights=weights, k=2)
    while subject == other:
        other = rng.choices(names, weights=weights, k=1)[0]
    span = ""
    if rng.random() < 0.4:
        year = rng.randint(1990, 2015)
        span = f" from {year}" + (f" until {year + rng.randint(1, 8)}" if rng.random() < 0.5 else "")
    return f"{subject} {rng.choice(PREDICATES)} {other}{span} {rng.choice(TAILS)}."


def questions(count: int, entity_count: int = 400, seed: int = 11) -> Iterator[str]:
    """Yield questions about the entities, the often named ones more often."""
    rng = random.Random(seed)
    names = entities(entity_count, 7)
    for _ in range(count):
        name = names[min(int(rng.expovariate(1 / 25)), len(names) - 1)]
        yield rng.choice(
            [
                f"Which companies did {name} acquire and who competes with them?",
                f"Who supplies parts to {name}?",
                f"What is the relationship between {name} and {rng.choice(names)}?",
                f"Who invested in {name} after 2005?",
            ]
        )
