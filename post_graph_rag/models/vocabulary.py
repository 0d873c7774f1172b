"""What an extractor is told once for all passages, with what a user wants to find.

The reply's JSON schema stays open: a model that may only choose from a list names something on it whether it fits or
not, while one that is told a list leaves out or says otherwise, which the gates can see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from post_graph_rag.clean import clean_text
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.records import ExtractionSchema, PredicateSpec


def extraction_instructions(prompts: Prompts, schema: ExtractionSchema | None = None, *, quoting: bool = False) -> str:
    """The rules and, where the user gave some, the words of the graph. quoting: evidence is asked for as well."""
    rules = prompts["extraction"].render()
    if quoting:
        rules = f"{rules}\n\n{prompts['evidence'].render()}"
    if schema is None or not (schema.entity_types or schema.predicates):
        return rules
    words = prompts["vocabulary_strict" if schema.strict else "vocabulary"]
    return f"{rules}\n\n{words.render(vocabulary=_listed(schema))}"


def _listed(schema: ExtractionSchema) -> str:
    return "\n".join((*_types(schema.entity_types), *_predicates(schema.predicates)))


def _types(types: Mapping[str, str]) -> Iterator[str]:
    if types:
        yield "Types:"
    for name, description in types.items():
        yield _line(name, description)


def _predicates(predicates: Mapping[str, PredicateSpec]) -> Iterator[str]:
    if predicates:
        yield "Predicates (type of subject > type of object):"
    for name, spec in predicates.items():
        ends = " > ".join(" or ".join(types) or "any" for types in (spec.subject_types, spec.object_types))
        bounded = spec.subject_types or spec.object_types
        yield _line(f"{name} ({ends})" if bounded else name, spec.description)


def _line(name: str, description: str) -> str:
    text = f"{name}: {description}" if description.strip() else name
    return "- " + " ".join(clean_text(text)[0].split())
