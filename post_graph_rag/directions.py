"""Which way round a predicate is read, as far as its own words tell."""

from __future__ import annotations

import re
from collections.abc import Iterable

_AUXILIARIES = frozenset(("is", "are", "was", "were", "be", "been", "being", "a", "an", "the"))
_POSSESSION = frozenset(("has", "have", "had"))
_ENDING = re.compile(r"(?:ied|ies|ie|ing|ed|es|s|d|e|y)$")


def inverse(first: str, second: str) -> bool:
    """Whether two predicate keys say the same from opposite ends: "owned_by" and "owns", "part_of" and "has_part".

    Only what regular words show is seen; "child_of" and "parent_of" are not.
    """
    (form, way), (other_form, other_way) = _read(first), _read(second)
    return form == other_form and way != other_way


def _read(key: str) -> tuple[tuple[str, ...], str]:
    """A predicate without its grammar, and the way it is read."""
    words = [word for word in key.split("_") if word not in _AUXILIARIES]
    if len(words) > 1 and words[-1] == "by":
        return ("verb", *roots([word for word in words[:-1] if word not in _POSSESSION])), "backwards"
    if len(words) > 1 and words[-1] == "of":
        return ("noun", *roots(words[:-1])), "of"
    if len(words) > 1 and words[0] in _POSSESSION:
        return ("noun", *roots(words[1:])), "has"
    return ("verb", *roots(words)), "forwards"


def roots(words: Iterable[str]) -> list[str]:
    """English words without the endings that verbs and nouns take; right or wrong, the same for all forms of one."""
    return [_ENDING.sub("", word) or word for word in words]
