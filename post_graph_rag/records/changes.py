"""What changed since somebody last looked."""

from __future__ import annotations

from typing import Literal

from post_graph_rag.records.base import Record
from post_graph_rag.records.finding import Closing

ChangeKind = Literal["document", "entity", "relation"]
ChangeName = Literal[
    "new",
    "changed",
    "deleted",
    "erased",
    "dormant",
    "revived",
    "merged",
    "split",
    "renamed",
    "closed",
    "reopened",
]


class Change(Record):
    """One thing and what became of it in one commit.

    change:
        documents: new (or back), changed (text, context or metadata), deleted, erased;
        entities: new, dormant (stands for itself, but nothing mentions it), revived (mentioned again), merged (stands
        for `other` from now on), split (taken out of `other`, and mentioned), renamed (by a person), erased;
        relations: new, closed (it no longer holds, or came already superseded), reopened, changed (other periods, or
        ended by something else), erased.
        Each says what holds after it, whatever was before. Once history is purged, what comes back may read new. An
        erasure rewrites history: what is left of all that it touched is told as it stands, as if it had just come to
        that.
    at: the belief time of the commit, as a mark.
    space: None of what was erased.
    text: the document's key, the entity's name, the relation's fact, as they read now; empty of what was erased.
    closed_by: what ended a relation that does not hold; empty where nothing states it any more.
    """

    kind: ChangeKind
    change: ChangeName
    id: int
    at: str
    space: str | None = None
    text: str = ""
    other: int | None = None
    closed_by: tuple[Closing, ...] = ()


class Changes(Record):
    """A page of the feed, in the order of commits, and within one by kind and id.

    mark: where the next call goes on: hand it back as it is.
    more: ask again at once; the next page may, rarely, be empty.
    watermark: the belief time this was read at. Only this, and what `watermark()` gives, is a moment that
        `as_believed_at` takes: `mark` may lie inside a commit.
    """

    items: tuple[Change, ...] = ()
    mark: str
    more: bool = False
    watermark: str
