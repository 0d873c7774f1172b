"""Whom or what a pronoun or a noun like "the company" means: only where one reading is clearly the likeliest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from post_graph_rag.models.offline.english.nouns import own_subject, things_of, ties
from post_graph_rag.models.offline.english.things import Passage, Thing
from post_graph_rag.models.offline.english.words import (
    BUSINESS_NOUNS,
    FEMALE_NOUNS,
    GROUP_NOUNS,
    KIND_OF_NOUN,
    MALE_NOUNS,
    word_set,
)

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_MALE = word_set("he him his himself")
_FEMALE = word_set("she her hers herself")
_NEUTRAL = word_set("it its itself")
_PLURAL = word_set("they their them")
_SUBJECTS = ("nsubj", "nsubjpass")


@dataclass(slots=True)
class _Focus:
    """What the text is speaking of: the last subject, person or not, and the things named lately, by sentence."""

    person: Thing | None = None
    other: Thing | None = None
    last: list[Thing] = field(default_factory=list)
    now: list[Thing] = field(default_factory=list)


def resolve_references(passage: Passage) -> None:
    """Fill `passage.meant`, sentence by sentence, the subject of a sentence being what the next one speaks of."""
    focus = _Focus()
    _set(focus, passage.topic)
    for sentence in passage.doc.sents:
        focus.last, focus.now = focus.now, []
        _read(passage, focus, sentence)
        _close(passage, focus, sentence)


def _read(passage: Passage, focus: _Focus, sentence: Span) -> None:
    for token in sentence:
        if token.i in passage.within:
            thing = passage.at.get(token.i)
            if thing is not None:
                focus.now.append(thing)
                _lead(focus, token, thing)
            continue
        thing = _meant(passage, focus, token)
        if thing is not None:
            passage.meant[token.i] = thing
            _lead(focus, token, thing)
        else:
            _blur(passage, focus, token)


def _lead(focus: _Focus, token: Token, thing: Thing) -> None:
    """The subject of the main clause is in focus for the rest of its sentence already."""
    if token.dep_ in _SUBJECTS and token.head.dep_ == "ROOT":
        _set(focus, thing)


def _set(focus: _Focus, thing: Thing | None) -> None:
    if thing is not None and thing.is_person:
        focus.person = thing
    elif thing is not None:
        focus.other = thing


def _close(passage: Passage, focus: _Focus, sentence: Span) -> None:
    """At a sentence's end its subject, or what the subject is said to be, is in focus."""
    subject = own_subject(sentence.root)
    if subject is not None:
        complements = [child for child in sentence.root.children if child.dep_ == "attr"]
        found = [thing for word in (subject, *complements) for thing in things_of(passage, word)]
        _set(focus, found[0] if found else None)


def _blur(passage: Passage, focus: _Focus, token: Token) -> None:
    """An unnamed subject that belongs to nothing named ("the observatory") is what a later "its" may mean."""
    if token.dep_ not in _SUBJECTS or token.pos_ != "NOUN" or token.head.dep_ != "ROOT":
        return
    if things_of(passage, token) or any(True for _ in ties(passage, token)):
        return
    if KIND_OF_NOUN.get(token.lemma_.lower()) == "Person":
        focus.person = None
    else:
        focus.other = None


def _meant(passage: Passage, focus: _Focus, token: Token) -> Thing | None:
    word = token.lower_
    if word in _MALE or word in _FEMALE:
        return _person(passage, focus, "m" if word in _MALE else "f")
    if word in _NEUTRAL:
        return focus.other
    if word in _PLURAL:
        return focus.other if focus.other and focus.other.nouns & GROUP_NOUNS else None
    return _definite(passage, focus, token)


def _person(passage: Passage, focus: _Focus, gender: str) -> Thing | None:
    candidates = [focus.person] if focus.person else _people(focus)
    fitting = [thing for thing in candidates if _gender(thing) in ("", gender)]
    if not fitting and passage.topic is not None and passage.topic.is_person and _gender(passage.topic) == gender:
        fitting = [passage.topic]
    if len(fitting) != 1:
        return None
    fitting[0].gender = gender
    return fitting[0]


def _people(focus: _Focus) -> list[Thing]:
    named = [thing for thing in (*focus.last, *focus.now) if thing.is_person]
    return list(dict.fromkeys(named))


def _gender(thing: Thing) -> str:
    if thing.gender:
        return thing.gender
    male, female = bool(thing.nouns & MALE_NOUNS), bool(thing.nouns & FEMALE_NOUNS)
    return "" if male == female else "m" if male else "f"


def _definite(passage: Passage, focus: _Focus, token: Token) -> Thing | None:
    if not _is_bare_definite(passage, token):
        return None
    noun = token.lemma_.lower()
    called = [thing for thing in passage.things if noun in thing.nouns and _is_before(passage, thing, token)]
    if len(called) == 1:
        return called[0]
    topic = passage.topic
    if called:
        return topic if topic in called else None
    same_kind = topic is not None and KIND_OF_NOUN.get(noun) == topic.kind
    same_kind = same_kind and topic is not None and (not topic.nouns or _is_business(noun, topic))
    rivals = [thing for thing in (*focus.last, *focus.now) if thing is not topic and topic and thing.kind == topic.kind]
    return topic if same_kind and not rivals else None


def _is_business(noun: str, thing: Thing) -> bool:
    """A maker, publisher or bank may be called "the company"."""
    return noun in ("company", "firm") and bool(thing.nouns & BUSINESS_NOUNS)


def _is_bare_definite(passage: Passage, token: Token) -> bool:
    """ "The company", "this film"; not "the other company", "the company of which", nor a name's own noun."""
    if token.tag_ != "NN" or token.dep_ in ("compound", "appos", "attr", "conj") or token.i in passage.within:
        return False
    children = list(token.children)
    article = [child for child in children if child.dep_ == "det" and child.lower_ in ("the", "this")]
    return bool(article) and all(child.dep_ in ("det", "punct", "case") for child in children)


def _is_before(passage: Passage, thing: Thing, token: Token) -> bool:
    return any(found is thing and i < token.i for i, found in passage.at.items())
