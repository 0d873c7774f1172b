"""Each thing once, and every end of a relation named among the entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from post_graph_rag.records import ExtractedEntity, ExtractedRelation, Extraction


def tidied(
    entities: Iterable[ExtractedEntity], relations: Iterable[ExtractedRelation], repairs: Counter[str]
) -> Extraction:
    """Merge doubles (counted "duplicate") and add ends that only relations name (counted "endpoint")."""
    found = _merged_entities(entities, repairs)
    stated = _merged_relations(relations, repairs)
    ends = _missing_ends(found, stated)
    repairs["endpoint"] += len(ends)
    return Extraction(entities=(*found, *ends), relations=tuple(stated))


def _merged_entities(entities: Iterable[ExtractedEntity], repairs: Counter[str]) -> list[ExtractedEntity]:
    merged: dict[tuple[str, str], ExtractedEntity] = {}
    for entity in entities:
        key = (entity.name.casefold(), entity.type.casefold())
        repairs["duplicate"] += key in merged
        merged[key] = _joined(merged[key], entity) if key in merged else entity
    return _typed(merged)


def _typed(merged: dict[tuple[str, str], ExtractedEntity]) -> list[ExtractedEntity]:
    """An entity without a type is the one of that name which has one, if there is just one."""
    kinds: dict[str, list[str]] = {}
    for name, kind in merged:
        kinds.setdefault(name, []).append(kind)
    for name, found in kinds.items():
        if len(found) == 2 and "" in found:
            typed = (name, max(found))
            merged[typed] = _joined(merged[typed], merged.pop((name, "")))
    return list(merged.values())


def _joined(first: ExtractedEntity, second: ExtractedEntity) -> ExtractedEntity:
    description = first.description
    if second.description not in description:
        description = f"{description} {second.description}".strip()
    aliases = tuple(dict.fromkeys((*first.aliases, *second.aliases)))
    return first.model_copy(update={"description": description, "aliases": aliases})


def _merged_relations(relations: Iterable[ExtractedRelation], repairs: Counter[str]) -> list[ExtractedRelation]:
    merged: dict[tuple[object, ...], ExtractedRelation] = {}
    for relation in relations:
        ends = (relation.subject.casefold(), relation.predicate.casefold(), relation.object.casefold())
        key = (*ends, relation.negated, relation.valid_from, relation.valid_to)
        repairs["duplicate"] += key in merged
        known = merged.get(key)
        if known is None or relation.confidence > known.confidence:
            merged[key] = relation
    return list(merged.values())


def _missing_ends(entities: Iterable[ExtractedEntity], relations: Iterable[ExtractedRelation]) -> list[ExtractedEntity]:
    known = {name.casefold() for entity in entities for name in (entity.name, *entity.aliases)}
    missing: dict[str, ExtractedEntity] = {}
    for relation in relations:
        for name in (relation.subject, relation.object):
            if name.casefold() not in known:
                missing.setdefault(name.casefold(), ExtractedEntity(name=name))
    return list(missing.values())
