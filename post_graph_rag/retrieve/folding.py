"""Texts that say the same are found and taken for one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil
from typing import TypeAlias

from post_graph_rag.folding import fold, visible

Shingles: TypeAlias = frozenset[tuple[str, ...]]

_UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])")
"""Characters of scripts that put no blanks between words: each counts as one."""
_WORD = re.compile(r"\w+")
_WORDS = 3
"""Words of one shingle: order counts, so that "A sold B" is not "B sold A"."""
_ROUNDING = 1e-9


def folded(texts: Sequence[str], least: float) -> dict[int, tuple[int, ...]]:
    """The places of the texts that stay, each with the places of later ones that say the same.

    Two texts say the same when they share at least the part `least` of all runs of three words that stand in either
    (Jaccard, on case-folded words), and hold the same numbers: one form filled in twice says two things.
    Only texts that share one of their rarest runs are compared, since others cannot share enough.
    Source: Broder, "On the resemblance and containment of documents", 1997; Bayardo, Ma, Srikant, "Scaling up all
    pairs similarity search", WWW 2007.
    """
    words = [_words(text) for text in texts]
    shingles = [_shingles(one) for one in words]
    numbers = [_numbers(one) for one in words]
    stays: dict[int, list[int]] = {}
    seen: dict[tuple[str, ...], list[int]] = {}
    for place, probe in enumerate(_probes(shingles, least)):
        near = dict.fromkeys(other for one in probe for other in seen.get(one, ()) if numbers[other] == numbers[place])
        same = next((one for one in near if _share(shingles[one], shingles[place]) >= least), None)
        if same is None:
            stays[place] = []
            for one in probe:
                seen.setdefault(one, []).append(place)
        else:
            stays[same].append(place)
    return {place: tuple(others) for place, others in stays.items()}


def _words(text: str) -> list[str]:
    return _WORD.findall(_UNSPACED.sub(r" \1 ", fold(visible(text)))) or [text]


def _shingles(words: Sequence[str]) -> Shingles:
    return frozenset(tuple(words[start : start + _WORDS]) for start in range(max(1, len(words) - _WORDS + 1)))


def _numbers(words: Sequence[str]) -> Mapping[str, int]:
    return Counter(word for word in words if any(map(str.isdigit, word)))


def _probes(shingles: Sequence[Shingles], least: float) -> list[list[tuple[str, ...]]]:
    """Of each text so many of its rarest runs that two texts which share enough share one of these."""
    common = Counter(one for text in shingles for one in text)
    ordered = [sorted(text, key=lambda one: (common[one], one)) for text in shingles]
    return [text[: len(text) - max(ceil(least * len(text) - _ROUNDING), 1) + 1] for text in ordered]


def _share(one: Shingles, other: Shingles) -> float:
    return len(one & other) / len(one | other)
