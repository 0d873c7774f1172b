"""What the record says of hits: all that is shown of them, in a constant number of statements."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from post_graph_rag.store.database import Session
from post_graph_rag.store.when import NOW, When


@dataclass(frozen=True, slots=True)
class Shown:
    """What the record says of hits, by id, as the statement gives it."""

    passages: Mapping[int, Mapping[str, Any]]
    entities: Mapping[int, Mapping[str, Any]]
    relations: Mapping[int, Mapping[str, Any]]


async def hydrate(
    session: Session,
    passages: Sequence[int],
    entities: Sequence[int],
    relations: Sequence[int],
    most: int,
    when: When = NOW,
) -> Shown:
    """All that is shown of these hits, each list best first; of each at most `most` sources, mentions or evidence."""
    found = json.loads(await session.value("search_hydrate", passages, entities, relations, most))
    return Shown(**{kind: {row["id"]: row for row in rows or ()} for kind, rows in found.items()})
