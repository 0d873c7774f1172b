"""Documents, their versions and their passages: looked up before the lock, written under it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any

from post_graph_rag.store.database import Session
from post_graph_rag.store.rows import Rows, as_json


async def find_documents(session: Session, wanted: Rows) -> dict[int, Any]:
    """Live versions of documents, by the caller's number n."""
    return {row["n"]: row for row in await session.rows("find_documents", as_json(wanted))}


async def find_passages(session: Session, wanted: Rows) -> dict[int, Any]:
    """Passages that are there, by n."""
    return {row["n"]: row for row in await session.rows("find_passages", as_json(wanted))}


async def find_known_names(session: Session, wanted: Rows) -> dict[int, list[str]]:
    """Names the realm knows among the keys of each n."""
    found: dict[int, list[str]] = {}
    for row in await session.rows("find_known_names", as_json(wanted)):
        found.setdefault(row["n"], []).append(row["name"])
    return found


@dataclass(frozen=True, slots=True)
class PutDocument:
    """Ids of a document and its space; `version`: hashes of text and context, and the date, of its live version."""

    space: int
    document: int
    version: tuple[bytes | None, bytes | None, str | None]


async def put_documents(session: Session, wanted: Rows) -> dict[int, PutDocument]:
    """Documents by n; made where new."""
    rows = await session.rows("put_documents", as_json(wanted))
    version = itemgetter("text_hash", "context_hash", "observed_text")
    return {row["n"]: PutDocument(row["space"], row["document"], version(row)) for row in rows}


@dataclass(frozen=True, slots=True)
class PutPassage:
    """A passage's id, whether it is new, which extraction its structure is from, whether a live document holds it."""

    id: int
    added: bool
    extractor: str | None
    live: bool


async def put_passages(session: Session, wanted: Rows) -> dict[int, PutPassage]:
    """Insert what is new; by n."""
    rows = await session.rows("put_passages", as_json(wanted))
    return {row["n"]: PutPassage(row["id"], row["added"], row["extractor"], row["live"]) for row in rows}


async def mark_passages(session: Session, marks: Rows) -> None:
    """Note which extraction passages have now, or why they lack one."""
    await session.run("mark_passages", as_json(marks))


async def settle_pending(session: Session, marks: Rows) -> set[int]:
    """The same for passages found pending before; returns those that still were, and that a live document holds."""
    return {row["id"] for row in await session.rows("settle_pending", as_json(marks))}


async def exchange_versions(session: Session, versions: Rows, stamp: datetime) -> list[int]:
    """Put new versions in place of the old; returns passages that no live document holds any more."""
    rows = await session.rows("exchange_versions", as_json(versions), stamp)
    return [row["passage"] for row in rows]
