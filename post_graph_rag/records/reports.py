"""What indexing reports."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

from pydantic import Field

from post_graph_rag.records.base import Record


class Progress(Record):
    """One step of an indexing call. `document` is the key at work; `done` and `total` count passages.

    Total grows as documents are looked up; a passage is done when it was read, needs no reading, or was given up.
    failed: of a document that keeps its old version, too.
    """

    stage: Literal["staged", "extracted", "published", "unchanged", "failed"]
    document: str
    done: int
    total: int


DocumentStatus = Literal["new", "changed", "metadata", "completed", "unchanged", "kept", "failed"]


class DocumentReport(Record):
    """What became of one document.

    status: metadata: only that changed; completed: unchanged, but pending structure was tried again; kept: no structure
        could be had for the new version, so the old one stays.
    passages: in the document now; new_passages: not known before; pending: passages still without structure.
    entities, relations: found in the passages that were extracted by this call (after the gates).
    model_calls, replayed: extraction calls made, and replies taken from the store instead.
    gates: how often each named gate dropped or mended something; repairs: the same for replies that had to be mended.
    pending_vectors: entity and relation vectors that could not be made yet; of documents that were written together,
        the first carries the number.
    replaced_characters: NUL and lone surrogates stored as U+FFFD.
    errors: what went wrong, in words; of what fails after all documents are committed, the first report tells.
    """

    key: str
    space: str
    status: DocumentStatus
    passages: int = 0
    new_passages: int = 0
    pending: int = 0
    pending_vectors: int = 0
    entities: int = 0
    relations: int = 0
    model_calls: int = 0
    replayed: int = 0
    gates: Mapping[str, int] = Field(default_factory=dict)
    repairs: Mapping[str, int] = Field(default_factory=dict)
    replaced_characters: int = 0
    errors: tuple[str, ...] = ()


class PendingReport(Record):
    """What `complete_pending` did."""

    passages_completed: int = 0
    passages_left: int = 0
    vectors_completed: int = 0
    vectors_left: int = 0
    errors: tuple[str, ...] = ()


ProgressCallback = Callable[[Progress], Awaitable[None] | None]
