"""Rows of the record for a drawn graph, as indexing its documents in so many arrivals would have written them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from asyncpg import Range

from benchmarks.time_graph import PASSAGES, Fact, Graph
from benchmarks.time_history import SLOT, arrival, moment, period_rows, span, testimony
from benchmarks.time_words import LED
from post_graph_rag.clean import text_hash
from post_graph_rag.ingest.drafts import Draft, draft
from post_graph_rag.names import name_key, predicate_key, predicate_words
from post_graph_rag.periods import Closing, Span
from post_graph_rag.profiles import Said, Words, words_of
from post_graph_rag.records import Document
from post_graph_rag.store.rows import as_json
from post_graph_rag.terms import term_counts

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EXTRACTOR = "drawn"
SAMPLE = 24
"""Different observations that make an entity's profile."""
Row = tuple[Any, ...]
Observed = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Embedded:
    """Of a kind of things the ids, their spaces, whether they are current, and the texts their vectors are of."""

    kind: str
    ids: list[int]
    spaces: list[int]
    current: list[bool]
    texts: list[str]


class Rows:
    """Rows by table. Ids are numbers of the graph and 1; stamps: the belief time of each arrival."""

    def __init__(self, graph: Graph, stamps: Sequence[datetime]) -> None:
        self.graph = graph
        self.stamps = stamps
        self._since = [Range(stamp, None) for stamp in stamps]
        self._texts = [graph.text(passage) for passage in range(len(graph.passages))]
        self._observed = [self._observations(passage) for passage in range(len(graph.passages))]

    def tables(self) -> Iterator[tuple[str, str, Iterable[Row]]]:
        """Name, columns and rows of each table, in the order in which they refer to one another."""
        yield "space", "id name", list(enumerate(self.graph.spaces, 1))
        yield from self._documents()
        yield from self._entities()
        yield from self._statements()
        yield from self._relations()
        yield "posting", "kind space term id frequency length current", self._postings()

    # ------------------------------------------------------------ documents and passages

    def _documents(self) -> Iterator[tuple[str, str, Iterable[Row]]]:
        drafts = list(map(self._draft, range(len(self.graph.days))))
        yield (
            "document",
            "id space digest key",
            [(n + 1, self._space(n * PASSAGES), one.digest, one.key) for n, one in enumerate(drafts)],
        )
        names = "id document text_hash context_hash metadata_hash title source context metadata observed observed_text"
        yield "document_version", f"{names} recorded", (self._version(n, one) for n, one in enumerate(drafts))
        columns = "id space text_hash context_hash event text tokens extractor"
        yield "passage", columns, (self._passage(n, drafts[self.graph.document(n)]) for n in range(len(self._texts)))
        columns = "id version passage ordinal starts ends recorded"
        yield "document_passage", columns, self._links()

    def _draft(self, number: int) -> Draft:
        chunks = tuple(self._texts[number * PASSAGES : (number + 1) * PASSAGES])
        day = self.graph.days[number].isoformat()
        space = self.graph.spaces[self.graph.space_of(number * PASSAGES)]
        return draft(number, Document(key=f"report-{number}", chunks=chunks, observed_at=day), space)

    def _version(self, number: int, one: Draft) -> Row:
        context, metadata = as_json(one.context.model_dump(mode="json")), as_json(one.metadata)
        hashes = (one.text_hash, one.context_hash, one.metadata_hash)
        observed = (self._event(number * PASSAGES), one.observed_text)
        since = self._recorded(number * PASSAGES)
        return (number + 1, number + 1, *hashes, one.title, one.source, context, metadata, *observed, since)

    def _passage(self, number: int, one: Draft) -> Row:
        text = self._texts[number]
        tokens = len(text) // 4
        place = (number + 1, self._space(number))
        return (*place, text_hash(text), one.context_hash, self._event(number), text, tokens, EXTRACTOR)

    def _links(self) -> Iterator[Row]:
        for number, text in enumerate(self._texts):
            place = (number % PASSAGES, 0, len(text))
            yield (number + 1, self.graph.document(number) + 1, number + 1, *place, self._recorded(number))

    def _space(self, passage: int) -> int:
        return self.graph.space_of(passage) + 1

    def _home(self, entity: int) -> int:
        return self.graph.home(entity) + 1

    def _event(self, passage: int) -> Any:
        day = moment(self.graph.days[self.graph.document(passage)].isoformat())
        return _range(Span(day.start, day.end))

    def _recorded(self, passage: int) -> Any:
        return self._since[arrival(self.graph, passage, len(self.stamps))]

    # ------------------------------------------------------------ entities

    def _entities(self) -> Iterator[tuple[str, str, Iterable[Row]]]:
        keys = {entity: name_key(self.graph.names[entity]) for entity in self.profiles}
        first = self._first_seen()
        yield (
            "entity",
            "id space key sense canonical current",
            ((e + 1, self._home(e), k, 0, e + 1, True) for e, k in keys.items()),
        )
        yield "entity_presence", "entity recorded", ((e + 1, first[e]) for e in keys)
        names = ((e + 1, e + 1, self.graph.names[e], k, False, first[e]) for e, k in keys.items())
        yield "entity_name", "id entity name key alias recorded", names
        profiles = ((e + 1, w.name, w.type, w.description, False) for e, w in self.profiles.items())
        yield "entity_profile", "entity name type description pending", profiles

    @cached_property
    def profiles(self) -> dict[int, Words]:
        """Name, type and description of each entity that is mentioned."""
        said: dict[int, dict[Observed, None]] = {}
        for observed in self._observed:
            for entity, what in observed.items():
                said.setdefault(entity, {})[what] = None
        return {entity: _words(some) for entity, some in sorted(said.items())}

    def _observations(self, passage: int) -> dict[int, Observed]:
        """What a passage says of each entity: the first sentence that names it."""
        first: dict[int, Fact] = {}
        for fact in self.graph.passages[passage]:
            first.setdefault(fact.subject, fact)
            first.setdefault(fact.object, fact)
        return {entity: self._said(entity, fact) for entity, fact in first.items()}

    def _said(self, entity: int, fact: Fact) -> Observed:
        return self.graph.names[entity], self.graph.type(entity), self.graph.sentence(fact)

    def _first_seen(self) -> dict[int, Any]:
        first: dict[int, Any] = {}
        for passage, observed in enumerate(self._observed):
            for entity in observed:
                first.setdefault(entity, self._recorded(passage))
        return first

    # ------------------------------------------------------------ what passages say

    def _statements(self) -> Iterator[tuple[str, str, Iterable[Row]]]:
        pairs = [(passage, entity) for passage, observed in enumerate(self._observed) for entity in observed]
        mentions = ((n, p + 1, e + 1, self._recorded(p)) for n, (p, e) in enumerate(pairs, 1))
        yield "mention", "id passage entity recorded", mentions
        columns = "passage entity name type description digest recorded"
        yield "observation", columns, (self._observation(p, e) for p, e in pairs)
        columns = (
            "id passage subject predicate object negated fact stated_from stated_to valid event confidence recorded"
        )
        yield "assertion", columns, (self._assertion(n, fact) for n, fact in enumerate(self.graph.facts, 1))

    def _observation(self, passage: int, entity: int) -> Row:
        said = self._observed[passage][entity]
        return (passage + 1, entity + 1, *said, _digest(said), self._recorded(passage))

    def _assertion(self, number: int, fact: Fact) -> Row:
        triple = (fact.subject + 1, predicate_key(fact.predicate), fact.object + 1, False)
        stated = span(*fact.stated)
        dates = (*fact.stated, None if stated is None else _range(stated), self._event(fact.passage))
        said = self.graph.sentence(fact)
        return (number, fact.passage + 1, *triple, said, *dates, 1.0, self._recorded(fact.passage))

    # ------------------------------------------------------------ relations

    def _relations(self) -> Iterator[tuple[str, str, Iterable[Row]]]:
        columns = "id space subject predicate object negated fact current pending"
        yield "relation", columns, map(self._relation, self.graph.relations)
        yield "relation_period", "relation valid dated closed_by recorded", map(self._period, self._history)
        facts = list(enumerate(self.graph.facts, 1))
        evidence = ((f.relation + 1, n, f.passage + 1, self._recorded(f.passage)) for n, f in facts)
        yield "relation_evidence", "relation assertion passage recorded", evidence
        points = (row for n, fact in facts if fact.predicate == LED for row in self._points(n, fact))
        yield "slot_point", "slot at relation assertion", points
        led = predicate_key(LED)
        yield "predicate_rule", "id predicate per exclusive recorded", [(1, led, "subject", led, self._since[0])]

    def _relation(self, fact: Fact) -> Row:
        triple = (fact.subject + 1, predicate_key(fact.predicate), fact.object + 1, False)
        current = fact.relation in self.current
        return (fact.relation + 1, self._home(fact.subject), *triple, self._best[fact.relation], current, False)

    def _period(self, row: Any) -> Row:
        went = None if row.went is None else self.stamps[row.went]
        recorded, closing = Range(self.stamps[row.came], went), row.holding.closed_by
        valid = _range(row.holding.span)
        return (row.relation + 1, valid, row.holding.dated, None if closing is None else _closed(closing), recorded)

    def _points(self, number: int, fact: Fact) -> Iterator[Row]:
        for at in sorted(testimony(self.graph, fact).points()):
            yield SLOT.format(fact.subject + 1), at, fact.relation + 1, number

    @cached_property
    def _history(self) -> list[Any]:
        return list(period_rows(self.graph, len(self.stamps)))

    @cached_property
    def current(self) -> frozenset[int]:
        """Relations, by number, that nothing has superseded."""
        return frozenset(row.relation for row in self._history if row.went is None and row.holding.closed_by is None)

    @cached_property
    def _best(self) -> dict[int, str]:
        """The best wording of each relation: the fullest."""
        best: dict[int, str] = {}
        for fact in self.graph.facts:
            said = self.graph.sentence(fact)
            best[fact.relation] = max(best.get(fact.relation, ""), said, key=lambda text: (min(len(text), 300), text))
        return best

    # ------------------------------------------------------------ what channels search

    def _postings(self) -> Iterator[Row]:
        for number, text in enumerate(self._texts, 1):
            yield from _posted(1, self._space(number - 1), number, text, True)
        for entity in self.profiles:
            yield from _posted(2, self._home(entity), entity + 1, self.graph.names[entity], True)
        for fact in self.graph.relations:
            subject, other = (name_key(self.graph.names[end]) for end in (fact.subject, fact.object))
            words = f"{subject} {predicate_words(predicate_key(fact.predicate))} {other} {self._best[fact.relation]}"
            current = fact.relation in self.current
            yield from _posted(3, self._home(fact.subject), fact.relation + 1, words, current)

    def embedded(self) -> Iterator[Embedded]:
        """Of passages, entities and relations, what their vectors are of."""
        every = range(len(self._texts))
        spaces = list(map(self._space, every))
        yield Embedded("passage", [n + 1 for n in every], spaces, [True] * len(every), self._texts)
        described = [f"{words.name}: {words.description}" for words in self.profiles.values()]
        homes = list(map(self._home, self.profiles))
        yield Embedded("entity", [e + 1 for e in self.profiles], homes, [True] * len(homes), described)
        relations, names = self.graph.relations, self.graph.names
        triples = [f"{names[f.subject]} {f.predicate} {names[f.object]}" for f in relations]
        homes, current = [self._home(f.subject) for f in relations], [f.relation in self.current for f in relations]
        yield Embedded("relation", [f.relation + 1 for f in relations], homes, current, triples)


def _posted(kind: int, space: int, id: int, text: str, current: bool) -> Iterator[Row]:
    counts = term_counts(text)
    length = sum(counts.values())
    for term, frequency in counts.items():
        yield kind, space, term, id, frequency, length, current


def _words(observed: Iterable[Observed]) -> Words:
    sample = sorted(observed, key=lambda said: (-min(len(said[2]), 300), _digest(said)))[:SAMPLE]
    return words_of([Said(*said, own=True) for said in sample])


def _digest(observed: Observed) -> bytes:
    return hashlib.sha256("\0".join(observed).encode()).digest()


def _closed(closing: Closing) -> str:
    return as_json({"cause": closing.cause, "reason": closing.reason, "relations": sorted(closing.facts)})


def _range(span: Span) -> Any:
    return Range(*(None if at is None else EPOCH + timedelta(microseconds=at) for at in (span.start, span.end)))
