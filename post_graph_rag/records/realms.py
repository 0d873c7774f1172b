"""What is said of a realm."""

from __future__ import annotations

from post_graph_rag.records.base import Record


class RealmInfo(Record):
    """A realm as the registry knows it.

    query_prefix, passage_prefix: what is put before a question, and before whatever is found by a vector, when it is
    embedded.
    """

    name: str
    schema_name: str
    graph_name: str | None
    embedding_model: str
    dimensions: int
    generation: int
    extractor: str = ""
    query_prefix: str = ""
    passage_prefix: str = ""


class RealmStats(Record):
    """How much a realm holds now."""

    realm: RealmInfo
    spaces: int = 0
    documents: int = 0
    passages: int = 0
    entities: int = 0
    relations: int = 0
    pending_passages: int = 0
    pending_vectors: int = 0
    bytes: int = 0


class OptimizeReport(Record):
    """What `optimize` did.

    indexed: vector tables that got their HNSW index; merged: vectors that had waited to be put into one.
    analyzed: tables with fresh statistics; tidied: rows put right; pruned: stored replies and vectors that were kept
        long enough.
    busy: another process was at it already, so nothing was done.
    """

    indexed: tuple[str, ...] = ()
    merged: int = 0
    analyzed: int = 0
    tidied: int = 0
    pruned: int = 0
    busy: bool = False


class ReembedReport(Record):
    """What `reembed` did.

    realm: as the registry knows it now. embedded: vectors made by this call; kept: vectors that an earlier one, which
    broke off, had made. indexed: vector tables that got their HNSW index.
    dropped: the vectors of before are gone; else they are still being read, and the next `optimize` removes them.
    """

    realm: RealmInfo
    embedded: int = 0
    kept: int = 0
    indexed: tuple[str, ...] = ()
    dropped: bool = True


class Finding(Record):
    """One thing `doctor` looked at. `repair` is the command that mends it, where one of ours can."""

    check: str
    ok: bool
    detail: str
    repair: str | None = None
