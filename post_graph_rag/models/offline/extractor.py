"""The offline extractor: entities and relations found by grammar, without a language model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import unescape

from post_graph_rag.models.offline.english.copulas import claims_of_copula
from post_graph_rag.models.offline.english.coreference import resolve_references
from post_graph_rag.models.offline.english.dates import period_of
from post_graph_rag.models.offline.english.descriptions import learn_aliases, learn_nouns
from post_graph_rag.models.offline.english.identity import identify, join_short_forms, key_of, names_to_know
from post_graph_rag.models.offline.english.naming import certain_names
from post_graph_rag.models.offline.english.parser import parse
from post_graph_rag.models.offline.english.phrases import claims_of_name
from post_graph_rag.models.offline.english.things import Claim, Passage, Thing
from post_graph_rag.models.offline.english.verbs import claims_of_verb
from post_graph_rag.records import ExtractedEntity, ExtractedRelation, Extraction

LONGEST_PREDICATE = 6  # words; longer ones are sentences, not relations


def extract_offline(text: str, title: str | None = None, known_names: Sequence[str] = ()) -> Extraction:
    """Find the named things in an English text and what it states between them.

    Deterministic: the same text, title and names give the same result. Safe to call from several threads
    (parsing takes turns); it works at about 5,000 tokens a second on one core and does not await, so an event
    loop should call it in a thread. Precision goes before yield: a statement whose subject or object is not
    clearly a named thing is left out.

    text: one passage; markdown headings and table rows are not read.
    title: the document's title; pronouns and nouns such as "the company" may stand for what it names.
    known_names: names to recognise as they are, whatever the parser thinks of them.
    Returns the entities in the order of their first mention and the relations in the order of the text.
    Raises ConfigurationError when spaCy or its model is missing (extra `local`).
    """
    title = unescape(title) if title else None
    names = names_to_know(title, known_names)
    doc = parse(text, lambda block: certain_names(block, names))
    if doc is None:
        return Extraction()
    passage = identify(doc, title, known_names)
    learn_nouns(passage)
    join_short_forms(passage)
    learn_aliases(passage)
    resolve_references(passage)
    return Extraction(
        entities=tuple(_entities(passage)),
        relations=tuple(_relations(claim for claim in _claims(passage) if _is_sound(claim))),
    )


def _claims(passage: Passage) -> Iterator[Claim]:
    for token in passage.doc:
        yield from claims_of_copula(passage, token)
        yield from claims_of_verb(passage, token)
        yield from claims_of_name(passage, token)


def _is_sound(claim: Claim) -> bool:
    ends = {key_of(name) for name in (claim.subject.name, *claim.subject.aliases)}
    return key_of(claim.object.name) not in ends and claim.predicate.count("_") < LONGEST_PREDICATE


def _relations(claims: Iterable[Claim]) -> Iterator[ExtractedRelation]:
    """One relation for each statement; of those said twice, the first."""
    seen: set[tuple[object, ...]] = set()
    for claim in claims:
        identity = (claim.subject.name, claim.predicate, claim.object.name, claim.negated)
        if identity not in seen:
            seen.add(identity)
            yield _relation(claim)


def _relation(claim: Claim) -> ExtractedRelation:
    start, end = period_of(claim.anchor)
    return ExtractedRelation(
        subject=claim.subject.name,
        predicate=claim.predicate,
        object=claim.object.name,
        description=" ".join(claim.anchor.sent.text.split()),
        negated=claim.negated,
        confidence=claim.confidence,
        valid_from=start,
        valid_to=end,
    )


def _entities(passage: Passage) -> Iterator[ExtractedEntity]:
    yield from (_entity(thing) for thing in passage.things)


def _entity(thing: Thing) -> ExtractedEntity:
    aliases = tuple(dict.fromkeys(alias for alias in thing.aliases if alias != thing.name))
    return ExtractedEntity(name=thing.name, type=thing.kind or "Thing", description=thing.description, aliases=aliases)
