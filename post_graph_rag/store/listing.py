"""What the record holds, listed or looked up one by one: one statement each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from post_graph_rag.clean import clean_text, key_digest
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
_IDS: Final = range(1, 1 << 63)

Json = Mapping[str, Any]


async def list_documents(
    session: Session, spaces: Sequence[int], limit: int, after: str | None, deleted: bool
) -> DocumentPage:
    """A page of documents. Raises InputError for an `after` that no page gave."""
    rows = await session.rows("list_documents", spaces, _behind_document(after), limit + 1, deleted)
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
    rows = await session.rows("list_entities", spaces, *_behind_entity(after), limit + 1, dormant)
    found = tuple(EntityInfo(**json.loads(row["it"])) for row in rows[:limit])
    last = rows[limit - 1] if len(rows) > limit else None
    return EntityPage(entities=found, after=None if last is None else "{sense}/{space}/{key}".format(**last))


async def find_entity(session: Session, spaces: Sequence[int], id_or_name: int | str) -> list[tuple[int, str]]:
    """Ids and names of the entities that an id, or a name in these spaces, may mean, each as what stands for it."""
    if isinstance(id_or_name, int):
        id, key = id_or_name if id_or_name in _IDS else None, None
    else:
        id, key = None, name_key(id_or_name)
    return [(row["id"], row["name"]) for row in await session.rows("find_entity", spaces, id, key)]


async def show_entity(session: Session, id: int) -> EntityDetail:
    """An entity that stands for itself, with what hangs on it."""
    return EntityDetail(**json.loads(await session.value("show_entity", id, _SHOWN)))


async def show_relation(session: Session, id: int) -> RelationDetail | None:
    """A relation with its history, evidence and people's words on it; None where there is none."""
    text = await session.value("show_relation", id, _SHOWN) if id in _IDS else None
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


def _behind_document(after: str | None) -> int:
    if after is None:
        return 0
    found = re.fullmatch(r"\d{1,18}", after, re.ASCII)
    if found is None:
        raise _no_place(after)
    return int(after)


def _behind_entity(after: str | None) -> tuple[str, int, int]:
    if after is None:
        return "", 0, 0
    found = re.fullmatch(r"(\d{1,4})/(\d{1,9})/(.*)", after, re.ASCII | re.DOTALL)
    if found is None:
        raise _no_place(after)
    return clean_text(found[3])[0], int(found[1]), int(found[2])


def _no_place(after: str) -> InputError:
    return InputError(f"after is {after[:80]!r}: give what the page before returned, or nothing for the first page")
