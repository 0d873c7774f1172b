"""Which stretches of a passage are names."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from post_graph_rag.models.offline.english.words import (
    HONOURS,
    KEPT_MODIFIERS,
    KIND_OF_LABEL,
    KIND_OF_NOUN,
    LEGAL_FORMS,
    MONTHS,
    SEASONS,
    TITLES,
    WEEKDAYS,
    word_set,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

MOST_WORDS = 12
_QUOTED = re.compile(r"[\"“]([A-Z0-9][^\"“”<>\n]{0,80}?)[,.]?[\"”]")
_NICKNAMED = re.compile(r"(?:[A-Z][\w.'’-]*\s){1,3}[\"“][A-Z]\w+[\"”](?:\s[A-Z][\w'’-]+){1,2}")
_CLOCK = re.compile(r"\d:\d")
_LEGAL_TAIL = r"(?:,? (?:Co|Inc|Ltd|LLC|Corp|plc|PLC|GmbH|AG)\b\.?)*"
_WORD = re.compile(r"[^\W\d_]+(?:['’]\w+)?")
_SMALL_WORDS = word_set("a an and as at but by de del der di for from in la le of on or s t the to van von with")
_NOT_NAMES = frozenset(MONTHS) | WEEKDAYS | SEASONS | word_set("ad bc bce ce am pm no. nos. vol. ibid pp.")
_LINKS = word_set("of de del di la le van von der al & - –")
_NOT_AT_EDGES = word_set("AUX VERB ADP CCONJ SCONJ ADV DET PRON PART")
_OTHER_LABELS = word_set("DATE TIME NORP LANGUAGE ORDINAL MONEY PERCENT QUANTITY")


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a passage: tokens start to end, and the parser's label if it gave one."""

    start: int
    end: int
    label: str = ""


def certain_names(text: str, known: Sequence[str]) -> list[tuple[int, int]]:
    """Where a text has names that need no parser: known ones, nicknamed people, quoted titles."""
    found: list[tuple[int, int]] = []
    nicknamed = (match.span() for match in _NICKNAMED.finditer(text))
    for start, end in (*_known(text, known), *nicknamed, *_quoted(text)):
        if all(end <= first or start >= last for first, last in found):
            found.append((start, end))
    return sorted(found)


def find_names(doc: Doc, known: Sequence[str]) -> list[Name]:
    """All names, in order, without overlaps: the certain ones, then what the parser recognises, then capitals."""
    taken: dict[int, Name] = {}
    for start, end in certain_names(doc.text, known):
        span = doc.char_span(start, end)
        if span is not None:
            quoted = "WORK_OF_ART" if doc.text[start - 1 : start] in ('"', "“") else ""
            name = _grown(doc, Name(span.start, span.end, _label_inside(span) or quoted))
            taken.update(dict.fromkeys(range(name.start, name.end), name))
    for name in (*_recognised(doc), *_capitalised(doc)):
        trimmed = _trim(doc, name, taken)
        if trimmed and _is_name(doc[trimmed.start : trimmed.end]):
            taken.update(dict.fromkeys(range(trimmed.start, trimmed.end), trimmed))
    taken.update((name.start, name) for name in _surnames(doc, taken))
    return sorted(set(taken.values()), key=lambda name: name.start)


def _surnames(doc: Doc, taken: Mapping[int, Name]) -> list[Name]:
    """The last words of people's full names where they stand alone, whatever the parser makes of them."""
    people = {name for name in taken.values() if name.label == "PERSON" and name.end - name.start > 1}
    surnames = {doc[name.end - 1].text for name in people if doc[name.end - 1].text.istitle()}
    return [Name(t.i, t.i + 1, "PERSON") for t in doc if t.text in surnames and t.i not in taken]


def _grown(doc: Doc, name: Name) -> Name:
    """A known name may stand inside a longer one ("Ann Mary Lee III" around "Mary Lee")."""
    start, end, parts = name.start, name.end, range(name.start, name.end)
    while start > 0 and _is_part(doc[start - 1]) and doc[start - 1].head.i in parts:
        start -= 1
    while end < len(doc) and _is_part(doc[end]) and (doc[end].head.i in parts or doc[end - 1].head.i == end):
        end += 1
    return Name(start, _past_honours(doc, end), name.label)


def _past_honours(doc: Doc, end: int) -> int:
    """The end of a name with the letters behind it: "Ann Lee, KC, MP"."""
    while end + 1 < len(doc) and doc[end].text == "," and doc[end + 1].lower_ in HONOURS and doc[end + 1].is_upper:
        end += 2
    return end


def _is_part(token: Token) -> bool:
    return token.pos_ == "PROPN" and token.text[0].isupper() and token.lower_ not in _NOT_NAMES | TITLES


def _known(text: str, known: Sequence[str]) -> Iterator[tuple[int, int]]:
    for name in sorted({name for name in known if len(name) > 2}, key=lambda name: (-len(name), name)):
        if name in text:
            yield from (m.span() for m in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w){_LEGAL_TAIL}", text))


def _quoted(text: str) -> Iterator[tuple[int, int]]:
    for match in _QUOTED.finditer(text):
        words = [word for word in _WORD.findall(match[1]) if word not in _SMALL_WORDS]
        if words and len(words) <= MOST_WORDS and all(word[0].isupper() for word in words):
            yield match.span(1)


