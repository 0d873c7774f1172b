"""What is left after an erasure is put right where it rested on what is gone, under the realm's write lock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from post_graph_rag.store.database import Session
from post_graph_rag.store.rows import Rows, as_json


@dataclass(frozen=True, slots=True)
class Founded:
    """Of relations, those that still rest on something, and those that do not."""

    left: frozenset[int]
    gone: frozenset[int]

    def joined(self, other: Founded) -> Founded:
        """Both; what is gone is left no more."""
        gone = self.gone | other.gone
        return Founded((self.left | other.left) - gone, gone)


async def unfounded_relations(session: Session, relations: Iterable[int], entities: Iterable[int]) -> Founded:
    """Which of these relations have evidence left; those that end in one of the entities, which go, have none."""
    rows = await session.rows("unfounded_relations", sorted(relations), sorted(entities))
    gone = frozenset(row["id"] for row in rows if row["unfounded"])
    return Founded(frozenset(row["id"] for row in rows) - gone, gone)


async def mend_periods(session: Session, founded: Founded, stamp: datetime) -> frozenset[int]:
    """Take from the history of periods what evidence that is left does not carry; returns whose was looked at."""
    rows = await session.rows("mend_periods", sorted(founded.left), sorted(founded.gone), stamp)
    retold = frozenset(row["id"] for row in rows)
    await session.run("mend_lone", sorted(retold))
    return retold


@dataclass(frozen=True, slots=True)
class LostNames:
    """Names that nothing gives any more: of which entities, and as pairs of key and name."""

    entities: frozenset[int]
    names: frozenset[tuple[str, str]]


async def mend_names(session: Session, names: Iterable[int]) -> LostNames:
    """Take away those of these names that nothing gives any more, and cut the others to when something did."""
    rows = await session.rows("mend_names", sorted(names))
    return LostNames(frozenset(row["entity"] for row in rows), frozenset((row["key"], row["name"]) for row in rows))


async def mend_merges(session: Session, merges: Iterable[int]) -> frozenset[int]:
    """Do the same with merges that followed from aliases; returns the sources of those that changed."""
    return frozenset(row["source"] for row in await session.rows("mend_merges", sorted(merges)))


async def mend_standing(session: Session, entities: Iterable[int]) -> frozenset[int]:
    """Take away for whom these stood where no merge of that time is left; returns all that were looked at."""
    return frozenset(row["entity"] for row in await session.rows("mend_standing", sorted(entities)))


async def cut_to_standing(session: Session, entities: Iterable[int]) -> frozenset[int]:
    """Let what is said of these carry relations only while they stood for their ends; returns these relations."""
    return frozenset(row["relation"] for row in await session.rows("cut_to_standing", sorted(entities)))


async def mend_presence(session: Session, entities: Iterable[int]) -> None:
    """Note anew when these were current."""
    await session.run("mend_presence", sorted(entities))


async def words_of_past(session: Session, entities: Iterable[int]) -> list[Any]:
    """Of these, entities with a profile that are not current, with what is left that was said of them."""
    return await session.rows("words_of_past", sorted(entities))


async def put_words_of_past(session: Session, words: Rows) -> None:
    """Write what such entities were called and said to be."""
    await session.run("put_words_of_past", as_json(words))


async def wordings_of_past(session: Session, relations: Iterable[int]) -> list[Any]:
    """Of these, relations that no live passage states and whose wording is not from what is left of their evidence."""
    return await session.rows("wordings_of_past", sorted(relations))


async def put_wordings_of_past(session: Session, wordings: Mapping[int, str]) -> None:
    """Write how such relations are worded."""
    await session.run("put_wordings_of_past", list(wordings), list(wordings.values()))


async def unsettle_passages(session: Session, space: int, text_hashes: Iterable[bytes]) -> None:
    """Let reading anew give back what passages with these hashes said; until then they say what is left."""
    await session.run("unsettle_passages", space, sorted(text_hashes))
