"""What comes of changes that people make by hand."""

from __future__ import annotations

from post_graph_rag.records.base import Record


class EntityEdit(Record):
    """What became of an entity that somebody merged, took apart or renamed.

    id, name, space: of a merge the entity that stands for all from now on, of a split the one that was taken out.
    others: of a merge the entities that were merged with this call, of a split the one it was taken out of.
    at: the belief time of the change, as a mark; what was believed before stays askable.
    pending_vectors: vectors that could not be made yet, which `complete_pending` does; errors: why, in words.
    """

    id: int
    name: str
    space: str
    others: tuple[int, ...] = ()
    at: str
    pending_vectors: int = 0
    errors: tuple[str, ...] = ()
