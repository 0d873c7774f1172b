"""A document on its way in: what is known of it before and after its passages were read by the models."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from post_graph_rag.clean import clean_json, clean_key, clean_space, clean_text, document_mark, key_digest, text_hash
from post_graph_rag.errors import BudgetExceeded, EmptyText
from post_graph_rag.ingest.chunks import Chunk
from post_graph_rag.moments import Moment
from post_graph_rag.records import Document, DocumentContext, DocumentStatus, Extraction
from post_graph_rag.store.rows import as_json
from post_graph_rag.terms import term_counts


@dataclass(slots=True, eq=False)
class PassageDraft:
    """A passage of a draft. `known` is its row's id where it already has structure and vector, so nothing is asked.

    vector: None where it has one already; extraction: None where it has structure already, or could not be had, and
    then `failure` says why; it is pending where `extractor` is empty.
    """

    chunk: Chunk
    text_hash: bytes
    tokens: int
    known: int | None = None
    vector: NDArray[np.float32] | None = None
    extraction: Extraction | None = None
    extractor: str | None = None
    failure: str | None = None
    _terms: Mapping[str, int] | None = None

    def terms(self) -> Mapping[str, int]:
        """Its lexical terms, counted once: asked for before it is written, since then others wait."""
        if self._terms is None:
            self._terms = term_counts(self.chunk.text)
        return self._terms


@dataclass(slots=True, eq=False)
class Draft:
    """A document to be written, with everything that does not depend on the database.

    held: passages of the version that is live; left: passages that are still to be read; refused: why a model was not
    asked about one of them.
    """

    number: int
    space: str
    key: str
    text: str
    text_hash: bytes
    context: DocumentContext
    context_hash: bytes
    title: str | None
    source: str | None
    metadata: Any
    metadata_hash: bytes
    observed: str | None
    observed_text: str | None
    given: tuple[str, ...] | None
    replaced: int
    status: DocumentStatus = "new"
    held: int = 0
    same_metadata: bool = False
    left: int = 0
    refused: BudgetExceeded | None = None
    passages: list[PassageDraft] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    gates: Counter[str] = field(default_factory=Counter)
    repairs: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    @property
    def digest(self) -> bytes:
        """Of the key; keys may be longer than an index row."""
        return key_digest(self.key)

    @property
    def mark(self) -> bytes:
        """What calls made for the document are marked with."""
        return document_mark(self.space, self.digest)

    @property
    def identity(self) -> tuple[str, bytes]:
        """Space and digest: what makes two drafts the same document."""
        return self.space, self.digest

    def restart(self) -> None:
        """Forget what was found of it and done with it."""
        self.passages, self.errors = [], []
        self.counts, self.gates, self.repairs = Counter(), Counter(), Counter()

    def unique_passages(self) -> dict[bytes, PassageDraft]:
        """Passages by text: one that stands twice in the document is read once."""
        unique: dict[bytes, PassageDraft] = {}
        for passage in self.passages:
            unique.setdefault(passage.text_hash, passage)
        return unique


def draft(number: int, document: Document, default_space: str) -> Draft:
    """Clean a document and compute its identity.

    Raises EmptyText for a text without anything in it, InputError for a space, date or metadata that cannot be stored.
    """
    text, replaced = clean_text(document.text)
    cleaned = [clean_text(chunk) for chunk in document.chunks or ()]
    chunks = tuple(chunk for chunk, _ in cleaned)
    if not (text.strip() or any(chunk.strip() for chunk in chunks)):
        named = document.key or document.source
        raise EmptyText(named and f"The text of {named[:200]!r} is empty or only blanks: there is nothing to index.")
    given_hash = text_hash("\0".join((document.text, *(document.chunks or ()))))
    title, source = _clean(document.title), _clean(document.source)
    context = _context(document, title)
    metadata, more = clean_json(dict(document.metadata))
    observed = None if document.observed_at is None else Moment.parse(document.observed_at)
    return Draft(
        number=number,
        space=clean_space(default_space if document.space is None else document.space),
        key=_clean(document.key) or source or given_hash.hex(),
        text=text,
        text_hash=given_hash,
        context=context,
        context_hash=_hash(context.model_dump(mode="json")),
        title=title,
        source=source,
        metadata=metadata,
        metadata_hash=_hash([title, source, metadata]),
        observed=None if observed is None else '["{}","{}")'.format(*observed.span_text()),
        observed_text=None if observed is None else observed.iso(),
        given=chunks or None,
        replaced=replaced + more + (0 if text else sum(count for _, count in cleaned)),
    )


def waves(drafts: Iterable[Draft]) -> list[list[Draft]]:
    """Drafts in turns in which no document comes twice, the later of two in the later turn."""
    made: list[list[Draft]] = []
    turns: Counter[tuple[str, bytes]] = Counter()
    for item in drafts:
        turn = turns[item.identity]
        turns[item.identity] += 1
        if turn == len(made):
            made.append([])
        made[turn].append(item)
    return made


def _context(document: Document, title: str | None) -> DocumentContext:
    given = document.context or DocumentContext()
    return DocumentContext(
        title=_clean(given.title) or title,
        source=_clean(given.source),
        summary=_clean(given.summary),
        known_names=tuple(clean_text(name)[0] for name in given.known_names),
    )


def _clean(text: str | None) -> str | None:
    return None if text is None else clean_key(text)


def _hash(value: Any) -> bytes:
    return hashlib.sha256(as_json(value).encode()).digest()
