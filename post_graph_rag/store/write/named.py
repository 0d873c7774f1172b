"""Entities that people name, by id or by a name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from post_graph_rag.names import name_key
from post_graph_rag.store.database import Session

BEYOND = 1 << 63
"""No id is that large."""


@dataclass(frozen=True, slots=True)
class Named:
    """An entity as it is called now; canonical: for whom it stands."""

    id: int
    space: int
    space_name: str
    canonical: int
    name: str


async def named_entities(
    session: Session, wanted: Sequence[int | str], spaces: Iterable[int] = ()
) -> list[tuple[Named, ...]]:
    """For each id, or name in these spaces, the entities that it may mean: none, one, or several."""
    rows = await session.rows(
        "named_entities",
        [one if isinstance(one, int) and abs(one) < BEYOND else None for one in wanted],
        [None if isinstance(one, int) else name_key(one) for one in wanted],
        sorted(spaces),
    )
    names = ("id", "space", "space_name", "canonical", "name")
    found: list[list[Named]] = [[] for _ in wanted]
    for row in rows:
        found[row["n"] - 1].append(Named(**{name: row[name] for name in names}))
    return [tuple(one) for one in found]
