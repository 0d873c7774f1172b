"""What an entity is called and said to be: a pure function of a sample of what live passages say of it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DESCRIPTION_LIMIT = 800
"""Characters of a merged description; it stays bounded however often the entity is mentioned."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Name, type and merged description of an entity, and whether it can be found."""

    entity: int
    space: int
    name: str
    type: str
    description: str
    current: bool
    pending: bool

    @property
    def text(self) -> str:
        """What the entity's vector is made from."""
        return f"{self.name}: {self.description}" if self.description else self.name

    @property
    def digest(self) -> str:
        """Of name and description, as put_entity_vectors computes it."""
        return hashlib.md5(f"{self.name}\n{self.description}".encode(), usedforsecurity=False).hexdigest()

    def row(self) -> dict[str, Any]:
        """As apply_profiles takes it."""
        names = ("entity", "name", "type", "description", "pending", "current")
        return {name: getattr(self, name) for name in names}


def profile(row: Mapping[str, Any]) -> Profile | None:
    """The profile that follows from a row of fetch_profiles.

    An entity that nothing mentions now, or that stands for another one, keeps its words but is not current. None: there
    is nothing to keep.
    """
    said = [Said(*item) for item in json.loads(row["sample"] or "[]")]
    if not row["stands"] or not said:
        return _kept(row)
    name, kind, description = _name(said), _type(said), _description(said)
    changed = (name, description) != (row["name"], row["description"])
    return Profile(
        row["entity"], row["space"], name, kind, description, bool(row["live"]), changed or bool(row["pending"])
    )


@dataclass(frozen=True, slots=True)
class Said:
    """What one passage says; own is False for what it says of an entity that was merged into this one."""

    name: str
    type: str
    description: str
    own: bool


def _kept(row: Mapping[str, Any]) -> Profile | None:
    if row["name"] is None:
        return None
    return Profile(
        row["entity"], row["space"], row["name"], row["type"], row["description"], False, bool(row["pending"])
    )


def _name(said: list[Said]) -> str:
    names = {item.name for item in said if item.own} or {item.name for item in said}
    return max(names, key=lambda name: (len(name), name))


def _type(said: list[Said]) -> str:
    counted = Counter(item.type for item in said if item.type)
    return max(counted, key=lambda kind: (counted[kind], kind)) if counted else ""


def _description(said: list[Said]) -> str:
    """Distinct descriptions, the fullest first, as many as fit whole; a first one that does not fit is cut."""
    parts: list[str] = []
    room = DESCRIPTION_LIMIT
    for text in sorted({item.description.strip() for item in said}, key=lambda text: (-min(len(text), 300), text)):
        if text and not any(text in part for part in parts) and (len(text) < room or not parts):
            parts.append(text[:room])
            room -= len(text) + 1
    return " ".join(parts)
