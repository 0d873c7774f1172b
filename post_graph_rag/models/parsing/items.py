"""From decoded values and tuple records to entities and relations, whatever names the model gave their fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from post_graph_rag.models.parsing import fields
from post_graph_rag.models.parsing.tuples import TupleRecord
from post_graph_rag.records import ExtractedEntity, ExtractedRelation

ENTITY_LISTS = frozenset({"entities", "entity", "nodes", "named_entities"})
RELATION_LISTS = frozenset({"relations", "triples", "relationships", "edges", "facts"})

ENTITY_FIELDS = {
    "name": ("name", "entity_name", "entity", "label"),
    "type": ("type", "entity_type", "category", "kind"),
    "description": ("description", "entity_description", "summary"),
    "aliases": ("aliases", "also_known_as", "alias"),
}
RELATION_FIELDS = {
    "subject": ("subject", "source", "source_entity", "src_id", "src", "head", "from"),
    "predicate": ("predicate", "relation", "relation_type", "relationship", "type", "label"),
    "object": ("object", "target", "target_entity", "tgt_id", "tgt", "tail", "to"),
    "description": ("description", "relationship_description", "fact"),
    "negated": ("negated", "negative"),
    "confidence": ("confidence",),
    "valid_from": ("valid_from", "start_date", "start", "since"),
    "valid_to": ("valid_to", "end_date", "end", "until"),
    "evidence": ("evidence", "quote"),
}
# Formats without a predicate have only a sentence about the pair.
UNNAMED_PREDICATE = "related to"
DEEPEST_WRAPPING = 3

Fields = Mapping[str, tuple[str, ...]]


class Collector:
    """Gathers what a reply holds; `recognised` tells an empty answer from one that cannot be read."""

    def __init__(self, repairs: Counter[str]) -> None:
        self.entities: list[ExtractedEntity] = []
        self.relations: list[ExtractedRelation] = []
        self.recognised = False
        self._repairs = repairs

    # ------------------------------------------------------------ JSON

    def read(self, value: Any, depth: int = 0) -> None:
        """Take in one decoded value: the whole answer, a wrapper round it, or a single item."""
        if not value:
            self.recognised = True
        elif isinstance(value, list):
            self._read_bare_list(value, depth)
        elif isinstance(value, Mapping):
            self._read_object(_lowered(value), depth)

    def _read_bare_list(self, items: list[Any], depth: int) -> None:
        for item in items:
            if isinstance(item, list) and all(isinstance(part, str) for part in item):
                self._relation(item)
            elif isinstance(item, Mapping) and depth <= DEEPEST_WRAPPING:
                self.read(item, depth + 1)

    def _read_object(self, value: Mapping[str, Any], depth: int) -> None:
        if _is_relation(value):
            self._relation(value)
        elif not self._read_lists(value) and not self._read_single_entity(value) and depth < DEEPEST_WRAPPING:
            for inner in value.values():
                if inner and isinstance(inner, Mapping | list):
                    self.read(inner, depth + 1)

    def _read_lists(self, value: Mapping[str, Any]) -> bool:
        known = [key for key in value if key in ENTITY_LISTS | RELATION_LISTS and not isinstance(value[key], str)]
        for key in known:
            (self._entity_list if key in ENTITY_LISTS else self._relation_list)(value[key])
        self.recognised = self.recognised or bool(known)
        return bool(known)

    def _read_single_entity(self, value: Mapping[str, Any]) -> bool:
        named = isinstance(value.get("name", value.get("entity_name", value.get("entity"))), str)
        if named:
            self._entity(value)
        return named

    def _entity_list(self, value: Any) -> None:
        if isinstance(value, Mapping) and "name" not in value:
            value = list(_named_items(value))
        for item in value if isinstance(value, list) else [value]:
            self._entity(item)

    def _relation_list(self, value: Any) -> None:
        for item in value if isinstance(value, list) else [value]:
            self._relation(item)

    def _entity(self, item: Any) -> None:
        if isinstance(item, list):
            item = dict(zip(("name", "type", "description"), item, strict=False))
        elif not isinstance(item, Mapping):
            item = {"name": item}
        self._add_entity(self._known(item, ENTITY_FIELDS))

    def _relation(self, item: Any) -> None:
        if isinstance(item, list) and len(item) == 3:
            self._add_relation(dict(zip(("subject", "predicate", "object"), item, strict=True)))
        elif isinstance(item, Mapping):
            self._add_relation(self._known(item, RELATION_FIELDS))
        elif item is not None:
            self._repairs["triple_shape"] += 1

    def _known(self, item: Mapping[str, Any], names: Fields) -> dict[str, Any]:
        item = _lowered(item)
        found: dict[str, Any] = {}
        used = set()
        for field, candidates in names.items():
            for key in candidates:
                if key in item and key not in used:
                    used.add(key)
                    found[field] = item[key]
                    break
        self._repairs["unknown_field"] += len(item) - len(used)
        return found

    # ------------------------------------------------------------ tuples

    def read_tuple(self, record: TupleRecord) -> None:
        """Take in one record; what stands behind the known fields, such as a strength of 1 to 10, has no place here."""
        self.recognised = True
        values = record.fields
        if record.kind == "entity":
            self._add_entity(dict(zip(("name", "type", "description"), values, strict=False)))
        elif len(values) >= 2:
            self._add_relation(dict(zip(("subject", "object", "description"), values, strict=False)))
        else:
            self._repairs["triple_shape"] += 1

    # ------------------------------------------------------------ records

    def _add_entity(self, raw: Mapping[str, Any]) -> None:
        name = fields.name_of(raw.get("name"), self._repairs)
        if name is None:
            return
        self.recognised = True
        self.entities.append(
            ExtractedEntity(
                name=name,
                type=fields.text_of(raw.get("type"), self._repairs),
                description=fields.text_of(raw.get("description"), self._repairs),
                aliases=fields.names_of(raw.get("aliases"), name, self._repairs),
            )
        )

    def _add_relation(self, raw: Mapping[str, Any]) -> None:
        subject = fields.name_of(raw.get("subject"), self._repairs)
        target = fields.name_of(raw.get("object"), self._repairs)
        evidence = fields.text_of(raw.get("evidence"), self._repairs)
        description = fields.text_of(raw.get("description"), self._repairs) or evidence
        predicate = self._predicate(raw, description)
        if subject is None or target is None or not predicate:
            return
        self.recognised = True
        self.relations.append(
            ExtractedRelation(
                subject=subject,
                predicate=predicate,
                object=target,
                description=description,
                negated=fields.negated_of(raw.get("negated"), self._repairs),
                confidence=fields.confidence_of(raw.get("confidence"), self._repairs),
                valid_from=fields.moment_of(raw.get("valid_from"), self._repairs),
                valid_to=fields.moment_of(raw.get("valid_to"), self._repairs),
                evidence=evidence,
            )
        )

    def _predicate(self, raw: Mapping[str, Any], description: str) -> str:
        predicate = fields.text_of(raw.get("predicate"), self._repairs)
        if predicate:
            return predicate
        self._repairs["no_predicate"] += 1
        return UNNAMED_PREDICATE if description else ""


def _lowered(value: Mapping[str, Any]) -> dict[str, Any]:
    return {_plain_key(str(key)): item for key, item in value.items()}


@lru_cache(maxsize=1 << 10)
def _plain_key(key: str) -> str:
    return key.strip().lower().replace(" ", "_").replace("-", "_")


def _is_relation(value: Mapping[str, Any]) -> bool:
    return all(any(key in value for key in RELATION_FIELDS[end]) for end in ("subject", "object"))


def _named_items(value: Mapping[str, Any]) -> Iterable[Any]:
    """Entities given as a mapping: name to type, name to fields, or type to names."""
    for key, item in value.items():
        if isinstance(item, Mapping):
            yield {"name": key, **item}
        elif isinstance(item, list):
            yield from ({"name": name, "type": key} for name in item if isinstance(name, str))
        else:
            yield {"name": key, "type": item}
