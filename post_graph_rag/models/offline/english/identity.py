"""Which names of a passage name the same thing, what kind of thing it is, and which one is the topic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from post_graph_rag.models.offline.english.naming import Name, find_names
from post_graph_rag.models.offline.english.things import Passage, Thing
from post_graph_rag.models.offline.english.words import (
    HONOURS,
    KIND_OF_LABEL,
    KIND_OF_NAME_WORD,
    KIND_OF_NOUN,
    LEGAL_FORMS,
    NAME_TAILS,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

_HONOURS = re.compile(rf"(?:,? (?:{'|'.join(sorted(HONOURS)).upper()}))+$")
_PARENTHESIS = re.compile(r"\s*\(([^)]*)\)\s*$")


def identify(doc: Doc, title: str | None, known: Sequence[str]) -> Passage:
    """Find the names, join those of one thing, and take the title's thing as the topic where the text names it."""
    passage = Passage(doc)
    heading = _PARENTHESIS.sub("", title or "").strip()
    names = find_names(doc, names_to_know(title, known))
    by_key: dict[str, Thing] = {}
    for name in names:
        _place(passage, by_key, doc[name.start : name.end], name)
    _find_topic(passage, by_key, heading, title or "")
    for thing in passage.things:
        thing.kind = guess_kind(thing)
    return passage


def names_to_know(title: str | None, known: Sequence[str]) -> tuple[str, ...]:
    """The names to look for as they are: the title, as it may stand inside a sentence, and the known ones."""
    heading = _PARENTHESIS.sub("", title or "").strip()
    variants = (heading, heading[0].lower() + heading[1:], heading.lower()) if heading else ()
    return (*variants, *known)


def key_of(text: str) -> str:
    """How names are compared inside one passage: letters and digits, no case, no article."""
    words = re.findall(r"[^\W_]+", text.casefold())
    while len(words) > 1 and words[-1] in LEGAL_FORMS:
        words.pop()
    return " ".join(words[1:] if len(words) > 1 and words[0] == "the" else words)


def guess_kind(thing: Thing) -> str:
    """Kind by what the text calls the thing, else by its name's last word, else by the parser's commonest guess."""
    called = [KIND_OF_NOUN[noun] for noun in sorted(thing.nouns) if noun in KIND_OF_NOUN]
    if called:
        return max(sorted(set(called)), key=called.count)
    words = thing.name.casefold().split()
    if len(words) > 1 and words[-1] in KIND_OF_NAME_WORD:
        return KIND_OF_NAME_WORD[words[-1]]
    if len(words) > 2 and words[1] == "of" and words[0] in KIND_OF_NAME_WORD:
        return KIND_OF_NAME_WORD[words[0]]
    label = thing.labels.most_common(1)[0][0] if thing.labels else ""
    return "" if label == "PERSON" and "of" in words else KIND_OF_LABEL.get(label, "")


def _place(passage: Passage, by_key: dict[str, Thing], span: Span, name: Name) -> None:
    thing = by_key.get(key_of(span.text))
    if thing is None:
        thing = by_key[key_of(span.text)] = Thing(_HONOURS.sub("", " ".join(span.text.split())))
        passage.things.append(thing)
    if len(span) > 1 and span[-1].lower_ in KIND_OF_NOUN:
        thing.nouns.add(span[-1].lower_)
    if name.label:
        thing.labels[name.label] += 1
    passage.at[span.root.i] = thing
    passage.within.update((token.i, thing) for token in span)


def _find_topic(passage: Passage, by_key: dict[str, Thing], heading: str, title: str) -> None:
    """The topic is the title's thing, or the first sentence's; a fuller form of the title is another name of it."""
    named, opening = by_key.get(key_of(heading)) if heading else None, _opening(passage)
    full = next((thing for thing in opening if thing is not named and _fuller(thing.name, heading)), None)
    if full is not None:
        if named is not None:
            merge(passage, named, full)
        full.aliases.append(full.name)
        named = full
    passage.topic = named or next(iter(opening), None)
    if named is not None:
        named.name = heading
        named.nouns.update(_hinted(title))


def _hinted(title: str) -> list[str]:
    """The noun that tells titles apart: "Name (1991 film)" is a film."""
    hint = _PARENTHESIS.search(title)
    return [word for word in hint.group(1).lower().split()[-1:] if word in KIND_OF_NOUN] if hint else []


def _opening(passage: Passage) -> list[Thing]:
    """The things the first sentence may be about: its subject, then what it begins with."""
    sentence = next(iter(passage.doc.sents))
    subjects = [token.i for token in sentence if token.dep_ in ("nsubj", "nsubjpass") and token.i in passage.at][:1]
    first = [token.i for token in sentence[:2] if token.i in passage.within][:1]
    return [passage.within[i] for i in (*subjects, *first)]


def _fuller(name: str, heading: str) -> bool:
    """Is `name` the title in full ("Ann Mary Lee" or "Annabel Lee" for "Ann Lee")?"""
    long, short = _bare(name), _bare(heading)
    if len(short) < 2 or len(long) < 2 or long[-1] != short[-1]:
        return False
    rest = iter(long)
    return all(word in rest for word in short) or long[0][0] == short[0][0]


def _bare(name: str) -> list[str]:
    """The words of a name without what follows a person's name."""
    return [word for word in key_of(name).split() if word not in NAME_TAILS]


def join_short_forms(passage: Passage) -> None:
    """A person's last or first name, or a part of an organization's, means the one longer name it fits.

    To be called when kinds are known.
    """
    for short in list(passage.things):
        fits = [thing for thing in passage.things if thing is not short and _shortens(passage, short, thing)]
        if passage.topic is not None and passage.topic in fits:
            fits = [passage.topic]
        elif len(fits) > 1:
            fits = [thing for thing in fits if _first(passage, thing) < _first(passage, short)]
        if len(fits) == 1 and short is not passage.topic:
            merge(passage, short, fits[0])


def _first(passage: Passage, thing: Thing) -> int:
    return min(i for i, found in passage.at.items() if found is thing)


def _shortens(passage: Passage, short: Thing, thing: Thing) -> bool:
    brief, full = _bare(short.name), _bare(thing.name)
    if not 0 < len(brief) < len(full) or short.name.isupper():
        return False
    if thing.is_person:
        return _is_personal(brief, full, short, thing is passage.topic or not _is_placed(passage, short))
    return thing.kind == "Organization" and short.kind in ("Organization", "") and _is_end(brief, full)


def _is_placed(passage: Passage, thing: Thing) -> bool:
    """Is anything said to be in, at or from it, as with a place?"""
    heads = [passage.doc[i].head.lower_ for i, found in passage.at.items() if found is thing]
    return any(word in ("in", "at", "from", "near", "to") for word in heads)


def _is_personal(brief: list[str], full: list[str], short: Thing, likely: bool) -> bool:
    """A surname, which the parser may take for anything, or a first name."""
    if brief == full[-len(brief) :]:
        return likely and not short.nouns
    return brief == full[:1] and short.kind in ("Person", "")


def _is_end(brief: list[str], full: list[str]) -> bool:
    """The first words of a longer name, or its last word alone."""
    return full[: len(brief)] == brief or full[-1:] == brief


def merge(passage: Passage, short: Thing, thing: Thing) -> None:
    """Let every mention of `short` be one of `thing`."""
    passage.things.remove(short)
    thing.labels += short.labels
    thing.nouns |= short.nouns
    for places in (passage.at, passage.within):
        places.update({i: thing for i, found in places.items() if found is short})
