"""The request that asks a model for the entities and relations of one passage."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from post_graph_rag.models.prompts import Prompts, fenced
from post_graph_rag.models.protocols import ChatRequest
from post_graph_rag.models.vocabulary import extraction_instructions
from post_graph_rag.records import DocumentContext, Extraction, Message

DOCUMENT_MARK = "---Document Text---"
# What a call may spend on things that are not the passage, in characters.
MOST_NAMES = 2_000
MOST_TITLE = 500
MOST_SUMMARY = 1_000
MOST_FOUND = 6_000

TEMPERATURE = 0.0
TEXT = {"type": "string"}
DATE = {"type": ["string", "null"]}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    # OpenAI's strict mode wants every key required and none beyond them.
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


ENTITY = {"name": TEXT, "type": TEXT, "description": TEXT, "aliases": _list(TEXT)}
RELATION = {
    "subject": TEXT,
    "predicate": TEXT,
    "object": TEXT,
    "description": TEXT,
    "negated": {"type": "boolean"},
    "confidence": {"type": "number"},
    "valid_from": DATE,
    "valid_to": DATE,
}
SCHEMA: Mapping[str, Any] = _object({"entities": _list(_object(ENTITY)), "relations": _list(_object(RELATION))})
QUOTING_SCHEMA: Mapping[str, Any] = _object(
    {"entities": _list(_object(ENTITY)), "relations": _list(_object({**RELATION, "evidence": TEXT}))}
)
"""The same where each relation begins to quote what states it, which costs about a fifth of the reply's tokens more."""


def extraction_request(
    text: str,
    context: DocumentContext,
    known_names: Sequence[str] = (),
    round: int = 0,
    previous: Extraction | None = None,
    prompts: Prompts | None = None,
    instructions: str | None = None,
    schema: Mapping[str, Any] = SCHEMA,
) -> ChatRequest:
    """Ask for what a passage holds, or, from round 1 on, for what the rounds before missed.

    text: the passage. context: what is known of its document. known_names: names already in the graph, most wanted
        first; as many as fit in 2,000 characters are told.
    previous: what was found so far, for round > 0.
    prompts: the engine's prompts; the shipped ones if None.
    instructions: from `extraction_instructions`, made once for many calls; those of the prompts if None.
    schema: of the reply, SCHEMA or QUOTING_SCHEMA.
    """
    prompts = prompts or Prompts()
    names = _within(MOST_NAMES, dict.fromkeys((*context.known_names, *known_names)))
    values = {"context": _context(context, names), "document": f"{DOCUMENT_MARK}\n{fenced('text', text)}"}
    if round > 0:
        asked = prompts["gleaning"].render(found=_found(previous or Extraction()), **values)
    else:
        asked = prompts["extraction_text"].render(**values)
    return ChatRequest(
        role="extraction",
        messages=(
            Message(role="system", content=instructions or extraction_instructions(prompts)),
            Message(role="user", content=asked.strip()),
        ),
        schema=schema,
        schema_name="extraction",
        temperature=TEMPERATURE,
        inputs={
            "text": text,
            "title": (context.title or "")[:MOST_TITLE],
            "known_names": json.dumps(names, ensure_ascii=False),
        },
        round=round,
    )


def prompt_version(
    prompts: Prompts,
    round: int = 0,
    instructions: str | None = None,
    schema: Mapping[str, Any] = SCHEMA,
    temperature: float = TEMPERATURE,
) -> str:
    """Hash of what shapes such a request besides its inputs; part of a stored reply's key.

    Of a user's schema only what the model is told counts: another alias or rule asks for nothing anew.
    """
    told = instructions or extraction_instructions(prompts)
    used = prompts.version("gleaning" if round else "extraction_text")
    shape = json.dumps([told, used, schema, temperature], sort_keys=True)
    return hashlib.blake2b(shape.encode(), digest_size=8).hexdigest()


def _context(context: DocumentContext, names: Sequence[str]) -> str:
    """Each piece as one JSON value, so that none can end its line and go on as an instruction."""
    lines = [
        ("Title of the document", context.title and context.title[:MOST_TITLE]),
        ("Source of the document", context.source and context.source[:MOST_TITLE]),
        ("Summary of the document", context.summary and context.summary[:MOST_SUMMARY]),
        ("Known names", names or None),
    ]
    return "\n".join(f"{label}: {json.dumps(value, ensure_ascii=False)}" for label, value in lines if value)


def _found(previous: Extraction) -> str:
    triples = ([r.subject, f"not {r.predicate}" if r.negated else r.predicate, r.object] for r in previous.relations)
    entities = _within(MOST_FOUND // 3, (entity.name for entity in previous.entities))
    relations = _within(MOST_FOUND - MOST_FOUND // 3, (json.dumps(t, ensure_ascii=False) for t in triples))
    return f"Entities: {json.dumps(entities, ensure_ascii=False)}\nRelations: [{', '.join(relations)}]"


def _within(most: int, items: Iterable[str]) -> list[str]:
    """The first items that together have at most `most` characters; one that is too long is passed over."""
    kept = []
    for item in items:
        if len(item) <= most:
            kept.append(item)
            most -= len(item) + 4
    return kept
