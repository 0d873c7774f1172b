"""Statements made by verbs other than "be": who did what to whom, where, for whom, by whom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from post_graph_rag.models.offline.english.clauses import Clause, participle_of, read_clause, snake
from post_graph_rag.models.offline.english.nouns import group, joined_ties, phrase, ties
from post_graph_rag.models.offline.english.things import Claim, Passage, Thing
from post_graph_rag.models.offline.english.words import (
    EMPTY_VERBS,
    LOOSE_PREPOSITIONS,
    MEASURE_NOUNS,
    MOTION_VERBS,
    NAMING_VERBS,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

_OBJECTS = ("dobj", "attr", "oprd")
_PREPOSITIONS = ("prep", "agent")


def claims_of_verb(passage: Passage, verb: Token) -> Iterator[Claim]:
    """All statements one verb makes between named things."""
    clause = read_clause(passage, verb)
    if clause is None or verb.lemma_ in EMPTY_VERBS:
        return
    holder = _holder(verb)
    direct = [child for child in holder.children if child.dep_ in _OBJECTS]
    yield from _by_object(passage, clause, direct)
    for prep in (child for child in holder.children if child.dep_ in _PREPOSITIONS):
        if not _is_loose(passage, clause, prep):
            yield from _by_preposition(passage, clause, direct, prep)


def _holder(verb: Token) -> Token:
    """The verb that holds the arguments: in "written and directed by Name" both verbs share the second's."""
    if any(child.dep_ in (*_OBJECTS, *_PREPOSITIONS) for child in verb.children):
        return verb
    for child in verb.children:
        if (
            child.dep_ == "conj"
            and child.tag_ == verb.tag_ == "VBN"
            and not any(c.dep_.startswith(("nsubj", "aux")) for c in child.children)
        ):
            return _holder(child)
    return verb


def _is_loose(passage: Passage, clause: Clause, prep: Token) -> bool:
    """Does the preposition not tie its noun to the subject by the verb?"""
    if prep.i in passage.within:
        return True
    if clause.verb.lemma_ in NAMING_VERBS:
        return prep.lower_ not in ("after", "for", "as")
    if prep.lower_ in LOOSE_PREPOSITIONS:
        return True
    ends = [child for child in prep.children if child.dep_ == "pobj"]
    return clause.verb.lemma_ in MOTION_VERBS and not any(group(passage, end) for end in ends)


def _by_object(passage: Passage, clause: Clause, direct: list[Token]) -> Iterator[Claim]:
    for child in direct:
        if child.dep_ == "oprd" and group(passage, child) and clause.verb.lemma_ in NAMING_VERBS:
            continue
        for words, thing in _reached(passage, child, True):
            for subject in clause.subjects:
                yield _claim(clause, subject, snake(clause.stem, words), thing, 1.0)


def _by_preposition(passage: Passage, clause: Clause, direct: list[Token], prep: Token) -> Iterator[Claim]:
    named = [thing for child in direct for thing in group(passage, child)]
    if any(child.pos_ == "PRON" and not group(passage, child) for child in direct):
        return
    common = [phrase(passage, c) for c in direct if not group(passage, c) and c.lemma_ not in MEASURE_NOUNS][:1]
    for words, thing in (
        found for end in prep.children if end.dep_ == "pobj" for found in _reached(passage, end, prep.lower_ == "as")
    ):
        if clause.verb.lemma_ == "know" and prep.lower_ == "as":
            yield from (_claim(clause, subject, words, thing, 0.9) for subject in clause.subjects if words)
        elif named and not clause.passive:
            predicate = snake(participle_of(clause.verb), prep.lower_, words)
            yield from (_claim(clause, one, predicate, thing, 0.8) for one in named)
        else:
            predicate = snake(clause.stem, *common, prep.lower_, words)
            yield from (_claim(clause, subject, predicate, thing, 0.9) for subject in clause.subjects)


def _claim(clause: Clause, subject: Thing, predicate: str, thing: Thing, factor: float) -> Claim:
    return Claim(subject, predicate, thing, clause.verb, round(clause.sureness * factor, 2), clause.negated)


def _reached(passage: Passage, token: Token, joined: bool) -> Iterator[tuple[str, Thing]]:
    """The things an object names, or those its common noun is tied to, with the words on the way.

    joined: also those that nouns joined to it by "and" are tied to.
    """
    found = group(passage, token)
    if found:
        yield from (("", thing) for thing in found)
        return
    if joined:
        yield from ((words, thing) for _, words, thing in joined_ties(passage, token))
    else:
        yield from ties(passage, token)
