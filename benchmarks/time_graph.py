"""A large graph as texts would give it: few entities are named often, most rarely; drawn by a seed, without a database.

Facts lie in passages, passages in documents, documents arrive one after the other. Some facts are repeated. Of those
with the predicate LED one holds at a time for a subject: when a later one arrives, the one before is superseded.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property

import numpy as np

from benchmarks.time_words import LED, PREDICATES, TYPES, WordBag, names

FACTS = 12
"""Facts in a passage."""
PASSAGES = 10
"""Passages in a document."""
REPEATED = 0.12
"""Share of facts that were stated before."""
SUPERSEDED = 0.1
"""Share of relations that shall be superseded."""
ABOUT_TOPIC = 0.6
"""Share of facts whose subject is what their passage is about."""
LED_FACTS = 3
"""Facts of one subject of which only one holds at a time, on average."""
FIRST_DAY = date(1985, 1, 1)
DAYS = 14_000
Triple = tuple[int, str, int]


@dataclass(frozen=True, slots=True)
class Fact:
    """What a passage states: entities by number, dates as the text has them."""

    passage: int
    relation: int
    subject: int
    predicate: str
    object: int
    stated: tuple[str | None, str | None]
    words: str

    @property
    def triple(self) -> Triple:
        return self.subject, self.predicate, self.object


@dataclass(frozen=True)
class Graph:
    """Names by entity, the day of each document, all facts, passage by passage, and in which space each document and
    each entity is.

    Numbers of entities, passages, documents, relations and spaces begin at 0; relations are numbered as they come.
    """

    names: list[str]
    days: list[date]
    facts: list[Fact]
    filler: list[str]
    spaces: list[str] = field(default_factory=lambda: ["default"])
    document_spaces: list[int] = field(default_factory=list)
    entity_spaces: list[int] = field(default_factory=list)

    @cached_property
    def passages(self) -> list[list[Fact]]:
        """Facts by passage."""
        made: list[list[Fact]] = [[] for _ in self.filler]
        for fact in self.facts:
            made[fact.passage].append(fact)
        return made

    @cached_property
    def relations(self) -> list[Fact]:
        """The first fact of each relation, by its number."""
        first: dict[int, Fact] = {}
        for fact in self.facts:
            first.setdefault(fact.relation, fact)
        return list(first.values())

    def sentence(self, fact: Fact) -> str:
        """A fact in words, as `plain_facts` reads it."""
        start, end = fact.stated
        span = (f" from {start}" if start else "") + (f" until {end}" if end else "")
        return f"{self.names[fact.subject]} {fact.predicate} {self.names[fact.object]}{span} {fact.words}."

    def text(self, passage: int) -> str:
        """The whole text of a passage."""
        return "\n".join([*map(self.sentence, self.passages[passage]), self.filler[passage]])

    def type(self, entity: int) -> str:
        """What kind of thing an entity is."""
        return TYPES[entity % len(TYPES)]

    def document(self, passage: int) -> int:
        """Which document a passage stands in."""
        return passage // PASSAGES

    def space_of(self, passage: int) -> int:
        """In which space a passage is."""
        return self.document_spaces[self.document(passage)] if self.document_spaces else 0

    def home(self, entity: int) -> int:
        """In which space an entity is."""
        return self.entity_spaces[entity] if self.entity_spaces else 0


def draw_graph(relations: int, seed: int = 7) -> Graph:
    """A graph of this many relations, and of two fifths as many entities."""
    return Drawing(relations, max(40, relations * 2 // 5), seed).graph()


class Drawing:
    """Draws one passage after the other from a world of its own."""

    def __init__(self, relations: int, entities: int, seed: int) -> None:
        self._rng = random.Random(seed)
        self._wanted = relations
        self._names = names(entities, seed)
        self._bag = WordBag(max(2_000, relations // 5), seed)
        weights = (np.arange(len(self._names)) + 3.0) ** -0.8
        self._bounds = np.cumsum(weights / weights.sum()).tolist()
        # A slot with n facts supersedes n - 1 of them, if it has any; with three on average, 0.68 of its facts.
        self._led_share = SUPERSEDED / 0.683
        slots = max(1, int(relations * self._led_share) // LED_FACTS)
        self._led = self._rng.sample(range(len(self._names)), min(slots, len(self._names)))
        self._numbers: dict[Triple, int] = {}
        self._facts: list[Fact] = []
        self._days: list[date] = []
        self._filler: list[str] = []

    def graph(self) -> Graph:
        while len(self._numbers) < self._wanted:
            self._passage()
        return Graph(self._names, self._days, self._facts, self._filler)

    def _passage(self) -> None:
        if len(self._filler) % PASSAGES == 0:
            self._days.append(self._day())
        topic, day = self._entity(), self._days[-1]
        here: dict[int, Fact] = {}
        while not self._full(len(here)):
            fact = self._fact(topic, day)
            here.setdefault(fact.relation, fact)
        self._facts += here.values()
        self._filler.append(" ".join(self._bag.draw(30)) + ".")

    def _full(self, facts: int) -> bool:
        """Whether the passage under way, of so many facts, needs no more of them."""
        return facts >= FACTS or len(self._numbers) >= self._wanted

    def _day(self) -> date:
        """Documents arrive about in the order in which they were written."""
        share = len(self._numbers) / self._wanted + self._rng.gauss(0, 0.05)
        return FIRST_DAY + timedelta(days=int(min(max(share, 0), 1) * DAYS))

    def _entity(self) -> int:
        return self._rng.choices(range(len(self._names)), cum_weights=self._bounds)[0]

    def _anybody(self) -> int:
        return self._rng.randrange(len(self._names))

    def _fact(self, topic: int, day: date) -> Fact:
        chance = self._rng.random()
        if chance < REPEATED and (known := self._known()):
            return self._again(self._rng.choice(known))
        led = chance > 1 - self._led_share * (1 - REPEATED)
        subject = self._rng.choice(self._led) if led else self._subject(topic)
        predicate = LED if led else self._rng.choice(PREDICATES)
        other = self._entity()
        while other == subject:
            other = self._anybody()
        stated = (f"{day:%Y-%m}", None) if led else self._span(day)
        return self._numbered(subject, predicate, other, stated, " ".join(self._bag.draw(3)))

    def _known(self) -> list[Fact]:
        """Facts that may be stated again."""
        return self._facts

    def _subject(self, topic: int) -> int:
        return topic if self._rng.random() < ABOUT_TOPIC else self._entity()

    def _span(self, day: date) -> tuple[str | None, str | None]:
        if self._rng.random() > 0.4:
            return None, None
        start = self._rng.randint(day.year - 15, day.year)
        end = self._rng.randint(start, day.year) if self._rng.random() < 0.5 else None
        return str(start), None if end is None else str(end)

    def _again(self, fact: Fact) -> Fact:
        return self._numbered(fact.subject, fact.predicate, fact.object, fact.stated, fact.words)

    def _numbered(
        self, subject: int, predicate: str, other: int, stated: tuple[str | None, str | None], words: str
    ) -> Fact:
        number = self._numbers.setdefault((subject, predicate, other), len(self._numbers))
        return Fact(len(self._filler), number, subject, predicate, other, stated, words)


def questions(graph: Graph, count: int, seed: int = 11) -> list[str]:
    """Questions in the words of facts, the entities that are named often more often among them."""
    rng = random.Random(seed)
    return [_question(graph, rng.choice(graph.facts), rng.randrange(4)) for _ in range(count)]


def _question(graph: Graph, fact: Fact, form: int) -> str:
    subject, other = graph.names[fact.subject], graph.names[fact.object]
    forms: Sequence[str] = (
        f"Who {fact.predicate} {other}?",
        f"What is known of {subject} and {fact.words}?",
        f"What has {subject} to do with {other}?",
        f"Which things did {subject} have to do with after {fact.stated[0] or '2005'}?",
    )
    return forms[form]
