"""What an entity is called and said to be: a pure function of a sample of what passages say of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

DESCRIPTION_LIMIT = 800
"""Characters of a merged description; it stays bounded however often the entity is mentioned."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one passage says; own is False for what it says of an entity that was merged into this one."""

    name: str
    type: str
    description: str
    own: bool


@dataclass(frozen=True, slots=True)
class Words:
    """Name, type and merged description of an entity."""

    name: str
    type: str
    description: str


def words_of(said: Sequence[Said], given: str | None = None) -> Words:
    """The words that follow from what is said, in whatever order; at least one passage must say something.

    given: the name somebody gave the entity, which it bears whatever passages call it.
    """
    return Words(given or _name(said), _type(said), _description(said))


def _name(said: Sequence[Said]) -> str:
    names = {item.name for item in said if item.own} or {item.name for item in said}
    return max(names, key=lambda name: (len(name), name))


def _type(said: Sequence[Said]) -> str:
    counted = Counter(item.type for item in said if item.type)
    return max(counted, key=lambda kind: (counted[kind], kind)) if counted else ""


def _description(said: Sequence[Said]) -> str:
    """Distinct descriptions, the fullest first, as many as fit whole; a first one that does not fit is cut."""
    parts: list[str] = []
    room = DESCRIPTION_LIMIT
    for text in sorted({item.description.strip() for item in said}, key=lambda text: (-min(len(text), 300), text)):
        if text and not any(text in part for part in parts) and (len(text) < room or not parts):
            parts.append(text[:room])
            room -= len(text) + 1
    return " ".join(parts)
