"""What a verb's clause is: stated or supposed, active or passive, about whom, in which words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from post_graph_rag.models.offline.english.inflection import participle, past, third_person
from post_graph_rag.models.offline.english.nouns import group, is_negated, own_subject, phrase, things_of, ties
from post_graph_rag.models.offline.english.things import Passage, Thing
from post_graph_rag.models.offline.english.words import (
    DOUBT_ADVERBS,
    DOUBT_VERBS,
    KIND_OF_NOUN,
    MODALS,
    REPORTING_VERBS,
    word_set,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

_CONDITIONS = word_set("if whether unless lest")


@dataclass(frozen=True, slots=True)
class Clause:
    """A verb that states something: of whom, how surely, and the words that begin its predicates."""

    verb: Token
    subjects: list[Thing]
    sureness: float
    passive: bool
    negated: bool
    stem: str


def read_clause(passage: Passage, verb: Token) -> Clause | None:
    """The clause of a verb, or None when the text does not state it."""
    if verb.pos_ != "VERB" or verb.i in passage.within or not is_asserted(verb):
        return None
    passive = is_passive(verb)
    subjects, sureness = _subjects(passage, verb, passive)
    stem = _stem(verb, passive)
    if passive and not subjects:
        subjects, part = _owners(passage, verb)
        sureness, stem = 0.75, snake(part, stem)
    return Clause(verb, subjects, sureness, passive, is_negated(verb), stem)


def is_asserted(verb: Token) -> bool:
    """Does the text state the clause, rather than ask, suppose, plan or ascribe it to somebody?"""
    if verb.sent.text.rstrip().endswith("?") or _is_hedged(verb):
        return False
    return all(_is_stated(word) for word in _chain(verb)) and not any(_is_hedged(word) for word in _hosts(verb))


def is_passive(verb: Token) -> bool:
    """Is the subject the one to whom it is done? A bare participle is passive when it hangs on a noun."""
    dependencies = {child.dep_ for child in verb.children}
    if dependencies & {"auxpass", "nsubjpass"}:
        return True
    if verb.tag_ not in ("VBN", "VBD") or own_subject(verb) is not None or "aux" in dependencies:
        return False
    return verb.dep_ in ("acl", "advcl") or (verb.dep_ == "conj" and verb.tag_ == "VBN" and is_passive(verb.head))


def participle_of(verb: Token) -> str:
    """The verb's past participle."""
    return verb.lower_ if verb.tag_ == "VBN" else participle(verb.lemma_)


def snake(*words: str) -> str:
    """Words joined to a predicate: lower case, underscores."""
    text = "_".join(word for word in words if word)
    return "".join(letter if letter.isalnum() else "_" for letter in text.lower())


def _chain(verb: Token) -> tuple[Token, ...]:
    return (verb, *verb.ancestors)


def _hosts(verb: Token) -> list[Token]:
    """The verbs this one is joined to: what is supposed of them is supposed of it."""
    hosts, word = [], verb
    while word.dep_ in ("conj", "advcl") and word.head is not word:
        word = word.head
        hosts.append(word)
    return [host for host in hosts if host.pos_ in ("VERB", "AUX")]


def _is_stated(word: Token) -> bool:
    """Does this link of the chain up to the sentence's root leave the clause stated?"""
    if word.dep_ in ("ccomp", "xcomp", "csubj", "pcomp") and not _is_reported(word):
        return False
    marks = {child.lower_ for child in word.children if child.dep_ == "mark"}
    return not (marks & _CONDITIONS or (word.dep_ == "acl" and marks))


def _is_reported(word: Token) -> bool:
    return word.dep_ == "ccomp" and (word.head.lemma_ in REPORTING_VERBS or word.i < word.head.i)


def _is_hedged(verb: Token) -> bool:
    auxiliaries = [child for child in verb.children if child.dep_ in ("aux", "auxpass")]
    if any(child.lower_ in MODALS or child.lower_ == "to" for child in auxiliaries):
        return True
    if verb.tag_ == "VB" and not any(child.lemma_ == "do" for child in auxiliaries):
        return True
    doubtful = any(child.dep_ == "advmod" and child.lower_ in DOUBT_ADVERBS for child in verb.children)
    return doubtful or verb.lemma_ in DOUBT_VERBS


def _subjects(passage: Passage, verb: Token, passive: bool) -> tuple[list[Thing], float]:
    """The things that are the verb's subject, and how sure it is that they are."""
    subject = own_subject(verb)
    if subject is not None:
        return group(passage, subject), _sureness(passage, subject)
    if verb.dep_ == "acl" and (passive or verb.tag_ == "VBG"):
        return things_of(passage, _head_of_participle(verb)), 0.85
    if verb.dep_ == "conj" and verb.head.pos_ in ("VERB", "AUX"):
        found, sureness = _subjects(passage, verb.head, is_passive(verb.head))
        return found, sureness * 0.95
    if verb.dep_ == "advcl" and (passive or verb.tag_ == "VBG") and not _has_marker(verb):
        subject = own_subject(verb.head)
        return (group(passage, subject) if subject is not None else []), 0.75
    return [], 0.0


def _head_of_participle(verb: Token) -> Token:
    """What a participle hangs on; behind a comma it is the thing, not the place it is in: "a hall at N, built by …"."""
    noun, before = verb.head, verb.left_edge.i - 1
    if before < 0 or verb.doc[before].text != "," or noun.dep_ != "pobj":
        return noun
    outer = noun.head.head
    return outer if outer.dep_ == "attr" else noun


def _owners(passage: Passage, verb: Token) -> tuple[list[Thing], str]:
    """Whose part the subject is: "N's cover was drawn by …" is said of N, as cover_drawn."""
    subject = own_subject(verb)
    if subject is None or subject.pos_ != "NOUN" or KIND_OF_NOUN.get(subject.lemma_.lower()) == "Person":
        return [], ""
    part = phrase(passage, subject)
    return [owner for words, owner in ties(passage, subject, 1) if words in (f"{part}_of", f"{part}_for")], part


def _sureness(passage: Passage, subject: Token) -> float:
    if subject.i in passage.at:
        return 0.95
    return 0.8 if subject.i in passage.meant else 0.85


def _has_marker(verb: Token) -> bool:
    return any(child.dep_ in ("mark", "advmod") and child.i < verb.i for child in verb.children)


def _stem(verb: Token, passive: bool) -> str:
    particles = [child.lower_ for child in verb.children if child.dep_ == "prt"]
    return snake(participle_of(verb) if passive else _active(verb), *particles)


def _active(verb: Token) -> str:
    if verb.tag_ in ("VBD", "VBG") or (verb.tag_ == "VBN" and verb.lower_.endswith("ed")):
        return verb.lower_
    did = any(child.lower_ == "did" for child in verb.children)
    return past(verb.lemma_) if did or verb.tag_ == "VBN" else third_person(verb.lemma_)
