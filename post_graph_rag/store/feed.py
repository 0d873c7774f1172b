"""The feed: what changed after a mark, read from what came and went in the record.

Stamps are drawn under the realm's write lock, so in the order of commits: whatever commits after a reading has a later
stamp than all that it saw.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, get_args

from post_graph_rag.errors import HistoryPurged, InputError, RealmMoved
from post_graph_rag.marks import FEED_KINDS, Place, mark_of
from post_graph_rag.records import Change, ChangeKind, Changes, Closing
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm

MOST: Final = 10_000
"""Changes of one page at most."""
_START = Place(datetime(1, 1, 1, tzinfo=UTC))


async def watermark(database: Database, realm: Realm) -> str:
    """The mark of the last commit."""
    async with database.transaction(realm.statements, read_only=True) as session:
        row = await session.row("watermark")
    return mark_of(_there(row)["stamp"])


async def changes_since(
    database: Database, realm: Realm, mark: str | None, kinds: Sequence[ChangeKind] | None, limit: int
) -> Changes:
    """A page of what changed after a mark, in one statement.

    mark: None for all that is kept. kinds: None for all. limit: changes of the page, 1 to 10,000.
    Raises InputError for an argument that cannot be used, HistoryPurged for a mark before what is kept.
    """
    place = _START if mark is None else Place.read(mark)
    numbers = _numbers(kinds)
    if not 1 <= limit <= MOST:
        raise InputError(f"limit is {limit}: a page has 1 to {MOST:,} changes")
    async with database.transaction(realm.statements, read_only=True) as session:
        row = await session.row("changes_since", place.at, place.kind, place.id, numbers, limit)
    horizon = _there(row)["horizon"]
    if mark is not None and horizon is not None and place.known < horizon:
        raise HistoryPurged(
            f"changes before {mark_of(horizon)} are not kept any more: read what holds now, and follow from there"
        )
    return _page(row, place)


def _numbers(kinds: Sequence[ChangeKind] | None) -> list[int]:
    named = FEED_KINDS if kinds is None else (kinds,) if isinstance(kinds, str) else tuple(kinds)
    if not named or not set(named) <= set(get_args(ChangeKind)):
        raise InputError(f"kinds is {kinds!r}: name one or several of {', '.join(FEED_KINDS)}, or none for all")
    return sorted({FEED_KINDS.index(kind) + 1 for kind in named})


def _there(row: Any) -> Mapping[str, Any]:
    if row is None:
        raise RealmMoved
    found: Mapping[str, Any] = row
    return found


def _page(row: Mapping[str, Any], place: Place) -> Changes:
    stamp: datetime = row["stamp"]
    until: datetime | None = row["until"]
    if row["over"]:
        after, more = Place(row["at"], row["kind"], row["id"]), True
    elif until is not None:
        after, more = Place.behind(until), until < stamp
    else:
        # a replica may lag behind the server that gave the mark
        after, more = max(Place.behind(stamp), place, key=lambda one: one.at), False
    return Changes(
        items=tuple(_change(item) for item in json.loads(row["changes"] or "[]")),
        mark=after.text(),
        more=more,
        watermark=mark_of(stamp),
    )


def _change(item: Mapping[str, Any]) -> Change:
    return Change(
        kind=FEED_KINDS[item["kind"] - 1],
        change=item["change"],
        id=item["id"],
        at=item["at"],
        space=item["space"],
        text=item["text"] or "",
        other=item["other"],
        closed_by=tuple(Closing(**closing) for closing in item["closings"] or ()),
    )
