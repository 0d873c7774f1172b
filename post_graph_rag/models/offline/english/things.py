"""What reading a passage builds up: the things it names, and which word means which thing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


@dataclass(eq=False, slots=True)
class Thing:
    """One thing with a name. `nouns` are the common nouns the text calls it by, `labels` the parser's guesses."""

    name: str
    kind: str = ""
    nouns: set[str] = field(default_factory=set)
    aliases: list[str] = field(default_factory=list)
    description: str = ""
    labels: Counter[str] = field(default_factory=Counter)
    gender: str = ""

    @property
    def is_person(self) -> bool:
        return self.kind == "Person"


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement found. `anchor` is the word whose dates are the statement's dates."""

    subject: Thing
    predicate: str
    object: Thing
    anchor: Token
    confidence: float
    negated: bool = False


@dataclass(slots=True)
class Passage:
    """A parsed text under reading.

    at: the thing named at a token that heads a name; within: the thing of every token inside a name;
    meant: the thing a pronoun or a definite noun stands for; topic: what the passage is about.
    """

    doc: Doc
    things: list[Thing] = field(default_factory=list)
    at: dict[int, Thing] = field(default_factory=dict)
    within: dict[int, Thing] = field(default_factory=dict)
    meant: dict[int, Thing] = field(default_factory=dict)
    topic: Thing | None = None

    def named(self, token: Token) -> Thing | None:
        """The thing this token names or, as a pronoun or definite noun, stands for."""
        return self.at.get(token.i) or self.meant.get(token.i)
