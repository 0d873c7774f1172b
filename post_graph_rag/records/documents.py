"""What goes into the library."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field, JsonValue

from post_graph_rag.given import Date, Given


class DocumentContext(Given):
    """What the caller knows of a document; it helps the extractor and is part of what 'unchanged' means."""

    title: str | None = None
    source: str | None = None
    summary: str | None = None
    known_names: tuple[str, ...] = ()


class Document(Given):
    """One text to index.

    text: the whole text; may be left out when `chunks` are given.
    key: identity in its space; default `source`, else the hash of the text.
    title: part of the context, since pronouns are read by it: the same text under another title is read anew, and is a
        passage of its own.
    observed_at: when the source says this was written or seen: an ISO date or instant, partial dates allowed ("2020").
    metadata: any JSON; a change of metadata alone costs no model call.
    chunks: passages already cut by the caller; they are taken as they are.
    """

    text: str = ""
    key: str | None = None
    source: str | None = None
    title: str | None = None
    metadata: Mapping[str, JsonValue] = Field(default_factory=dict)
    observed_at: Date | None = None
    space: str | None = None
    context: DocumentContext | None = None
    chunks: tuple[str, ...] | None = None
