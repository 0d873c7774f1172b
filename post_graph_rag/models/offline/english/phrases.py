"""Statements made without a verb: appositions, possessions, places inside places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from post_graph_rag.models.offline.english.naming import MOST_WORDS
from post_graph_rag.models.offline.english.nouns import SUBJECTS, group, joined_ties, phrase, things_of
from post_graph_rag.models.offline.english.things import Claim, Passage, Thing
from post_graph_rag.models.offline.english.words import KIND_OF_NOUN, OFFICE_NOUNS, word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

LONGEST_ADDRESS = 3  # names: town, province, country; more of them make a list
_PLACES = word_set("in at near")


def claims_of_name(passage: Passage, token: Token) -> Iterator[Claim]:
    """All statements in the phrase around one name, or in "based" before one."""
    thing = passage.at.get(token.i)
    if thing is None:
        yield from _based(passage, token)
        return
    yield from _explained(passage, token, thing)
    yield from _introduced(passage, token, thing)
    yield from _titled(passage, token, thing)
    yield from _inside(passage, token, thing)


def _explained(passage: Passage, token: Token, thing: Thing) -> Iterator[Claim]:
    """ "Name, chief executive of Other, …"."""
    for noun in (child for child in token.children if child.dep_ == "appos" and child.i not in passage.within):
        for part, words, other in joined_ties(passage, noun):
            yield Claim(thing, words, other, part, 0.85)


def _introduced(passage: Passage, token: Token, thing: Thing) -> Iterator[Claim]:
    """ "Other's chief executive, Name, …"."""
    noun = token.head
    if token.dep_ == "appos" and noun.i not in passage.within and noun.tag_ == "NN":
        for part, words, other in joined_ties(passage, noun):
            yield Claim(thing, words, other, part, 0.8)


def _titled(passage: Passage, token: Token, thing: Thing) -> Iterator[Claim]:
    """ "his brother Name", "Other's founder Name", "Other founders Name and Name"."""
    start = min(i for i in range(token.i, max(token.i - MOST_WORDS, -1), -1) if passage.within.get(i) is thing)
    noun = token.doc[start - 1] if start else token
    if noun.tag_ not in ("NN", "NNS") or KIND_OF_NOUN.get(noun.lemma_.lower()) not in (thing.kind, "Person"):
        return
    if noun.dep_ not in ("compound", "nmod") or noun.i in passage.within:
        return
    for owner in _owners(passage, token, noun):
        yield from (Claim(one, f"{phrase(passage, noun)}_of", owner, noun, 0.75) for one in group(passage, token))


def _owners(passage: Passage, token: Token, noun: Token) -> list[Thing]:
    """Whose the title is: a possessive on name or noun, or an organization named right before it."""
    possessives = [child for word in (token, noun) for child in word.lefts if child.dep_ == "poss"]
    if possessives:
        return [thing for child in possessives for thing in things_of(passage, child)]
    before = noun.left_edge.i if noun.left_edge.i < noun.i and noun.left_edge.i in passage.within else noun.i - 1
    owner = passage.within.get(before)
    office = noun.lemma_.lower() in OFFICE_NOUNS
    return [owner] if office and owner is not None and owner.kind == "Organization" else []


def _based(passage: Passage, token: Token) -> Iterator[Claim]:
    """ "the Town-based company Name"."""
    if token.lower_ == "based" and token.dep_ == "amod":
        for place in (passage.at.get(child.i) for child in token.children if child.dep_ == "npadvmod"):
            if place is not None:
                yield from (Claim(one, "based_in", place, token, 0.85) for one in things_of(passage, token.head))


def _inside(passage: Passage, token: Token, thing: Thing) -> Iterator[Claim]:
    """ "Town, Province", "the Hall in Town"."""
    outer = _next_after_comma(passage, token, thing)
    if outer is not None and thing.kind == outer.kind == "Place":
        yield Claim(thing, "located_in", outer, token, 0.8)
    if "GPE" in thing.labels or thing.kind not in ("Place", "Organization"):
        return
    for prep in (child for child in token.children if child.dep_ == "prep" and child.lower_ in _PLACES):
        for place in (t for end in prep.children if end.dep_ == "pobj" for t in things_of(passage, end)):
            if place.kind == "Place":
                yield Claim(thing, f"located_{prep.lower_}", place, prep, 0.75)


def _next_after_comma(passage: Passage, token: Token, thing: Thing) -> Thing | None:
    """The name that follows with a comma between, where what comes after is not the rest of a list."""
    end = _end_of_name(passage, token.i)
    outer = _after_comma(passage, end)
    return None if outer is None or _is_listed(passage, token, end) else outer


def _after_comma(passage: Passage, end: int) -> Thing | None:
    comma = end + 1 < len(passage.doc) and passage.doc[end].text == ","
    thing = passage.within.get(end + 1) if comma else None
    last = _end_of_name(passage, end + 1) - 1 if thing is not None else end
    return None if any(word.dep_ in SUBJECTS for word in passage.doc[end : last + 1]) else thing


def _is_listed(passage: Passage, token: Token, end: int) -> bool:
    """ "A, B, and C" and "A, B or C" are lists; "A, B, where …" is an address."""
    parts = 1
    while _after_comma(passage, end) is not None:
        end, parts = _end_of_name(passage, end + 1), parts + 1
    rest = [word.lower_ for word in passage.doc[end : end + 2]]
    open_ended = any(word in ("and", "or", "etc", "etc.") for word in rest)
    return open_ended or parts > LONGEST_ADDRESS or token.dep_ == "conj"


def _end_of_name(passage: Passage, at: int) -> int:
    thing = passage.within[at]
    while passage.within.get(at) is thing:
        at += 1
    return at
