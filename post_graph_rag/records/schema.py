"""What a user wants to find: types and predicates, said once for the prompt, the gates and supersession."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal, Self

from pydantic import Field, model_validator

from post_graph_rag.directions import inverse
from post_graph_rag.errors import InputError
from post_graph_rag.given import Given
from post_graph_rag.kinds import type_key
from post_graph_rag.names import predicate_key
from post_graph_rag.records.rules import PredicateRule

MOST_CHARACTERS = 8_000
"""Of all words of a schema together: they go into every prompt."""


class PredicateSpec(Given):
    """What is to be known of one predicate.

    description: what it says of subject and object; shown to the model.
    subject_types, object_types: names among the schema's entity types; none given: any.
    single_per, exclusive: as `per` and `exclusive` of a PredicateRule; None leaves the rule that `set_rules` gave.
    aliases: other words for the same, in the same direction; what is found under one goes by the predicate's name.
    """

    description: str = ""
    subject_types: tuple[str, ...] = ()
    object_types: tuple[str, ...] = ()
    single_per: Literal["subject", "object", "pair"] | None = None
    exclusive: str | None = None
    aliases: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.exclusive is not None and self.single_per is None:
            raise InputError(
                "PredicateSpec cannot be made: exclusive says which predicates take turns, and needs single_per"
            )
        return self


class ExtractionSchema(Given):
    """The types and predicates of one's own field.

    entity_types: names with a description each, which may be empty. predicates: the same for relations.
    strict: drop what has another type or predicate, or ends of other types than a predicate takes; else it is kept. It
        is counted either way.

    A list that is empty sets no bounds. All words together have at most 8,000 characters, since each call carries them.
    Raises InputError for names that are empty or mean the same, for types that are not listed, for an alias that two
    predicates share, and for one that reads the other way round ("owned by" for "owns").
    """

    entity_types: Mapping[str, str] = Field(default_factory=dict)
    predicates: Mapping[str, PredicateSpec] = Field(default_factory=dict)
    strict: bool = False

    @property
    def rules(self) -> tuple[PredicateRule, ...]:
        """Which of its facts exclude one another."""
        return tuple(
            PredicateRule(predicate=name, per=spec.single_per, exclusive=spec.exclusive)
            for name, spec in self.predicates.items()
            if spec.single_per is not None
        )

    @model_validator(mode="after")
    def _check(self) -> Self:
        _refuse_doubles("entity types", map(type_key, self.entity_types))
        _refuse_doubles("predicates and aliases", self._predicate_keys())
        for name, spec in self.predicates.items():
            _refuse_unlisted(name, spec, self.entity_types)
            _refuse_turned(name, spec)
        _refuse_too_much(self._words())
        return self

    def _predicate_keys(self) -> Iterable[str]:
        for name, spec in self.predicates.items():
            yield from {predicate_key(word) for word in (name, *spec.aliases)}

    def _words(self) -> Iterable[str]:
        for name, description in self.entity_types.items():
            yield from (name, description)
        for name, spec in self.predicates.items():
            yield from (name, spec.description, *spec.subject_types, *spec.object_types)


def _refuse_doubles(what: str, keys: Iterable[str]) -> None:
    counted = Counter(keys)
    if not all(key.strip() for key in counted):
        raise InputError(f"ExtractionSchema cannot be made: among its {what} is an empty name")
    if doubles := [key for key, count in counted.items() if count > 1]:
        raise InputError(f"ExtractionSchema cannot be made: among its {what} these mean two things: {doubles[:5]}")


def _refuse_unlisted(name: str, spec: PredicateSpec, types: Mapping[str, str]) -> None:
    listed = set(map(type_key, types))
    unlisted = [type_ for type_ in (*spec.subject_types, *spec.object_types) if type_key(type_) not in listed]
    if unlisted:
        raise InputError(f"ExtractionSchema cannot be made: {name!r} takes types not in entity_types: {unlisted[:5]}")


def _refuse_turned(name: str, spec: PredicateSpec) -> None:
    turned = [alias for alias in spec.aliases if inverse(predicate_key(alias), predicate_key(name))]
    if turned:
        raise InputError(
            f"ExtractionSchema cannot be made: {turned[:5]} read from object to subject of {name!r}: list them as "
            "predicates of their own"
        )


def _refuse_too_much(words: Iterable[str]) -> None:
    if (length := sum(map(len, words))) > MOST_CHARACTERS:
        raise InputError(
            f"ExtractionSchema cannot be made: its words have {length} characters, at most {MOST_CHARACTERS} fit into "
            "a prompt: shorten descriptions or leave out what texts rarely say"
        )
