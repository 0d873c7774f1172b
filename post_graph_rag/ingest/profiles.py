"""What an entity's profile becomes, and whether its vector is still of those words: a function of a fetched row."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from post_graph_rag.profiles import Said, Words, words_of


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

    An entity that nothing mentions now, or that stands for another one, keeps its words, but for a name that somebody
    gave it, and is not current. None: there is nothing to keep.
    """
    said = [Said(*item) for item in json.loads(row["sample"] or "[]")]
    if not row["stands"] or not said:
        return _kept(row)
    return _profile(row, words_of(said, row["given"]), bool(row["live"]))


def _kept(row: Mapping[str, Any]) -> Profile | None:
    if row["name"] is None:
        return None
    return _profile(row, Words(row["given"] or row["name"], row["type"], row["description"]), False)


def _profile(row: Mapping[str, Any], words: Words, current: bool) -> Profile:
    changed = (words.name, words.description) != (row["name"], row["description"])
    pending = changed or bool(row["pending"])
    return Profile(row["entity"], row["space"], words.name, words.type, words.description, current, pending)
