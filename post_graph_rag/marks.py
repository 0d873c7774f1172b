"""Marks: moments of belief time as text, and places in the feed of changes, which lie between two changes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from post_graph_rag.errors import InputError
from post_graph_rag.records.changes import ChangeKind

FEED_KINDS: tuple[ChangeKind, ...] = ("document", "entity", "relation")
"""Kinds of things in the order in which the feed has those that changed at one moment."""

_MICROSECOND = timedelta(microseconds=1)
_STAMP = r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6})Z"
_PLACE = re.compile(rf"{_STAMP}(?:/({'|'.join(FEED_KINDS)})/(\d{{1,18}}))?", re.ASCII)


def mark_of(stamp: datetime) -> str:
    """A moment with a zone as a mark: ISO in UTC with microseconds, "2026-11-30T19:30:00.123456Z"."""
    return f"{stamp.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


@dataclass(frozen=True, slots=True)
class Place:
    """Where one goes on in the feed: behind this thing (kind from 1, in the order of FEED_KINDS) at this moment.

    Kind and id 0: before all that changed at `at`.
    """

    at: datetime
    kind: int = 0
    id: int = 0

    @classmethod
    def behind(cls, stamp: datetime) -> Place:
        """Behind all that changed at this moment."""
        return cls(stamp + _MICROSECOND)

    @classmethod
    def read(cls, mark: str) -> Place:
        """The place a mark stands for. Raises InputError for a text that is no mark."""
        found = _PLACE.fullmatch(mark)
        if found is None:
            raise _unreadable(mark)
        try:
            stamp = datetime.fromisoformat(found[1]).replace(tzinfo=UTC)
            return cls(stamp, FEED_KINDS.index(found[2]) + 1, int(found[3])) if found[2] else cls.behind(stamp)
        except (ValueError, OverflowError) as error:
            raise _unreadable(mark) from error

    @property
    def known(self) -> datetime:
        """The moment up to which all changes lie before this place."""
        return self.at - _MICROSECOND

    def text(self) -> str:
        """The mark that stands for this place."""
        return f"{mark_of(self.at)}/{FEED_KINDS[self.kind - 1]}/{self.id}" if self.kind else mark_of(self.known)


def _unreadable(mark: str) -> InputError:
    return InputError(f"{mark[:80]!r} is no mark: give one as `watermark` or `changes_since` returned it")
