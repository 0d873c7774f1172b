"""What comes of deleting, erasing and purging."""

from __future__ import annotations

from post_graph_rag.records.base import Record


class DeleteReport(Record):
    """What became of deleted documents.

    keys: of the documents; at: the belief time of the deletion, as a mark.
    passages: how many no live document holds any more; relations, entities: how many are not current any more.
    pending_vectors: of entities whose words changed, vectors that could not be made yet; errors: why, in words.
    """

    keys: tuple[str, ...]
    space: str
    at: str
    passages: int = 0
    relations: int = 0
    entities: int = 0
    pending_vectors: int = 0
    errors: tuple[str, ...] = ()


class EraseReport(Record):
    """What was erased; the ids of it are in the feed of changes.

    keys: of the documents that were erased; at: the belief time of the erasure, as a mark.
    passages, entities, relations, replies: how many of each are no more.
    texts_left_in: of an erased entity, keys of the documents whose passages mentioned it: their text is as it was, and
    may hold its name.
    vacuumed: whether dead rows were cleared from the realm's tables as well, and no older transaction could see them.
    pending_vectors: of what changed with it, vectors that could not be made yet; errors: why, in words.
    """

    keys: tuple[str, ...] = ()
    space: str
    at: str
    passages: int = 0
    entities: int = 0
    relations: int = 0
    replies: int = 0
    texts_left_in: tuple[str, ...] = ()
    vacuumed: bool = False
    pending_vectors: int = 0
    errors: tuple[str, ...] = ()


class PurgeReport(Record):
    """What was purged of the history.

    before: no belief of a moment before this mark can be asked for any more.
    rows: closed rows of the record that went; documents, passages, entities, relations: how many are no more, since
    nothing that is kept refers to them; replies: of models, about passages that are no more.
    """

    before: str
    rows: int = 0
    documents: int = 0
    passages: int = 0
    entities: int = 0
    relations: int = 0
    replies: int = 0
