"""Lexical terms: one function for passages, names, facts and questions, in any script."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise

from post_graph_rag.folding import fold, shorten, visible

MAX_TERM = 64
"""Longest term in characters; a longer one keeps its beginning and a hash of the whole."""

_JOINERS = r"(?:://|[-.@/:&+'=?%#~\\,\u2019\u2010])"
_ASCII_TOKEN = re.compile(rf"[A-Za-z0-9_]+(?:{_JOINERS}[A-Za-z0-9_]+)*[+#]*", re.ASCII)
_PLAIN_TOKEN = re.compile(r"[A-Za-z]?[a-z0-9]*|[A-Z0-9]+")
_GROUPED_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+")
_PIECES = re.compile(rf"{_JOINERS}|[_+#]+")
_HUMPS = re.compile(r"(?<=[a-z0-9à-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-ZÀ-ÖØ-Þ])(?=[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ])")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")
_PLURAL = re.compile(r"(?!news$)[a-z]{2,}[a-hj-rtv-z]s")
_POSSESSIVE = re.compile(r"'[sS]$")
_SAME_MARKS = str.maketrans({"\u2019": "'", "\u2010": "-"})
# Scripts written without blanks between words, or (Hangul) with endings glued to the word.
_UNSPACED = (
    r"\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf"
    r"\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u30ff\u3100-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uaa60-\uaa7f"
    r"\uac00-\ud7ff\uf900-\ufaff\U00016fe0-\U00018aff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
PAIRED = re.compile(f"[{_UNSPACED}]")
"""A character of a script of which terms are pairs of characters."""
_RUNS = re.compile(rf"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_PICTURES = r"\u2600-\u27bf\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff"


def terms(text: str) -> list[str]:
    """The lexical terms of a text, in order, with repeats.

    Words are folded (case, accents, compatibility forms, plain digits) and lose a possessive and a plural "s". What is
    joined by marks, underscores or capitals (identifiers, e-mails, URLs, versions) gives the whole and its parts;
    scripts without blanks give overlapping pairs of characters. Text made of marks only is one term, so that such a
    name can be found.

    text: any text. Returns terms of 1 to `MAX_TERM` characters without NUL and surrogates; none for blank text.
    """
    shown = visible(text)
    pattern = _ASCII_TOKEN if shown.isascii() else _any_token()
    found: list[str] = []
    for token in pattern.findall(shown):
        found += _known_terms(token) if len(token) <= MAX_TERM else _token_terms(token)
    return found or _marks_term(shown)


def term_counts(text: str) -> dict[str, int]:
    """How often each term of a text occurs in it, in order of first appearance."""
    counts: dict[str, int] = {}
    for term in terms(text):
        counts[term] = counts.get(term, 0) + 1
    return counts


def _marks_term(text: str) -> list[str]:
    marks = shorten(fold(" ".join(text.split())), MAX_TERM).strip()
    return [marks] if marks else []


@cache
def _any_token() -> re.Pattern[str]:
    word = rf"[\w{_marks()}]"
    return re.compile(rf"[^\W_]{word}*(?:{_JOINERS}{word}+)*[+#]*|_+{word}+|[{_PICTURES}]")


@cache
def _marks() -> str:
    """Combining characters, which `\\w` leaves out though words of many scripts hold them, as a character class."""
    return "".join(map(chr, filter(_is_mark, range(0x300, 0x1F000))))


def _is_mark(code: int) -> bool:
    return unicodedata.category(chr(code)).startswith("M")


@lru_cache(maxsize=1 << 16)
def _known_terms(token: str) -> tuple[str, ...]:
    return _token_terms(token)


def _token_terms(token: str) -> tuple[str, ...]:
    if _PLAIN_TOKEN.fullmatch(token):
        return (shorten(_singular(token.lower()), MAX_TERM),)
    if _GROUPED_DIGITS.fullmatch(token):
        return (shorten(token.replace(",", ""), MAX_TERM),)
    return tuple(term for run in _RUNS.findall(token.translate(_SAME_MARKS)) for term in _run_terms(run))


def _run_terms(run: str) -> Iterator[str]:
    if PAIRED.match(run):
        return _pair_terms(run)
    parts = dict.fromkeys(map(_singular, _compound_terms(run)))
    return (shorten(term, MAX_TERM) for term in parts if term)


def _singular(term: str) -> str:
    """A word without the plural "s" that English shares with its neighbours; right or wrong, the same everywhere."""
    return term[:-1] if _PLURAL.fullmatch(term) else term


def _compound_terms(run: str) -> Iterator[str]:
    """The whole of a joined word, then its parts; initials ("U.S.A") only as the whole, without their marks."""
    whole = _POSSESSIVE.sub("", run.strip("_"))
    if _INITIALS.fullmatch(whole):
        yield fold(whole.replace(".", ""))
        return
    yield fold(whole.replace("'", ""))
    for piece in _PIECES.split(whole):
        yield fold(piece)
        yield from map(fold, _humps(piece))


def _humps(piece: str) -> list[str]:
    humps = _HUMPS.split(piece)
    return humps if len(humps) > 1 else []


def _pair_terms(run: str) -> Iterator[str]:
    """Overlapping pairs of characters, each with its marks; a run of one gives itself."""
    units = [fold(unit) for unit in _units().findall(run)]
    return iter(map("".join, pairwise(units))) if len(units) > 1 else iter(units)


@cache
def _units() -> re.Pattern[str]:
    return re.compile(rf".[{_marks()}]*")
