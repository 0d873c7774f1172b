"""What the text calls a thing: its kind's nouns, a description in the text's words, other names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from post_graph_rag.models.offline.english.identity import guess_kind, key_of, merge
from post_graph_rag.models.offline.english.nouns import is_copula, is_negated, own_subject
from post_graph_rag.models.offline.english.things import Passage, Thing
from post_graph_rag.models.offline.english.words import KIND_OF_NOUN, PLACE_CLASSIFIERS, word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

LONGEST = 300  # characters of a description
_SAID = re.compile(
    r"\W*(?:\b(?:is|was|are|were|and|who) )*"
    r"(?:(?:better|best|also|formerly|previously|commonly|often|sometimes|informally|professionally) )?"
    r"\b(?:(?:known|abbreviated|referred)(?: to)?(?: \w+)? as|called|nicknamed|renamed(?: as)?"
    r"|a\.?k\.?a\.?|formerly|n[ée]e|born)"
    r"\W*(?:the)?\W*$",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\s*\([^()]*\)$")
_COUNTED = word_set("one some many most part member type kind form set")


def learn_nouns(passage: Passage) -> None:
    """Note which common nouns each thing is called by, and from them its kind; before pronouns are read."""
    for token in passage.doc:
        if is_copula(token) and not is_negated(token):
            _from_copula(passage, token)
        elif token.i in passage.at:
            _from_phrase(passage, token, passage.at[token.i])
    for thing in passage.things:
        thing.kind = guess_kind(thing)


def learn_aliases(passage: Passage) -> None:
    """Note other names the text gives a thing: "Name (N.)", "also known as Other"."""
    for token in passage.doc:
        thing = passage.at.get(token.i)
        owner = _alias_owner(passage, token, thing) if thing is not None else None
        if (
            thing is not None
            and owner is not None
            and owner is not thing
            and (owner.kind == thing.kind or not (owner.kind and thing.kind))
        ):
            _make_alias(passage, thing, owner)


def _make_alias(passage: Passage, thing: Thing, owner: Thing) -> None:
    if thing is passage.topic:
        thing, owner = owner, thing
    owner.aliases.append(thing.name)
    merge(passage, thing, owner)


def _from_copula(passage: Passage, verb: Token) -> None:
    subject = own_subject(verb)
    thing = passage.named(subject) if subject is not None else None
    if thing is None:
        _from_inverted(passage, verb, subject)
        return
    for noun in (child for child in verb.children if child.dep_ == "attr" and child.i not in passage.within):
        _call(thing, noun)
        if not thing.description and any(child.dep_ in ("det", "poss") for child in noun.children):
            said = passage.doc[noun.left_edge.i : noun.right_edge.i + 1].text
            thing.description = _shortened(f"{thing.name} {verb.text} {said}")


def _from_inverted(passage: Passage, verb: Token, subject: Token | None) -> None:
    """ "The director of the firm is Name"."""
    if subject is not None and subject.tag_ == "NN" and subject.i not in passage.within:
        for name in (child for child in verb.children if child.dep_ == "attr" and child.i in passage.at):
            _call(passage.at[name.i], subject)


def _from_phrase(passage: Passage, token: Token, thing: Thing) -> None:
    for noun in token.children:
        if noun.dep_ == "appos" and noun.i not in passage.within and noun.tag_ == "NN":
            _call(thing, noun)
            said = passage.doc[noun.left_edge.i : noun.right_edge.i + 1].text
            thing.description = thing.description or _shortened(f"{thing.name}, {said}")
        if noun.dep_ in ("compound", "nmod") and noun.i < token.i and noun.tag_ == "NN":
            _call(thing, noun)
    head = token.head
    if token.dep_ == "pobj" and head.lower_ == "of" and head.head.lower_ in PLACE_CLASSIFIERS:
        _call(thing, head.head)
    if any(child.lower_ == "born" and child.dep_ == "acl" for child in token.children):
        thing.nouns.add("person")
    if token.dep_ == "appos" and head.i not in passage.within and head.tag_ == "NN":
        _call(thing, head)


def _call(thing: Thing, noun: Token) -> None:
    if noun.lower_ in _COUNTED:
        noun = next((w for p in noun.children if p.lower_ == "of" for w in p.children if w.dep_ == "pobj"), noun)
    lemma = noun.lemma_.lower()
    if noun.lower_.endswith("works") and noun.pos_ == "NOUN":
        thing.nouns.add("factory")
    elif lemma in KIND_OF_NOUN:
        thing.nouns.add(lemma)


def _shortened(text: str) -> str:
    text = " ".join(text.split()).rstrip(" ,;:.")
    return text + "." if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0] + "…"


def _alias_owner(passage: Passage, token: Token, thing: Thing) -> Thing | None:
    """The other thing whose alias this name is, where the text says so right before it."""
    start = token.i
    while start and passage.within.get(start - 1) is thing:
        start -= 1
    before = passage.doc.text[token.sent.start_char : passage.doc[start].idx]
    said = _SAID.search(before)
    if said is None:
        other = _named_last(passage, token, before.removesuffix("(").rstrip())
        return other if before.endswith("(") and other and _abbreviates(thing.name, other.name) else None
    return _named_last(passage, token, _ASIDE.sub("", before[: said.start()]))


def _named_last(passage: Passage, token: Token, before: str) -> Thing | None:
    """The thing whose name ends the text before, which begins with the token's sentence."""
    end = token.sent.start_char + len(before)
    last = next((word for word in token.sent if word.idx + len(word) == end), None)
    return passage.within.get(last.i) if last is not None else None


def _abbreviates(short: str, name: str) -> bool:
    """Are these the initials of the name, in order ("I.B.M." or "IBM")?"""
    letters = [letter for letter in short.casefold() if letter.isalnum()]
    initials = iter(word[0] for word in key_of(name).split())
    return len(letters) > 1 and short.replace(".", "").isupper() and all(letter in initials for letter in letters)
