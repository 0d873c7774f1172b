"""What a follower of the feed knows, and what the realm holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from post_graph_rag.engine import GraphRAG
from post_graph_rag.records import Change, ChangeKind
from tests.integration.writing.support import Place

COMES = {"new", "revived", "split", "reopened"}
GOES = {"deleted", "erased", "dormant", "merged", "closed"}
HELD = """
    SELECT 'document', document FROM {r}.document_version WHERE upper_inf(recorded)
    UNION ALL SELECT 'entity', id FROM {r}.entity WHERE current
    UNION ALL SELECT 'relation', id FROM {r}.relation WHERE current"""


def steps(changes: Iterable[Change]) -> set[tuple[str, str, str]]:
    """Kind, change and text of each."""
    return {(change.kind, change.change, change.text) for change in changes}


async def pages(
    rag: GraphRAG, mark: str | None = None, limit: int = 1000, kinds: Sequence[ChangeKind] | None = None
) -> list[Change]:
    """All that changed since a mark, page by page."""
    found: list[Change] = []
    while True:
        page = await rag.changes_since(mark, kinds, limit)
        assert len(page.items) <= limit
        found += page.items
        if not page.more:
            return found
        assert page.mark != mark
        mark = page.mark


def without_texts(changes: Iterable[Change]) -> list[Change]:
    """For comparing what was told at different times: texts are told as they read when they are told."""
    return [change.model_copy(update={"text": ""}) for change in changes]


def known(changes: Iterable[Change]) -> set[tuple[str, int]]:
    """The things that are there for somebody who only saw these changes; but after an erasure none comes twice."""
    told = list(changes)
    erasures = {change.at for change in told if change.change == "erased"}
    held: set[tuple[str, int]] = set()
    for change in told:
        thing = (change.kind, change.id)
        if change.change in COMES:
            assert thing not in held or change.at in erasures, change
            held.add(thing)
        elif change.change in GOES:
            held.discard(thing)
    return held


async def held(place: Place) -> set[tuple[str, int]]:
    """The things that are there."""
    return {(kind, id) for kind, id in await place.rows(HELD)}
