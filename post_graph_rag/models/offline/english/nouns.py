"""Noun phrases: which things a word stands for, and how a common noun ties its bearer to a named thing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from post_graph_rag.models.offline.english.things import Passage, Thing
from post_graph_rag.models.offline.english.words import (
    GROUP_CLASSIFIERS,
    KEPT_MODIFIERS,
    KIND_OF_NOUN,
    MEASURE_NOUNS,
    NEGATIONS,
    OFFICE_NOUNS,
    PLACE_CLASSIFIERS,
    PLURAL_IN_FORM,
    RELATIONAL_NOUNS,
    word_set,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

SUBJECTS = ("nsubj", "nsubjpass")
_TYING = word_set("of in for at from to by with on near about against under")
_PLACING = word_set("in on at near")
_FAR = 3  # nouns between a word and the name it is tied to, at most


def things_of(passage: Passage, token: Token) -> list[Thing]:
    """The things a word stands for: a name, a pronoun, a relative, a predicate noun of a thing, a classifier."""
    thing = passage.named(token)
    if thing is not None:
        return [thing]
    if token.tag_ in ("WDT", "WP", "WP$"):
        clause = _relative_clause(token)
        found = things_of(passage, clause.head) if clause is not None else []
        return [thing for thing in found if token.lower_ != ("which" if thing.is_person else "who")]
    if token.pos_ not in ("NOUN", "PROPN"):
        return []
    if token.dep_ == "appos":
        return things_of(passage, token.head)
    if token.dep_ == "attr" and is_copula(token.head):
        return [] if is_negated(token.head) else subjects_of(passage, token.head)
    return _introduced(passage, token)


def group(passage: Passage, token: Token) -> list[Thing]:
    """The things of a word and of all words joined to it by "and"."""
    found = things_of(passage, token)
    if not found or _is_alternative(token):
        return []
    for child in token.children:
        if child.dep_ == "conj" and child.pos_ in ("NOUN", "PROPN", "PRON"):
            found = found + group(passage, child)
    return list(dict.fromkeys(found))


def subjects_of(passage: Passage, verb: Token) -> list[Thing]:
    """The things of a verb's own subject."""
    subject = own_subject(verb)
    return group(passage, subject) if subject is not None else []


def own_subject(verb: Token) -> Token | None:
    """The word that is the verb's subject, if it has one of its own; a word in brackets is none."""
    subject = next((child for child in verb.children if child.dep_ in SUBJECTS), None)
    if subject is None or subject.i > verb.i:
        return subject
    return _before_bracket(subject, verb)


def _before_bracket(subject: Token, verb: Token) -> Token | None:
    """The subject itself, or for one inside brackets the word before them: "Name (born in Town) is …"."""
    depth, end = 0, subject.i
    for token in subject.doc[subject.i : verb.i]:
        depth += (token.text == "(") - (token.text == ")")
    if depth >= 0:
        return subject
    while end > subject.sent.start and subject.doc[end].text != "(":
        end -= 1
    return subject.doc[end - 1] if end > subject.sent.start else None


def joined_ties(passage: Passage, noun: Token) -> Iterator[tuple[Token, str, Thing]]:
    """`ties` of a noun and of those joined to it by "and", each with its noun; the last one's "of" may serve all."""
    nouns = [noun, *(child for child in noun.children if child.dep_ == "conj" and child.i not in passage.within)]
    for part in (part for part in nouns if not is_negated(part)):
        found = list(ties(passage, part))
        if not found and part.lemma_.lower() in RELATIONAL_NOUNS and not _has_determiner(nouns[-1]):
            found = [
                (f"{phrase(passage, part)}_of", thing)
                for words, thing in ties(passage, nouns[-1])
                if words.endswith("_of")
            ]
        yield from ((part, words, thing) for words, thing in found)


def ties(passage: Passage, noun: Token, far: int = _FAR) -> Iterator[tuple[str, Thing]]:
    """How a common noun leads to named things: "member of the council of N" gives ("member_of_council_of", N)."""
    if noun.pos_ not in ("NOUN", "PROPN", "ADJ") or noun.i in passage.within or far == 0:
        return
    if noun.lemma_.lower() in MEASURE_NOUNS:
        return
    words = phrase(passage, noun)
    for child in noun.children:
        if child.dep_ == "poss":
            yield from ((f"{words}_of", thing) for thing in things_of(passage, child))
        elif child.dep_ in ("compound", "nmod") and noun.lemma_.lower() in OFFICE_NOUNS:
            yield from ((f"{words}_of", t) for t in things_of(passage, child) if t.kind in ("Organization", ""))
        elif child.dep_ in ("prep", "agent") and child.lower_ in _TYING:
            yield from _through(passage, noun, words, child, far)


