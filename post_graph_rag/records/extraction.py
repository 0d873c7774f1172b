"""What an extractor finds."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from post_graph_rag.records.base import Record

Gate = Literal[
    "empty_name",
    "pronoun",
    "prompt_name",
    "unknown_type",
    "empty_predicate",
    "predicate_alias",
    "unknown_predicate",
    "unfit_type",
    "vague_predicate",
    "negated_predicate",
    "self_loop",
    "low_confidence",
    "impossible_date",
    "duplicate",
]
"""What is looked at between the extractor's reply and the store; see docs/models.md for what each one stops."""


class ExtractedEntity(Record):
    """A thing a passage names; `description` is what that passage says of it."""

    name: str
    type: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()


class ExtractedRelation(Record):
    """A statement a passage makes; the dates are ISO, possibly partial, and only those the text states.

    evidence: words of the passage that the model gave as the beginning of what states it. span: where that stands, from
    and to which character of the passage; it is looked up, and no part of a reply.
    """

    subject: str
    predicate: str
    object: str
    description: str = ""
    negated: bool = False
    confidence: float = 1.0
    valid_from: str | None = None
    valid_to: str | None = None
    evidence: str = ""
    span: tuple[int, int] | None = Field(default=None, exclude=True)


class Extraction(Record):
    """All that was found in one passage."""

    entities: tuple[ExtractedEntity, ...] = ()
    relations: tuple[ExtractedRelation, ...] = ()
