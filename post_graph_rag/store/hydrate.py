"""What the record says of hits: all that is shown of them, in a constant number of statements."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from post_graph_rag.profiles import Said, Words, words_of
from post_graph_rag.store.database import Session
from post_graph_rag.store.when import NOW, When

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """What the record says of hits, by id, as the statement gives it."""

    passages: Mapping[int, Row]
    entities: Mapping[int, Row]
    relations: Mapping[int, Row]


async def hydrate(
    session: Session,
    passages: Sequence[int],
    entities: Sequence[int],
    relations: Sequence[int],
    most: int,
    when: When = NOW,
) -> Shown:
    """All that is shown of these hits, each list best first; of each at most `most` sources, mentions or evidence.

    when: as of which time they are shown; what the record did not hold then is left out, with what it was called and
        said to be then.
    """
    asked = () if when.plain else when.values
    found = json.loads(await session.value(when.statement("hydrate"), *asked, passages, entities, relations, most))
    return _shown(found if when.plain else _worded(found))


def _shown(found: Mapping[str, Sequence[Row] | None]) -> Shown:
    kinds = ("passages", "entities", "relations")
    return Shown(**{kind: {row["id"]: row for row in found[kind] or ()} for kind in kinds})


def _worded(found: Mapping[str, Sequence[Row] | None]) -> dict[str, Sequence[Row]]:
    """The same with names and descriptions; an entity of which nothing was said in the time asked for is left out."""
    rows = {row["id"]: row for row in found["words"] or ()}
    words = {id: made for id, row in rows.items() if (made := _words(row)) is not None}
    names = {id: words[id].name if id in words else row["key"] for id, row in rows.items()}
    return {
        "passages": found["passages"] or (),
        "entities": [{**row, **asdict(words[row["id"]])} for row in found["entities"] or () if row["id"] in words],
        "relations": [
            {**row, "subject": names[row["subject"]], "object": names[row["object"]]}
            for row in found["relations"] or ()
        ],
    }


def _words(row: Row) -> Words | None:
    if row["said"]:
        return words_of([Said(*item) for item in row["said"]], row["given"])
    return None if row["name"] is None else Words(row["name"], row["type"], row["description"])