def _through(passage: Passage, noun: Token, words: str, prep: Token, far: int) -> Iterator[tuple[str, Thing]]:
    for end in (child for child in prep.children if child.dep_ == "pobj"):
        found = group(passage, end)
        yield from ((placed(noun, words, prep.lower_, thing), thing) for thing in found)
        if not found and prep.lower_ == "of":
            joined = "" if noun.lower_ in ("one", "some", "many", "most") else f"{words}_of_"
            yield from ((f"{joined}{path}", thing) for path, thing in ties(passage, end, far - 1))


def placed(noun: Token, words: str, prep: str, thing: Thing) -> str:
    """A place or organization that is a something in a place is simply located there."""
    standing = KIND_OF_NOUN.get(noun.lemma_.lower()) in ("Place", "Organization")
    if KIND_OF_NOUN.get(noun.lemma_.lower()) == "Organization" and prep == "on":
        return f"{words}_on"
    if standing and prep in _PLACING and thing.kind == "Place":
        return f"located_{prep}"
    return f"{words}_{prep}"


def phrase(passage: Passage, noun: Token) -> str:
    """The noun with the modifiers that matter, in snake case: "the former chief editors" gives former_chief_editor."""
    words = [child for child in noun.lefts if _is_kept(passage, child)]
    kept = [word for child in words for word in (*_inner(passage, child), child.lower_)]
    return "_".join(_clean(word) for word in (*kept[-3:], _singular(noun)) if _clean(word))


def _singular(noun: Token) -> str:
    return noun.lower_ if noun.lower_ in PLURAL_IN_FORM else noun.lemma_.lower()


def _has_determiner(noun: Token) -> bool:
    return any(child.dep_ in ("det", "poss") for child in noun.children)


def is_copula(verb: Token) -> bool:
    """Is this a "be" that says what something is, not a helper of another verb?"""
    return verb.lemma_ == "be" and verb.dep_ not in ("aux", "auxpass")


def is_negated(verb: Token) -> bool:
    """Is the word denied: "not", "never", "no", "no longer"?"""
    return any(
        child.dep_ == "neg" or (child.dep_ in ("advmod", "det", "cc", "preconj") and child.lower_ in NEGATIONS)
        for child in verb.children
    ) or any(child.lower_ == "longer" and any(c.lower_ == "no" for c in child.children) for child in verb.children)


def _is_kept(passage: Passage, child: Token) -> bool:
    if child.i in passage.within:
        return False
    if child.dep_ == "compound":
        return child.text.islower() or child.text.isupper() or child.lower_ in KEPT_MODIFIERS
    return child.dep_ in ("amod", "nmod") and (child.lower_ in KEPT_MODIFIERS or child.tag_ == "JJS")


def _inner(passage: Passage, child: Token) -> list[str]:
    return [inner.lower_ for inner in child.lefts if _is_kept(passage, inner)]


def _clean(word: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in word).strip("_")


def _relative_clause(pronoun: Token) -> Token | None:
    """The relative clause a pronoun opens."""
    return next((word for word in pronoun.ancestors if word.dep_ == "relcl"), None)


def _introduced(passage: Passage, noun: Token) -> list[Thing]:
    """ "The city of N" is N; "its founder, N," is N; "the N group" is N."""
    for child in noun.children:
        if (
            child.i in passage.at
            and child.dep_ in ("compound", "nmod")
            and noun.lower_ in GROUP_CLASSIFIERS
            and _is_the(noun)
        ):
            return [passage.at[child.i]] if child.i == noun.i - 1 else []
        if child.dep_ == "prep" and child.lower_ == "of" and noun.lower_ in PLACE_CLASSIFIERS and _is_the(noun):
            ends = [end for end in child.children if end.dep_ == "pobj"]
            return [thing for end in ends for thing in things_of(passage, end)]
        if child.i in passage.at and (child.dep_ == "appos" or _follows(passage, noun, child)):
            return group(passage, child) if noun.tag_ == "NNS" else [passage.at[child.i]]
    return []


def _follows(passage: Passage, noun: Token, name: Token) -> bool:
    """Does the name come right after the noun ("the band Name"), whatever the parser makes of its words?"""
    after = next((token for token in noun.doc[noun.i + 1 : noun.i + 3] if not token.is_quote), None)
    return after is not None and passage.within.get(after.i) is passage.at[name.i]


def _is_the(noun: Token) -> bool:
    return any(child.lower_ == "the" for child in noun.children)


def _is_alternative(token: Token) -> bool:
    return any(
        child.dep_ in ("cc", "preconj") and child.lower_ in ("or", "nor", "either", "neither", "but")
        for child in token.children
    )
