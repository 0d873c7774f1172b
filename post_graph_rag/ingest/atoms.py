"""Text taken apart at its own joints: lines, sentences, and parts of giant ones, each with how strong its joint is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum

Count = Callable[[str], int]
"""Size of a text in tokens."""

Span = tuple[int, int]


class Joint(IntEnum):
    """How strong the joint before an atom is; a cut prefers the strongest.

    It depends only on the text up to the end of the atom's line, so text that is added later moves no cut.
    """

    GLUE = 0  # between a heading and what it heads
    WORD = 1
    SENTENCE = 2
    LINE = 3
    PARAGRAPH = 4
    HEADING = 5


@dataclass(frozen=True, slots=True)
class Atom:
    """What is not cut: offsets without blanks around, and its size in tokens with the blanks before it."""

    start: int
    end: int
    joint: Joint
    tokens: int


_SLICE = 32
"""Characters to a part of a word that exceeds a whole passage; halved where they are still too many."""

_LINE = re.compile(r"\S[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*")
_BLANK_LINE = re.compile(r"\n\s*\n|\r\s*\r|[\f\u2029]")
_HEADING = re.compile(
    r"#{1,6}\s+\S.*|\*\*[^*]+\*\*:?|(?i:chapter|part|section|book|act|scene|appendix)\s+(?:\d+|[IVXLC]+)\b[^.!?]{0,60}"
)
_UNDERLINE = re.compile(r"[\s:|+]*+[-=]{3}[\s:|+=-]*+")
_SENTENCE_END = re.compile(
    r"(?<!\b[A-Z])(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bMrs)(?<![.!?…])[.!?…]++[\"'”’)\]]*+(?=\s++[^\sa-z])|[。！？।؟]+[」』”’）]*"
)
_OPEN_END = re.compile(r"[^.!?…:;|。！？।؟”\"')\]*]$")
_OPENING = "`\"'“‘(["
_INK = re.compile(r"\S")
_WORD = re.compile(r"\S+")
_WORDS = re.compile(r"\S+(?:\s+\S+){0,7}")


def atoms(text: str, limit: int, count: Count) -> Iterator[Atom]:
    """The atoms of a text in order; every character that is not blank is in exactly one.

    limit: tokens no atom exceeds by itself, save a single character that does.
    """
    end = 0
    for start, stop, joint in _pieces(text):
        tokens = count(text[end:stop])
        parts = [(start, stop)] if tokens <= limit else list(_parts(text, (start, stop), limit, count))
        for part in parts:
            tokens = tokens if len(parts) == 1 else count(text[end : part[1]])
            yield Atom(*part, joint if part[0] == start else Joint.WORD, tokens)
            end = part[1]


def _pieces(text: str) -> Iterator[tuple[int, int, Joint]]:
    """Sentences, none longer than its line, each with the joint before it."""
    before, end, heads = "", 0, False
    for match in _LINE.finditer(text):
        line = match[0].rstrip()
        joint = _line_joint(before, text[end : match.start()], line)
        joint = Joint.GLUE if heads else joint
        heads = _heads(line, joint)
        for start, stop in _sentences(line):
            yield match.start() + start, match.start() + stop, joint
            joint = Joint.SENTENCE
        before, end = line, match.start() + len(line)


def _line_joint(before: str, gap: str, line: str) -> Joint:
    paragraph = not before or _BLANK_LINE.search(gap) is not None
    if _is_heading(line, paragraph):
        return Joint.HEADING
    if before.endswith((":", "：")):
        return Joint.SENTENCE
    if paragraph:
        return Joint.PARAGRAPH
    if _UNDERLINE.fullmatch(line):
        return Joint.GLUE
    wrapped = line.lstrip(_OPENING)[:1].islower() and _OPEN_END.search(before) is not None
    return Joint.WORD if wrapped else Joint.LINE


def _is_heading(line: str, paragraph: bool) -> bool:
    return _HEADING.fullmatch(line) is not None or (paragraph and len(line) <= 60 and line.isupper())


def _heads(line: str, joint: Joint) -> bool:
    """Whether what follows the line must not be parted from it: a heading, or the rule under a title or table head."""
    return _is_heading(line, joint is Joint.HEADING) or (joint is Joint.GLUE and _UNDERLINE.fullmatch(line) is not None)


def _sentences(line: str) -> Iterator[Span]:
    start = 0
    for match in _SENTENCE_END.finditer(line):
        yield start, match.end()
        following = _INK.search(line, match.end())
        if following is None:
            return
        start = following.start()
    yield start, len(line)


def _parts(text: str, span: Span, limit: int, count: Count) -> Iterator[Span]:
    """The span itself if only the blanks before it were too much, else groups of words, words, slices of words."""
    if count(text[slice(*span)]) <= limit:
        yield span
        return
    for group in _WORDS.finditer(text, *span):
        if count(group[0]) <= limit:
            yield group.span()
        else:
            yield from _words(text, group.span(), limit, count)


def _words(text: str, span: Span, limit: int, count: Count) -> Iterator[Span]:
    for word in _WORD.finditer(text, *span):
        if count(word[0]) <= limit:
            yield word.span()
        else:
            yield from _slices(text, word.span(), limit, count)


def _slices(text: str, span: Span, limit: int, count: Count) -> Iterator[Span]:
    for start in range(span[0], span[1], _SLICE):
        yield from _halves(text, (start, min(start + _SLICE, span[1])), limit, count)


def _halves(text: str, span: Span, limit: int, count: Count) -> Iterator[Span]:
    start, end = span
    if end - start == 1 or count(text[start:end]) <= limit:
        yield span
        return
    middle = (start + end) // 2
    yield from _halves(text, (start, middle), limit, count)
    yield from _halves(text, (middle, end), limit, count)
