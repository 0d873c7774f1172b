"""What a user's schema lets through, and what a model can only have from its instructions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from post_graph_rag.kinds import coarse_type, type_key
from post_graph_rag.names import name_key, predicate_key
from post_graph_rag.records import DocumentContext, ExtractedEntity, ExtractedRelation, ExtractionSchema

_NO_CONTEXT = DocumentContext()
Types = Mapping[str, frozenset[str]]
"""The schema's types of the entities of a passage, by the keys of their names; of some, none is known."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A schema by its keys; an empty one lets everything through.

    types: spelling by key. predicates: name by the keys of it and its aliases. ends: keys of the types that subject and
        object of a predicate may have, by its key.
    """

    types: Mapping[str, str] = field(default_factory=dict)
    predicates: Mapping[str, str] = field(default_factory=dict)
    ends: Mapping[str, tuple[frozenset[str], frozenset[str]]] = field(default_factory=dict)
    strict: bool = False

    @classmethod
    def by(cls, schema: ExtractionSchema | None) -> Expected:
        """What this schema expects."""
        if schema is None:
            return cls()
        specs = schema.predicates.items()
        return cls(
            types={type_key(name): name for name in schema.entity_types},
            predicates={predicate_key(word): name for name, spec in specs for word in (name, *spec.aliases)},
            ends={predicate_key(name): (_keys(spec.subject_types), _keys(spec.object_types)) for name, spec in specs},
            strict=schema.strict,
        )

    def type_of(self, type_: str) -> str | None:
        """The key of the listed type that a type is, or is a kind of: a company is an organization."""
        return next((key for key in (type_key(type_), coarse_type(type_)) if key in self.types), None)

    def lists(self, type_: str) -> bool:
        """Whether a type is listed; all are where none is."""
        return not self.types or self.type_of(type_) is not None

    def spelled(self, entity: ExtractedEntity) -> ExtractedEntity:
        """The entity with its type as the schema writes it; a finer one gives way only where the schema is strict."""
        key = self.type_of(entity.type) if self.strict else type_key(entity.type)
        spelling = self.types.get(key or "", entity.type)
        return entity if spelling == entity.type else entity.model_copy(update={"type": spelling})

    def named(self, relation: ExtractedRelation) -> ExtractedRelation:
        """The relation by the name of its predicate, where it has an alias; which way it reads stays."""
        key = predicate_key(relation.predicate)
        name = self.predicates.get(key)
        if name is None or predicate_key(name) == key:
            return relation
        return relation.model_copy(update={"predicate": name})

    def makes(self, predicate: str) -> bool:
        """Whether a predicate is listed; all are where none is."""
        return not self.predicates or predicate_key(predicate) in self.predicates

    def fits(self, relation: ExtractedRelation, types: Types) -> bool:
        """Whether both ends may be ends of this predicate; one whose type is not known may be."""
        allowed = self.ends.get(predicate_key(relation.predicate), (frozenset(), frozenset()))
        ends = (types.get(name_key(end), frozenset()) for end in (relation.subject, relation.object))
        return all(not may or not has or may & has for may, has in zip(allowed, ends, strict=True))

    def types_among(self, entities: Iterable[ExtractedEntity]) -> Types:
        """The types of these entities, by name and alias."""
        found: dict[str, frozenset[str]] = {}
        for entity in entities:
            key = self.type_of(entity.type)
            for name in map(name_key, (entity.name, *entity.aliases)):
                found[name] = found.get(name, frozenset()) | ({key} if key else set())
        return found


def _keys(types: Iterable[str]) -> frozenset[str]:
    return frozenset(map(type_key, types))


@dataclass(frozen=True, slots=True)
class Told:
    """What a model was given: the instructions of the prompt, and what it could read of the document."""

    instructions: str = ""
    text: str = ""
    context: DocumentContext = _NO_CONTEXT
    known_names: Sequence[str] = ()

    def leaked(self, name: str) -> bool:
        """Whether a name stands in the instructions, word for word, and nowhere in what the model read."""
        if name not in self.instructions or not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self.instructions):
            return False
        return _plain(name) not in _plain("\n".join(self._read()))

    def _read(self) -> Iterator[str]:
        yield self.text
        yield from filter(None, (self.context.title, self.context.source, self.context.summary))
        yield from self.context.known_names
        yield from self.known_names


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
