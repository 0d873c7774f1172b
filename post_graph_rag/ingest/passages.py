"""Documents, their passages and their versions into the record; the first half of a commit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from post_graph_rag.errors import RAGError
from post_graph_rag.ingest.drafts import Draft, PassageDraft
from post_graph_rag.ingest.written import Written
from post_graph_rag.store import write
from post_graph_rag.store.database import Session
from post_graph_rag.store.write import Posted, PutDocument, PutPassage

Identity: TypeAlias = tuple[int, bytes, bytes, str | None]
"""What makes two passages one: space, text, the caller's context and event time."""
Places: TypeAlias = Mapping[int, PutDocument]
"""Where the drafts of a group are in the record, by their number in it."""


class Overtaken(RAGError):
    """Another writer changed a document after it was looked up; look again."""


@dataclass(frozen=True, slots=True)
class Reading:
    """With which extractor passages are read now, and whether its structure replaces that of another one."""

    extractor: str
    reindex: bool


@dataclass(frozen=True, slots=True)
class Placed:
    """A passage and its row."""

    space: int
    draft: PassageDraft
    row: PutPassage


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of one passage's structure; `mark`: what its row must say where it says something else."""

    written: bool = False
    closed: bool = False
    reopened: bool = False
    mark: dict[str, Any] | None = None


async def exchange(session: Session, stamp: datetime, drafts: Sequence[Draft], reading: Reading) -> Written:
    """Put the drafts in place of the versions that are live. Raises Overtaken when these are not what was looked up."""
    places = await _put_documents(session, drafts)
    placed = await _put_passages(session, drafts, places)
    outcomes = {one.row.id: _outcome(one, reading) for one in placed.values()}
    await _mark(session, outcomes)
    await _put_vectors(session, placed.values())
    versions = [_version(places[n], draft, placed) for n, draft in enumerate(drafts)]
    retired = await write.exchange_versions(session, versions, stamp)
    return _written(places, placed, outcomes, retired)


async def _put_documents(session: Session, drafts: Sequence[Draft]) -> Places:
    rows = [{"n": n, "space": draft.space, "digest": draft.digest, "key": draft.key} for n, draft in enumerate(drafts)]
    places = await write.put_documents(session, rows)
    if any(draft.status == "metadata" and not _same_text(places[n], draft) for n, draft in enumerate(drafts)):
        raise Overtaken()
    return places


def _same_text(place: PutDocument, draft: Draft) -> bool:
    return place.version == (draft.text_hash, draft.context_hash, draft.observed_text)


async def _put_passages(session: Session, drafts: Sequence[Draft], places: Places) -> dict[Identity, Placed]:
    unique = _unique(drafts, places)
    wanted = [_passage_row(n, key, passage) for n, (key, passage) in enumerate(unique.items())]
    rows = await write.put_passages(session, wanted)
    if any(rows[n].added and passage.vector is None for n, passage in enumerate(unique.values())):
        raise Overtaken()
    return {key: Placed(key[0], passage, rows[n]) for n, (key, passage) in enumerate(unique.items())}


def _unique(drafts: Sequence[Draft], places: Places) -> dict[Identity, PassageDraft]:
    unique: dict[Identity, PassageDraft] = {}
    for n, draft in enumerate(drafts):
        for passage in draft.passages:
            key = _identity(places[n].space, draft, passage)
            unique[key] = passage if key not in unique else _better(unique[key], passage)
    return unique


def _identity(space: int, draft: Draft, passage: PassageDraft) -> Identity:
    return (space, passage.text_hash, draft.context_hash, draft.observed)


def _better(one: PassageDraft, other: PassageDraft) -> PassageDraft:
    """Of two equal passages, read for two documents, the one of which more could be had."""
    return max(one, other, key=lambda passage: (passage.vector is not None, passage.extraction is not None))


def _passage_row(n: int, key: Identity, passage: PassageDraft) -> dict[str, Any]:
    space, text_hash, context_hash, event = key
    return {
        "n": n,
        "space": space,
        "text_hash": text_hash,
        "context_hash": context_hash,
        "event": event,
        "text": passage.chunk.text,
        "tokens": passage.tokens,
        "extractor": passage.extractor or None,
        "failure": passage.failure,
    }


def _outcome(one: Placed, reading: Reading) -> Outcome:
    row, had = one.row, one.row.extractor is not None
    renewed = reading.reindex and row.extractor not in (reading.extractor, one.draft.extractor)
    if one.draft.extraction is not None and (row.added or not had or renewed):
        mark = {"id": row.id, "extractor": one.draft.extractor, "failure": None}
        return Outcome(written=True, closed=had and row.live, mark=None if row.added else mark)
    mark = {"id": row.id, "extractor": one.draft.extractor or None, "failure": one.draft.failure}
    failed = not had and not row.added and one.draft.failure is not None
    return Outcome(reopened=had and not row.live, mark=mark if failed else None)


async def _mark(session: Session, outcomes: Mapping[int, Outcome]) -> None:
    if marks := [outcome.mark for outcome in outcomes.values() if outcome.mark is not None]:
        await write.mark_passages(session, marks)


async def _put_vectors(session: Session, placed: Iterable[Placed]) -> None:
    made = [(one.row.id, one.space, one.draft.vector) for one in placed if one.draft.vector is not None]
    if made:
        ids, spaces, vectors = zip(*made, strict=True)
        await write.put_passage_vectors(session, ids, spaces, vectors)


def _version(place: PutDocument, draft: Draft, placed: Mapping[Identity, Placed]) -> dict[str, Any]:
    """A row of exchange_versions; without links where only the metadata changes."""
    return {
        "document": place.document,
        "text_hash": draft.text_hash,
        "context_hash": draft.context_hash,
        "metadata_hash": draft.metadata_hash,
        "title": draft.title,
        "source": draft.source,
        "context": draft.context.model_dump(mode="json"),
        "metadata": draft.metadata,
        "observed": draft.observed,
        "observed_text": draft.observed_text,
        "links": None if draft.status == "metadata" else _links(place.space, draft, placed),
    }


def _links(space: int, draft: Draft, placed: Mapping[Identity, Placed]) -> list[list[int]]:
    return [
        [placed[_identity(space, draft, passage)].row.id, ordinal, passage.chunk.start, passage.chunk.end]
        for ordinal, passage in enumerate(draft.passages)
    ]


def _written(
    places: Places, placed: Mapping[Identity, Placed], outcomes: Mapping[int, Outcome], retired: Iterable[int]
) -> Written:
    passages = [(one, outcomes[one.row.id]) for one in placed.values()]
    return Written(
        structure={
            one.row.id: (one.space, one.draft.extraction)
            for one, outcome in passages
            if outcome.written and one.draft.extraction is not None
        },
        closed=frozenset(id for id, outcome in outcomes.items() if outcome.closed),
        reopened=frozenset(id for id, outcome in outcomes.items() if outcome.reopened),
        retired=frozenset(retired),
        linked=frozenset(outcomes),
        documents=frozenset(place.document for place in places.values()),
        posted=[
            Posted(write.PASSAGE, one.space, one.row.id, one.draft.terms()) for one, _ in passages if one.row.added
        ],
    )
