"""Documents deleted by key: they and all that rests on nothing else end, and stay what was believed until then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from post_graph_rag.clean import clean_key, clean_space
from post_graph_rag.edit.changing import Changing, Made
from post_graph_rag.errors import InputError
from post_graph_rag.ingest.written import Committed, Written
from post_graph_rag.marks import mark_of
from post_graph_rag.records import DeleteReport
from post_graph_rag.retrieve.refusals import no_document
from post_graph_rag.store import deleting
from post_graph_rag.store.database import Session
from post_graph_rag.store.deleting import Ended


@dataclass(frozen=True, slots=True)
class Deleted:
    """Passages that no live document holds any more, and what ceased to be current with them."""

    passages: int
    ended: Ended | None = None


async def delete_documents(changing: Changing, space: str, keys: Sequence[str]) -> DeleteReport:
    """Delete documents of a space, all or none. Raises DocumentNotFound for one that is not there, InputError."""
    named, space = stored_keys(keys), clean_space(space)

    async def change(session: Session, stamp: datetime) -> tuple[Written, Deleted]:
        known = await deleting.named_documents(session, space, named)
        live = {one.key: one.id for one in known if one.live}
        check_found(space, named, live)
        retired = await deleting.close_documents(session, live.values(), stamp)
        written = Written(structure={}, retired=retired, documents=frozenset(live.values()))
        return written, Deleted(len(retired))

    made = await changing.make(change, _count)
    return _report(made, space, named)


async def _count(session: Session, stamp: datetime, told: Deleted, committed: Committed) -> tuple[Deleted, Committed]:
    return Deleted(told.passages, await deleting.ended_at(session, stamp)), committed


def stored_keys(keys: Sequence[str]) -> list[str]:
    """The keys as they are stored, each once. Raises InputError for one text in place of several, or an empty key."""
    if isinstance(keys, str) or not keys:
        raise InputError("keys are those of several documents: give a list of at least one")
    cleaned = [clean_key(key) for key in keys]
    if None in cleaned:
        raise InputError("a document's key is empty")
    return list(dict.fromkeys(key for key in cleaned if key is not None))


def check_found(space: str, keys: Sequence[str], found: Sequence[str] | dict[str, int]) -> None:
    """Raises DocumentNotFound naming the keys that were not found."""
    if missing := [key for key in keys if key not in found]:
        raise no_document(space, *missing)


def _report(made: Made[Deleted], space: str, keys: Sequence[str]) -> DeleteReport:
    ended = made.told.ended or Ended(0, 0)
    return DeleteReport(
        keys=tuple(keys),
        space=space,
        at=mark_of(made.at),
        passages=made.told.passages,
        relations=ended.relations,
        entities=ended.entities,
        pending_vectors=made.undone.count,
        errors=made.errors,
    )
