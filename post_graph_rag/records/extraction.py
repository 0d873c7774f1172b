"""What an extractor finds."""

from __future__ import annotations

from post_graph_rag.records.base import Record


class ExtractedEntity(Record):
    """A thing a passage names; `description` is what that passage says of it."""

    name: str
    type: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()


class ExtractedRelation(Record):
    """A statement a passage makes; the dates are ISO, possibly partial, and only those the text states."""

    subject: str
    predicate: str
    object: str
    description: str = ""
    negated: bool = False
    confidence: float = 1.0
    valid_from: str | None = None
    valid_to: str | None = None


class Extraction(Record):
    """All that was found in one passage."""

    entities: tuple[ExtractedEntity, ...] = ()
    relations: tuple[ExtractedRelation, ...] = ()
