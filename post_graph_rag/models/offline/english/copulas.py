"""Statements made by "be": what a thing is of, in or to another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from post_graph_rag.models.offline.english.clauses import is_asserted
from post_graph_rag.models.offline.english.dates import period_of
from post_graph_rag.models.offline.english.nouns import (
    group,
    is_copula,
    is_negated,
    joined_ties,
    own_subject,
    phrase,
    subjects_of,
    things_of,
    ties,
)
from post_graph_rag.models.offline.english.things import Claim, Passage, Thing
from post_graph_rag.models.offline.english.words import KIND_OF_NOUN, word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

_PLACES = word_set("in at on near")
_PLAIN = word_set("from under with by behind")
_COMPLEMENTS = ("attr", "acomp")


def claims_of_copula(passage: Passage, verb: Token) -> Iterator[Claim]:
    """All statements one "is" or "was" makes between named things."""
    if not is_copula(verb) or not is_asserted(verb):
        return
    complements = [child for child in verb.children if child.dep_ in _COMPLEMENTS]
    for complement in complements:
        yield from _by_complement(passage, verb, complement)
    if not complements:
        yield from _whereabouts(passage, verb)


def _by_complement(passage: Passage, verb: Token, complement: Token) -> Iterator[Claim]:
    if complement.i in passage.within:
        return _identified(passage, verb, complement)
    if complement.pos_ == "ADJ" or complement.tag_ == "VBN":
        return _qualified(passage, verb, complement)
    return _classified(passage, verb, complement)


def _classified(passage: Passage, verb: Token, noun: Token) -> Iterator[Claim]:
    """ "A is the capital of B", "A is a novel by B and the sequel to C"."""
    subjects = subjects_of(passage, verb)
    for part, words, thing in joined_ties(passage, noun):
        anchor = verb if part is noun else part
        was = "was_" if _is_over(verb, part, anchor) else ""
        yield from (Claim(one, was + words, thing, anchor, 0.9, is_negated(verb)) for one in subjects)


def _is_over(verb: Token, noun: Token, anchor: Token) -> bool:
    """A role said in the past tense without dates must not read as if it were held now."""
    past = verb.tag_ == "VBD" and KIND_OF_NOUN.get(noun.lemma_.lower()) == "Person"
    return past and period_of(anchor) == (None, None)


def _identified(passage: Passage, verb: Token, name: Token) -> Iterator[Claim]:
    """ "The capital of A is B": B is the capital of A."""
    subject = own_subject(verb)
    if subject is None or subject.i in passage.within or things_of(passage, subject):
        return
    for words, owner in ties(passage, subject):
        yield from (Claim(one, words, owner, verb, 0.85, is_negated(verb)) for one in group(passage, name))


def _qualified(passage: Passage, verb: Token, adjective: Token) -> Iterator[Claim]:
    """ "A is famous for B", "A is close to B"."""
    for prep in (child for child in adjective.children if child.dep_ == "prep"):
        words = f"{adjective.lower_}_{prep.lower_}".replace("-", "_")
        for thing in (t for end in prep.children if end.dep_ == "pobj" for t in group(passage, end)):
            for subject in subjects_of(passage, verb):
                yield Claim(subject, words, thing, verb, 0.8, is_negated(verb))


def _whereabouts(passage: Passage, verb: Token) -> Iterator[Claim]:
    """ "A is in B", "A's headquarters are in B"."""
    subject = own_subject(verb)
    for prep in (child for child in verb.children if child.dep_ == "prep" and subject is not None):
        for place in (t for end in prep.children if end.dep_ == "pobj" for t in group(passage, end)):
            for one, words in _standing(passage, verb, prep.lower_, place):
                yield Claim(one, words, place, verb, 0.8, is_negated(verb))


def _standing(passage: Passage, verb: Token, prep: str, place: Thing) -> Iterator[tuple[Thing, str]]:
    subjects = subjects_of(passage, verb)
    if prep in _PLACES and place.kind == "Place":
        yield from ((one, f"located_{prep}") for one in subjects if not one.is_person)
        yield from _part_standing(passage, verb, prep) if not subjects else ()
    elif prep in _PLAIN:
        yield from ((one, f"is_{prep}") for one in subjects)


def _part_standing(passage: Passage, verb: Token, prep: str) -> Iterator[tuple[Thing, str]]:
    """Where a thing's part is: "A's headquarters are in B"."""
    subject = own_subject(verb)
    if subject is not None:
        part = phrase(passage, subject)
        yield from ((owner, f"{part}_{prep}") for words, owner in ties(passage, subject) if words == f"{part}_of")
