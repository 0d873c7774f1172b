"""What was found in passages, as rows of the record."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from post_graph_rag.ingest.gates import readable_dates
from post_graph_rag.moments import period
from post_graph_rag.names import name_key, predicate_key, predicate_words
from post_graph_rag.records import ExtractedEntity, ExtractedRelation, Extraction

Found = Mapping[int, tuple[int, Extraction]]
Entities = Mapping[tuple[int, str], int]
Rows = dict[str, list[dict[str, Any]]]


def structure_rows(found: Found) -> tuple[list[tuple[int, str]], Callable[[Entities], Rows]]:
    """Rows of mentions, observations, claims and assertions for extractions by passage id and space.

    Returns the (space, key) pairs of all entities, and a function that makes the rows once these have ids.
    """
    named = {id: (space, list(_all_entities(extraction)), extraction) for id, (space, extraction) in found.items()}
    keys = sorted({(space, name_key(item.name)) for space, items, _ in named.values() for item in items})

    def rows(entities: Entities) -> Rows:
        made: Rows = {"mentions": [], "observations": [], "claims": [], "assertions": []}
        for passage, (space, items, extraction) in named.items():
            id_of = partial(_id_of, entities, space)
            _add_entities(made, passage, items, id_of)
            _add_relations(made, passage, extraction, id_of)
        return made

    return keys, rows


def _id_of(entities: Entities, space: int, name: str) -> int:
    return entities[space, name_key(name)]


def _all_entities(extraction: Extraction) -> Iterator[ExtractedEntity]:
    """Entities as found, and the ends of relations that were not listed."""
    yield from extraction.entities
    known = {name_key(item.name) for item in extraction.entities}
    for relation in extraction.relations:
        for name in (relation.subject, relation.object):
            if name_key(name) not in known:
                known.add(name_key(name))
                yield ExtractedEntity(name=name)


def _add_entities(made: Rows, passage: int, items: list[ExtractedEntity], id_of: Callable[[str], int]) -> None:
    mentioned: set[int] = set()
    for item in items:
        entity = id_of(item.name)
        if entity not in mentioned:
            mentioned.add(entity)
            made["mentions"].append({"passage": passage, "entity": entity})
        made["observations"].append(
            {
                "passage": passage,
                "entity": entity,
                "name": item.name,
                "type": item.type,
                "description": item.description,
                "digest": _digest(item),
            }
        )
        for alias in item.aliases:
            if name_key(alias) != name_key(item.name):
                claim = {"passage": passage, "entity": entity, "alias": alias, "key": name_key(alias)}
                made["claims"].append(claim)


def _digest(item: ExtractedEntity) -> bytes:
    return hashlib.sha256("\0".join((item.name, item.type, item.description)).encode()).digest()


def _add_relations(made: Rows, passage: int, extraction: Extraction, id_of: Callable[[str], int]) -> None:
    seen: set[tuple[Any, ...]] = set()
    for relation in extraction.relations:
        row = _assertion(passage, relation, id_of)
        what = (row["subject"], row["predicate"], row["object"], row["negated"], row["valid"])
        if what not in seen:
            seen.add(what)
            made["assertions"].append(row)


def _assertion(passage: int, relation: ExtractedRelation, id_of: Callable[[str], int]) -> dict[str, Any]:
    predicate = predicate_key(relation.predicate)
    denial = "not " if relation.negated else ""
    return {
        "passage": passage,
        "subject": id_of(relation.subject),
        "predicate": predicate,
        "object": id_of(relation.object),
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
