"""Dates a text states for a statement, as ISO dates as exact as the text has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from post_graph_rag.models.offline.english.words import MONTHS, word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

Period = tuple[str | None, str | None]
_YEAR_FORM = r"(1\d{3}|20\d{2})(?![\d%]|s\b|,\d{3})"
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?!\d)")
_DAY_FIRST = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ([A-Za-z]+\.?),? {_YEAR_FORM}")
_MONTH_FIRST = re.compile(rf"([A-Za-z]+\.?) (\d{{1,2}})(?:st|nd|rd|th)?,? {_YEAR_FORM}")
_MONTH = re.compile(rf"([A-Za-z]+\.?),? (?:of )?{_YEAR_FORM}")
_YEAR = re.compile(_YEAR_FORM)
_RANGE = re.compile(rf"{_YEAR_FORM} ?[–—-] ?{_YEAR_FORM}")
_VAGUE = re.compile(r"(?:early|mid|late)[ -]")
_FROM = word_set("from since in on during at")
_UNTIL = word_set("until till through to")
_BARRED = word_set("relcl acl advcl ccomp xcomp pcomp appos nsubj nsubjpass")


def period_of(anchor: Token) -> Period:
    """First and last date stated for the word that makes a statement; (None, None) when there is none or no telling."""
    starts: list[str] = []
    ends: list[str] = []
    for token in _reach(anchor):
        _note(token, starts, ends)
    if len(set(starts)) > 1 or len(set(ends)) > 1:
        return None, None
    start, end = starts[0] if starts else None, ends[0] if ends else None
    backwards = start is not None and end is not None and end < start[: len(end)]
    return (None, None) if backwards else (start, end)


def date_at(text: str) -> str | None:
    """The date a text begins with: "17 May 1971" gives "1971-05-17", "May 1971" "1971-05", "1971" "1971"."""
    text = _VAGUE.sub("", text, count=1) if _VAGUE.match(text) else text
    if match := _ISO.match(text):
        return match.group()
    if (match := _DAY_FIRST.match(text)) and match[2].lower() in MONTHS:
        return _iso(match[3], match[2], match[1])
    if (match := _MONTH_FIRST.match(text)) and match[1].lower() in MONTHS:
        return _iso(match[3], match[1], match[2])
    if (match := _MONTH.match(text)) and match[1].lower() in MONTHS:
        return _iso(match[2], match[1])
    return match[1] if (match := _YEAR.match(text)) else None


def _iso(year: str, month: str, day: str | None = None) -> str:
    date = f"{year}-{MONTHS[month.lower()]:02d}"
    return f"{date}-{int(day):02d}" if day and 1 <= int(day) <= 31 else date


def _reach(anchor: Token) -> Iterator[Token]:
    """The words under an anchor, without other clauses and without the subject."""
    for child in anchor.children:
        if child.dep_ in _BARRED or (child.dep_ == "conj" and child.pos_ in ("VERB", "AUX")):
            continue
        yield child
        yield from _reach(child)


def _note(token: Token, starts: list[str], ends: list[str]) -> None:
    if token.dep_ == "npadvmod":
        starts.extend(_dates(token)[:1])
    if token.dep_ != "prep":
        return
    for end in (child for child in token.children if child.dep_ == "pobj"):
        dates = _dates(end)
        if token.lower_ == "between" or (token.lower_ in _FROM and _RANGE.match(token.doc.text, end.left_edge.idx)):
            starts.extend(dates[:1])
            ends.extend(dates[1:2])
        elif token.lower_ in _FROM:
            starts.extend(dates)
        elif token.lower_ in _UNTIL:
            ends.extend(dates)


def _dates(token: Token) -> list[str]:
    """The dates a noun phrase is: one, or two joined by "and" or a dash."""
    text = token.doc.text
    first = token.left_edge.idx
    if match := _RANGE.match(text, first):
        return [match[1], match[2]]
    found = [date_at(text[first : first + 40])]
    found += [date_at(text[c.left_edge.idx : c.left_edge.idx + 40]) for c in token.children if c.dep_ == "conj"]
    return [date for date in found if date]
