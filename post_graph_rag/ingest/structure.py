"""What was found in passages, as rows of the record."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from post_graph_rag.ingest.gates import readable_dates
from post_graph_rag.kinds import sense_of
from post_graph_rag.moments import period
from post_graph_rag.names import name_key, predicate_key, predicate_words
from post_graph_rag.records import ExtractedEntity, ExtractedRelation, Extraction
from post_graph_rag.store.write import EntityKey

IdOf = Callable[[str, str], int]
"""The entity of a name and its type; the type is empty where the passage gives none."""
Found = Mapping[int, tuple[int, Extraction]]
Entities = Mapping[EntityKey, int]
Rows = dict[str, list[dict[str, Any]]]


def structure_rows(found: Found) -> tuple[list[EntityKey], Callable[[Entities], Rows]]:
    """Rows of mentions, observations, claims and assertions for extractions by passage id and space.

    A name whose type makes it another thing than its namesake is another entity (`kinds.sense_of`). Without a type it
    is what the passage else calls by it; what that leaves open, the live passages of all documents settle.

    Returns the (space, key, sense) of all entities, and a function that makes the rows once these have ids.
    """
    read = {id: _Read(space, extraction) for id, (space, extraction) in found.items()}
    keys = sorted({(one.space, *one.entity(item.name, item.type)) for one in read.values() for item in one.items})

    def rows(entities: Entities) -> Rows:
        made: Rows = {"mentions": [], "observations": [], "claims": [], "assertions": []}
        for passage, one in read.items():
            id_of = partial(_id_of, entities, one)
            _add_entities(made, passage, one.items, id_of)
            _add_relations(made, passage, one.extraction, id_of)
        return made

    return keys, rows


class _Read:
    """What was found in one passage: its entities, with the ends of relations that were not listed."""

    def __init__(self, space: int, extraction: Extraction) -> None:
        self.space, self.extraction = space, extraction
        self._senses: dict[str, set[int]] = {}
        for item in extraction.entities:
            self._senses.setdefault(name_key(item.name), set()).update({sense_of(item.type)} - {0})
        self.items = [*extraction.entities, *self._unlisted()]

    def entity(self, name: str, type_: str = "") -> tuple[str, int]:
        """Key and sense of a name: those of its type, else the only ones that the passage gives it, else none."""
        key, sense = name_key(name), sense_of(type_)
        only = self._senses.get(key, ())
        return key, sense or (next(iter(only)) if len(only) == 1 else 0)

    def _unlisted(self) -> Iterator[ExtractedEntity]:
        known = {self.entity(item.name, item.type) for item in self.extraction.entities}
        for relation in self.extraction.relations:
            for name in (relation.subject, relation.object):
                if (entity := self.entity(name)) not in known:
                    known.add(entity)
                    yield ExtractedEntity(name=name)


def _id_of(entities: Entities, read: _Read, name: str, type_: str = "") -> int:
    return entities[read.space, *read.entity(name, type_)]


def _add_entities(made: Rows, passage: int, items: list[ExtractedEntity], id_of: IdOf) -> None:
    entities = [id_of(item.name, item.type) for item in items]
    made["mentions"] += [{"passage": passage, "entity": entity} for entity in dict.fromkeys(entities)]
    for entity, item in zip(entities, items, strict=True):
        made["observations"].append(_observation(passage, entity, item))
        made["claims"] += _claims(passage, entity, item)


def _observation(passage: int, entity: int, item: ExtractedEntity) -> dict[str, Any]:
    return {
        "passage": passage,
        "entity": entity,
        "name": item.name,
        "type": item.type,
        "description": item.description,
        "digest": _digest(item),
    }


def _claims(passage: int, entity: int, item: ExtractedEntity) -> Iterator[dict[str, Any]]:
    """A claim for each alias that is another name."""
    own = name_key(item.name)
    for alias in item.aliases:
        if (key := name_key(alias)) != own:
            yield {"passage": passage, "entity": entity, "alias": alias, "key": key}


def _digest(item: ExtractedEntity) -> bytes:
    return hashlib.sha256("\0".join((item.name, item.type, item.description)).encode()).digest()


def _add_relations(made: Rows, passage: int, extraction: Extraction, id_of: IdOf) -> None:
    seen: set[tuple[Any, ...]] = set()
    for relation in extraction.relations:
        row = _assertion(passage, relation, id_of)
        what = (row["subject"], row["predicate"], row["object"], row["negated"], row["valid"])
        if what not in seen:
            seen.add(what)
            made["assertions"].append(row)


def _assertion(passage: int, relation: ExtractedRelation, id_of: IdOf) -> dict[str, Any]:
    predicate = predicate_key(relation.predicate)
    denial = "not " if relation.negated else ""
    return {
        "passage": passage,
        "subject": id_of(relation.subject, ""),
        "predicate": predicate,
        "object": id_of(relation.object, ""),
        "negated": relation.negated,
        "fact": relation.description or f"{relation.subject} {denial}{predicate_words(predicate)} {relation.object}",
        "stated_from": relation.valid_from,
        "stated_to": relation.valid_to,
        "valid": _valid(relation.valid_from, relation.valid_to),
        "confidence": relation.confidence,
        # Most realms ask for no evidence: a key that is not there is null to the statement.
        **({"span": f"[{relation.span[0]},{relation.span[1]})"} if relation.span else {}),
    }


def _valid(stated_from: str | None, stated_to: str | None) -> str | None:
    """The span that two stated dates make; None, which is undated, where they cannot be read.

    A start that cannot be read is open like one that is not stated. An end that cannot be read is an end all the same:
    an open one in its place would say that the fact still holds.
    """
    if readable_dates(stated_from, stated_to):
        return period(stated_from, stated_to)
    only_start_is_bad = readable_dates(None, stated_to) and not readable_dates(stated_from, None)
    return period(None, stated_to) if only_start_is_bad else None
