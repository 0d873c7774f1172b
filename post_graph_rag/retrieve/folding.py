"""Texts that say the same are found and taken for one."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from math import ceil
from typing import TypeAlias

from post_graph_rag.folding import fold, visible

Shingles: TypeAlias = frozenset[int]

_UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])")
"""Characters of scripts that put no blanks between words: each counts as one."""
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")
_BELOW_ZERO = re.compile(r"(?<!\w)[-\u2212]\d+")
_TELLING = ("Sm", "Sc", "So", "Mn", "Mc")
"""Categories of Unicode: signs of mathematics, currencies, other symbols, and vowel signs that are no part of words."""
_WORDS = 3
"""Words of one shingle: order counts, so that "A sold B" is not "B sold A"."""
_ROUNDING = 1e-9


def folded(texts: Sequence[str], least: float, about: Sequence[Hashable] = ()) -> dict[int, tuple[int, ...]]:
    """The places of the texts that stay, each with the places of later ones that say the same.

    about: what else has to be equal, for each text, if anything.

    Two texts say the same when they share at least the part `least` of all runs of three words that stand in either
    (Jaccard, on case-folded words), and hold the same numbers and signs: one form filled in twice says two things.
    Only texts that share one of their rarest runs are compared, since others cannot share enough.
    Source: Broder, "On the resemblance and containment of documents", 1997; Bayardo, Ma, Srikant, "Scaling up all
    pairs similarity search", WWW 2007.
    """
    alike = _grouped(range(len(texts)), about.__getitem__) if about else [range(len(texts))]
    groups = [group for places in alike for group in _grouped(places, lambda place: _details(texts[place]))]
    stays = {place: others for group in groups for place, others in _group_folded(texts, group, least)}
    return dict(sorted(stays.items()))


def _grouped(places: Sequence[int], by: Callable[[int], Hashable]) -> list[Sequence[int]]:
    """The places in groups of equal ones; of a single one nothing is asked."""
    if len(places) == 1:
        return [places]
    groups: dict[Hashable, list[int]] = {}
    for place in places:
        groups.setdefault(by(place), []).append(place)
    return list(groups.values())


def _group_folded(texts: Sequence[str], places: Sequence[int], least: float) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The same of texts with the same numbers and signs, given by their places."""
    if len(places) == 1:
        yield places[0], ()
        return
    shingles = [_shingles(_words(texts[place])) for place in places]
    stays: dict[int, list[int]] = {}
    seen: dict[int, list[int]] = {}
    for place, probe in enumerate(_probes(shingles, least)):
        near = dict.fromkeys(other for one in probe for other in seen.get(one, ()))
        same = next((one for one in near if _share(shingles[one], shingles[place]) >= least), None)
        if same is None:
            stays[place] = []
            for one in probe:
                seen.setdefault(one, []).append(place)
        else:
            stays[same].append(places[place])
    for place, others in stays.items():
        yield places[place], tuple(others)


@lru_cache(maxsize=1 << 12)
def _details(text: str) -> tuple[str, ...]:
    """What a text says beside its words: its numbers, sorted, and which marks it has that are no punctuation.

    Remembered, as the size of a text is: the same passages are looked at for question after question.
    """
    shown = text if text.isascii() else fold(visible(text))
    characters = set(shown)
    below = _BELOW_ZERO.findall(shown) if characters & {"-", "\u2212"} else ()
    return (*sorted([*_NUMBER.findall(shown), *below]), *sorted(filter(_tells, characters)))


@lru_cache(maxsize=1 << 12)
def _tells(mark: str) -> bool:
    """C# is not C and "< 5" not "> 5"; a table's lines say nothing."""
    return mark in "#%&@" or (mark not in "|~" and unicodedata.category(mark) in _TELLING)


def _words(text: str) -> list[str]:
    return _WORD.findall(_UNSPACED.sub(r" \1 ", fold(visible(text)))) or [text]


def _shingles(words: Sequence[str]) -> Shingles:
    """Runs of words, each as its hash; of a text with fewer words the one there is."""
    runs = [words[start:] for start in range(min(_WORDS, len(words)))]
    return frozenset(map(hash, zip(*runs, strict=False)))


def _probes(shingles: Sequence[Shingles], least: float) -> list[list[int]]:
    """Of each text so many of its rarest runs that two texts which share enough share one of these."""
    common = Counter(chain.from_iterable(shingles))
    # Equally rare ones in one order for all texts.
    ordered = [sorted(sorted(text), key=common.__getitem__) for text in shingles]
    return [text[: len(text) - max(ceil(least * len(text) - _ROUNDING), 1) + 1] for text in ordered]


def _share(one: Shingles, other: Shingles) -> float:
    return len(one & other) / len(one | other)
