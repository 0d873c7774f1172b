"""One form of a name under all the spellings that can only mean the same: what differs is how it is written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from post_graph_rag.names import name_key

_ENDING = re.compile(r"(.*\S)\s*\(([^()]*)\)\s*")
_UNITED_STATES = re.compile(r"\b(?:U\.\s?S\.(?:\s?A\.)?|USA?)(?!\w)")
_UNITED_KINGDOM = re.compile(r"\b(?:U\.\s?K\.|UK)(?!\w)")
_LEADING = {"st": "saint", "mt": "mount", "ft": "fort"}
_NUMBERS = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12",
    "first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th", "sixth": "6th",
    "seventh": "7th", "eighth": "8th", "ninth": "9th", "tenth": "10th",
}  # fmt: skip
_MONTHS = frozenset(
    ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
     "december")
)  # fmt: skip
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_DAY = re.compile(r"[0-3]?[0-9]")
_COUNTRIES = frozenset(("united states", "united kingdom", "canada", "australia", "england", "scotland", "india"))
# "University of Miami" and "Miami University" are two.
_NAMED_EITHER_WAY = frozenset(
    ("university", "college", "institute", "school", "academy", "bank", "council", "republic", "kingdom", "house")
)


@lru_cache(maxsize=1 << 14)
def name_form(name: str) -> str:
    """The form that two names share only when they differ in how one thing is written.

    Beyond `name_key`: the United States and the United Kingdom in full, "St." at the beginning, small numbers in
    digits, dates day first, a year first, articles left out, its own initials behind a name left out, a country behind
    town and state left out, "Treaty of X" as "X Treaty" where all of it is a name.
    """
    shown = _without_country(_written_out(_without_own_initials(name)))
    words = _in_digits(_leading(name_key(shown).split()))
    return " ".join(_turned(_year_first(_day_first(_without_articles(words, shown)), shown), shown))


def is_proper(name: str) -> bool:
    """Whether all longer words of a name begin with a capital or a digit."""
    return all(not word[0].islower() for word in re.findall(r"\w+", name) if len(word) > 3)


def _written_out(name: str) -> str:
    return _UNITED_KINGDOM.sub("United Kingdom", _UNITED_STATES.sub("United States", name))


def _without_own_initials(name: str) -> str:
    """ "European Union (EU)" without what stands in brackets, if these are letters its words begin with."""
    found = _ENDING.fullmatch(name)
    if found is None:
        return name
    short = re.sub(r"[^A-Z]", "", found[2])
    initials = "".join(re.findall(r"\b[A-Z]", found[1]))
    own = found[2].isupper() and len(short) > 1 and initials[:1] == short[0] and _in_order(short, initials)
    return found[1] if own and len(short) >= len(initials) - 1 else name


def _in_order(letters: str, initials: str) -> bool:
    rest = iter(initials)
    return all(letter in rest for letter in letters)


def _without_country(name: str) -> str:
    """ "Toronto, Ontario, Canada" without the country; of two parts none is left out, they may be a list."""
    parts = name.split(", ")
    ends = len(parts) == 3 and name_key(parts[2]) in _COUNTRIES and name_key(parts[1]) not in _COUNTRIES
    return ", ".join(parts[:2]) if ends and is_proper(name) else name


def _leading(words: Sequence[str]) -> list[str]:
    return [_LEADING.get(words[0], words[0]), *words[1:]] if len(words) > 1 else list(words)


def _in_digits(words: Sequence[str]) -> list[str]:
    """A lone "Five" may be the name of something else, a lone number is of whatever was counted."""
    if len(words) == 1:
        return list(words)
    return [_NUMBERS.get(word, word) for word in words]


def _without_articles(words: Sequence[str], name: str) -> list[str]:
    """A capital "A" at the beginning is part of a title, and tells it from one with "The"."""
    rest = [word for word in words if word != "the"]
    loose = len(rest) > 2 and rest[0] in ("a", "an") and name.startswith(rest[0])
    return rest[1:] if loose else rest or list(words)


def _day_first(words: list[str]) -> list[str]:
    """ "august 6 1945" is "6 august 1945"."""
    dated = 2 <= len(words) <= 3 and words[0] in _MONTHS and _DAY.fullmatch(words[1])
    return [words[1], words[0], *words[2:]] if dated else words


def _year_first(words: list[str], name: str) -> list[str]:
    """ "Summer Olympics 1960" is "1960 Summer Olympics"; an "election of 1968" was held by many."""
    if len(re.findall(r"\b[A-Z]", name)) < 2:
        return words
    if len(words) < 2 or not _YEAR.fullmatch(words[-1]) or any(word[0].isdigit() for word in words[:-1]):
        return words
    rest = words[:-2] if words[-2] == "of" else words[:-1]
    return words if not rest or _MONTHS.intersection(rest) or words[-2] in ("in", "since", "to") else [words[-1], *rest]


def _turned(words: list[str], name: str) -> list[str]:
    if words.count("of") != 1 or words[-1] == "of" or _NAMED_EITHER_WAY.intersection(words) or not is_proper(name):
        return words
    at = words.index("of")
    return [*words[at + 1 :], *words[:at]]