def _recognised(doc: Doc) -> Iterator[Name]:
    for span in doc.ents:
        if span.label_ in KIND_OF_LABEL:
            yield from (_widen(doc, part) for part in _parts(span))


def _parts(span: Span) -> Iterator[Name]:
    """A recognised stretch with commas in it is a list taken for one name; a bracket or a sentence begins another."""
    start = span.start
    for token in span:
        if token.is_sent_start and token.i > start:
            yield Name(start, token.i, span.label_)
            start = token.i
        if token.text in (",", "(") and span.end - token.i > 1:
            yield Name(start, token.i, span.label_)
            start = token.i + 1
    yield Name(start, span.end, span.label_)


def _widen(doc: Doc, name: Name) -> Name:
    """Take in the rest of a name that was recognised by half, and the legal form behind it."""
    start, end = name.start, name.end
    while end < len(doc) and _continues(doc[end]) and doc[end].head.i <= end + 1:
        end += 1
    if (
        end < len(doc)
        and doc[end].text.isdigit()
        and doc[end].ent_type_ in ("", "CARDINAL")
        and doc[end].head.i == end - 1
    ):
        end += 1
    if end + 1 < len(doc) and doc[end].text == "," and doc[end + 1].lower_.rstrip(".") in LEGAL_FORMS:
        end += 2
    end = _past_honours(doc, end)
    while start > 0 and name.label != "PERSON" and _precedes(doc, start - 1):
        start -= 1
    return Name(start, end, name.label)


def _continues(token: Token) -> bool:
    return token.pos_ == "PROPN" and not token.ent_type_ and token.text[0].isupper() and token.lower_ not in _NOT_NAMES


def _precedes(doc: Doc, at: int) -> bool:
    """Is this the start of the name behind it: a proper noun, or an adjective of nation after "the"?"""
    if doc[at].ent_type_ == "NORP":
        return at > 0 and doc[at - 1].lower_ == "the"
    return _continues(doc[at]) and doc[at].head.i > at


def _capitalised(doc: Doc) -> Iterator[Name]:
    """Runs of proper nouns that no label covers, with small links and trailing numbers inside ("Title of Name 2")."""
    start = 0
    while start < len(doc):
        end = start
        while end < len(doc) and _belongs(doc, start, end):
            end += 1
        if end > start:
            yield Name(start, end)
        start = max(end, start + 1)


def _belongs(doc: Doc, start: int, end: int) -> bool:
    token = doc[end]
    if token.ent_type_ in KIND_OF_LABEL or token.ent_type_ in _OTHER_LABELS:
        return False
    if end > start and doc[end - 1].text == "-" and token.text[0].isupper():
        return True
    if token.pos_ == "PROPN" and (token.text[0].isupper() or token.text[0].isdigit()):
        return token.lower_ not in _NOT_NAMES and (end == start or not token.is_sent_start)
    if end == start:
        return False
    if token.like_num and token.text.isalnum():
        return token.head.i == end - 1 and token.dep_ in ("nummod", "appos")
    return token.lower_ in _LINKS and end + 1 < len(doc) and _may_link(doc, end)


def _may_link(doc: Doc, at: int) -> bool:
    before, after = doc[at - 1], doc[at + 1]
    if KIND_OF_NOUN.get(before.lower_) == "Person":
        return False
    if doc[at].text == "-":
        return not before.whitespace_ and not doc[at].whitespace_ and after.text[0].isupper()
    return after.pos_ == "PROPN" and after.text[0].isupper() and after.ent_type_ not in KIND_OF_LABEL


def _trim(doc: Doc, name: Name, taken: Container[int]) -> Name | None:
    """Drop articles, titles and punctuation at the ends, and what an earlier name has taken."""
    start, end = name.start, name.end
    while start < end and (_is_edge(doc[start]) or start in taken or _is_title(doc, start, end)):
        start += 1
    while end > start and (_is_edge(doc[end - 1]) or end - 1 in taken):
        end -= 1
    if start == end or any(i in taken for i in range(start, end)):
        return None
    return Name(start, end, name.label)


def _is_edge(token: Token) -> bool:
    if token.is_punct or token.is_space or token.tag_ in ("POS", "PRP", "PRP$"):
        return True
    return token.lower_ in ("a", "an", "the") or (token.text.islower() and token.pos_ in _NOT_AT_EDGES)


def _is_title(doc: Doc, start: int, end: int) -> bool:
    return doc[start].lower_ in TITLES and end - start > 1


def _is_name(span: Span) -> bool:
    if len(span) > MOST_WORDS or not any(letter.isupper() for letter in span.text) or _CLOCK.search(span.text):
        return False
    if all(token.lower_ in KEPT_MODIFIERS or KIND_OF_NOUN.get(token.lower_) == "Person" for token in span):
        return False
    if all(token.is_upper and token.lower_ in HONOURS for token in span):
        return False
    if all(token.lower_ in _NOT_NAMES or token.like_num or token.is_punct for token in span):
        return False
    return len(span) > 1 or _may_stand_alone(span[0])


def _may_stand_alone(token: Token) -> bool:
    word = token.lower_
    if len(word) < 2 or word in KIND_OF_NOUN or word in TITLES or word.rstrip(".") in LEGAL_FORMS:
        return False
    return token.pos_ not in ("PRON", "DET", "ADV", "ADP", "ADJ") and token.ent_type_ != "NORP"


def _label_inside(span: Span) -> str:
    return next((token.ent_type_ for token in span if token.ent_type_ in KIND_OF_LABEL), "")
