"""What the record holds, listed or looked up one by one: one statement each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from post_graph_rag.clean import key_digest
from post_graph_rag.errors import InputError
from post_graph_rag.moments import period_dates
from post_graph_rag.names import name_key
from post_graph_rag.records import (
    Closing,
    DocumentDetail,
    DocumentInfo,
    DocumentPage,
    EntityDetail,
    EntityInfo,
    EntityPage,
    Evidence,
    Override,
    PassageInfo,
    RecordedPeriod,
    RelationDetail,
    VersionInfo,
)
from post_graph_rag.store.database import Session

_SHOWN: Final = 100
"""Passages of an entity, and statements of a relation, that are shown."""

Json = Mapping[str, Any]


async def list_documents(
    session: Session, spaces: Sequence[int], limit: int, after: str | None, deleted: bool
) -> DocumentPage:
    """A page of documents. Raises InputError for an `after` that no page gave."""
    behind = _number(after, "0" if after is None else after)
    rows = await session.rows("list_documents", spaces, behind, limit + 1, deleted)
    found = [DocumentInfo(**json.loads(row["it"])) for row in rows]
    return DocumentPage(documents=tuple(found[:limit]), after=str(found[limit - 1].id) if len(found) > limit else None)


async def show_document(session: Session, spaces: Sequence[int], key: str) -> DocumentDetail | None:
    """A document with its passages and versions; None where there is none of this key."""
    text = await session.value("show_document", spaces, key_digest(key))
    if text is None:
        return None
    found = json.loads(text)
    versions = tuple(VersionInfo(**version) for version in found["versions"] or ())
    passages = tuple(PassageInfo(**passage) for passage in found["passages"] or ())
    return _document(found, versions, passages) if versions else None


def _document(found: Json, versions: tuple[VersionInfo, ...], passages: tuple[PassageInfo, ...]) -> DocumentDetail:
    latest = versions[-1]
    info = DocumentInfo(
        **{name: found[name] for name in ("id", "key", "space")},
        **latest.model_dump(include={"title", "source", "metadata", "observed_at"}),
        passages=len(passages),
        pending=sum(passage.pending for passage in passages),
        recorded_at=latest.recorded_from,
        deleted_at=latest.recorded_to,
    )
    return DocumentDetail(document=info, passages=passages, versions=versions)


async def list_entities(
    session: Session, spaces: Sequence[int], limit: int, after: str | None, dormant: bool
) -> EntityPage:
    """A page of entities. Raises InputError for an `after` that no page gave."""
    sense, space, key = _behind(after)
    rows = await session.rows("list_entities", spaces, key, sense, space, limit + 1, dormant)
    found = tuple(EntityInfo(**json.loads(row["it"])) for row in rows[:limit])
    last = rows[limit - 1] if len(rows) > limit else None
    return EntityPage(entities=found, after=None if last is None else "{sense}/{space}/{key}".format(**last))


async def find_entity(session: Session, spaces: Sequence[int], id_or_name: int | str) -> list[tuple[int, str]]:
    """Ids and names of the entities that an id, or a name in these spaces, may mean, each as what stands for it."""
    by_id = isinstance(id_or_name, int)
    id, key = (id_or_name, None) if by_id else (None, name_key(str(id_or_name)))
    return [(row["id"], row["name"]) for row in await session.rows("find_entity", spaces, id, key)]


async def show_entity(session: Session, id: int) -> EntityDetail:
    """An entity that stands for itself, with what hangs on it."""
    return EntityDetail(**json.loads(await session.value("show_entity", id, _SHOWN)))


async def show_relation(session: Session, id: int) -> RelationDetail | None:
    """A relation with its history, evidence and people's words on it; None where there is none."""
    text = await session.value("show_relation", id, _SHOWN)
    if text is None:
        return None
    found = json.loads(text)
    found["periods"] = [_period(period) for period in found["periods"]]
    found["evidence"] = [_evidence(said) for said in found["evidence"]]
    found["overrides"] = [_override(word) for word in found["overrides"]]
    return RelationDetail(**found)


def _period(row: Json) -> RecordedPeriod:
    start, end = period_dates(row["start"], row["end"])
    closing = row["closed_by"]
    return RecordedPeriod(**{**row, "start": start, "end": end, "closed_by": closing and Closing(**closing)})


def _evidence(row: dict[str, Any]) -> Evidence:
    start, end = period_dates(row.pop("start"), row.pop("end"))
    return Evidence(**{**row, "documents": row["documents"] or ()}, observed_from=start, observed_to=end)


def _override(row: Json) -> Override:
    return Override(**{**row, "at": period_dates(None, row["at"])[1]})


def _number(after: str | None, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise _no_place(after)
    return int(text)


def _behind(after: str | None) -> tuple[int, int, str]:
    if after is None:
        return 0, 0, ""
    sense, _, rest = after.partition("/")
    space, slash, key = rest.partition("/")
    if not slash or "\0" in key:
        raise _no_place(after)
    return _number(after, sense), _number(after, space), key


def _no_place(after: str | None) -> InputError:
    return InputError(f"after is {after!r}: give what the page before returned, or nothing for the first page")
