"""What resolving entities reports."""

from __future__ import annotations

from post_graph_rag.records.base import Record


class ResolveReport(Record):
    """What `resolve_entities` did.

    looked_at: entities that became current since the last time; pairs: how many were judged by names and neighbours.
    merged: entities that were merged into another one, which `split_entity` undoes for each.
    asked: entities about which a model was asked; calls: model calls made, replies that were stored left out; ignored:
    how much it named that was not offered to it.
    pending_vectors: vectors of merged entities that are still to be made; errors: why something is left to the next
    time, each reason once.
    """

    looked_at: int = 0
    pairs: int = 0
    merged: int = 0
    asked: int = 0
    calls: int = 0
    ignored: int = 0
    pending_vectors: int = 0
    errors: tuple[str, ...] = ()
