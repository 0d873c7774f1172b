"""Whether two entities are one, by their names, kinds and neighbours: a pure function that would rather not say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from post_graph_rag.ingest.name_forms import is_proper, name_form
from post_graph_rag.kinds import types_compatible
from post_graph_rag.names import name_key

Likeness: TypeAlias = Literal["same", "near", "doubt", "other"]
"""same: one name in two spellings; near: one, if no third is as near; doubt: a model may know; other: two."""

NEAR_VECTOR = 0.85
"""Cosine similarity from which a name that differs in a letter is no other word by chance."""
NEAR_BESIDE_SHARED = 0.7
"""The same where both have a neighbour in common."""
DOUBTFUL_VECTOR = 0.8
DOUBTFUL_RATIO = 85.0
"""Likeness of words, of 100, from which a model is asked whatever the vectors say."""
_LONG_WORD = 5
_NUMERAL = re.compile(r"[ivxlcdm]+|.*\d.*|[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Called:
    """What is known of an entity: its name and its free-text type."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a pair besides names. similarity: cosine of their vectors, 0 if unknown; shared: neighbours."""

    similarity: float = 0.0
    shared: int = 0

    @property
    def close(self) -> bool:
        """Whether a small difference of names is a slip rather than another name."""
        return self.similarity >= (NEAR_BESIDE_SHARED if self.shared else NEAR_VECTOR)


def likeness(one: Called, other: Called, evidence: Evidence) -> Likeness:
    """What two entities of one space are to each other; the order of the two plays no part."""
    if not types_compatible(one.type, other.type):
        return "other"
    if same_form(one.name, other.name):
        return "same"
    if evidence.close and _one_slip(one.name, other.name):
        return "near"
    # Grandfather and grandson may share what an initial stands for, so that nearness of vectors is not enough.
    if evidence.close and evidence.shared and _initials_agree(one.name, other.name):
        return "near"
    return "doubt" if _doubtful(one.name, other.name, evidence) else "other"


def worth_a_look(one: str, other: str) -> bool:
    """Whether names are such that evidence could make the two one without a model."""
    return not _blocks(one).isdisjoint(_blocks(other))


@lru_cache(maxsize=1 << 15)
def _blocks(name: str) -> frozenset[object]:
    """Whatever two names have in common if they are the same but for blanks, a slip, or what an initial stands for."""
    words, key = name_form(name).split(), name_key(name).split()
    blocks: set[object] = {"".join(words), tuple(map(_consonants, words))}
    return frozenset(blocks | ({(len(key), key[0], key[-1])} if len(key) > 2 else set()))


def same_form(one: str, other: str) -> bool:
    """Whether two names differ in their spelling only, blanks within names included."""
    first, second = name_form(one), name_form(other)
    if first == second:
        return True
    glued = first.replace(" ", "") == second.replace(" ", "")
    return glued and is_proper(one) and is_proper(other) and max(first.count(" "), second.count(" ")) > 1


def _one_slip(one: str, other: str) -> bool:
    """A vowel or a doubled letter inside one long word, beside another that agrees; numerals are no words."""
    first, second = name_form(one).split(), name_form(other).split()
    differ = [pair for pair in zip(first, second, strict=False) if pair[0] != pair[1]]
    agree = any(left == right and len(left) >= _LONG_WORD for left, right in zip(first, second, strict=False))
    return len(first) == len(second) and len(differ) == 1 and agree and _slip(*differ[0])


def _slip(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _LONG_WORD or _NUMERAL.fullmatch(one) or _NUMERAL.fullmatch(other):
        return False
    ends = one[0] == other[0] and one[-1] == other[-1]
    return ends and OSA.distance(one, other) == 1 and _consonants(one) == _consonants(other)


def _consonants(word: str) -> str:
    """A word without what spellings of a sound differ in: "Johnson" and "Johnston" are two."""
    return re.sub(r"(.)\1+", r"\1", re.sub(r"[aeiouyh]", "", word))


def _initials_agree(one: str, other: str) -> bool:
    """ "Hyman B. Samuels" and "Hyman Bernard Samuels": first and last words are the same, one between them is short."""
    first, second = name_key(one).split(), name_key(other).split()
    if len(first) != len(second) or len(first) < 3 or (first[0], first[-1]) != (second[0], second[-1]):
        return False
    differ = [pair for pair in zip(first, second, strict=False) if pair[0] != pair[1]]
    return is_proper(one) and is_proper(other) and bool(differ) and all(_short_for(*pair) for pair in differ)


def _short_for(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) == 1 and len(long) > 2 and long[0] == short and long.isalpha()


def _doubtful(one: str, other: str, evidence: Evidence) -> bool:
    agree = _numerals(one) == _numerals(other) or _initials_agree(one, other)
    return agree and (evidence.similarity >= DOUBTFUL_VECTOR or _alike(one, other))


def _alike(one: str, other: str) -> bool:
    return fuzz.token_sort_ratio(name_form(one), name_form(other)) >= DOUBTFUL_RATIO


def _numerals(name: str) -> list[str]:
    return sorted(word for word in name_form(name).split() if _NUMERAL.fullmatch(word))
