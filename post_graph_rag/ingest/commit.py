"""One commit: a group of finished documents, or passages completed later, under the realm's write lock.

The number of statements does not depend on how many documents, passages or facts there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from post_graph_rag.ingest.consequences import Begin, follow
from post_graph_rag.ingest.drafts import Draft
from post_graph_rag.ingest.passages import Reading, exchange
from post_graph_rag.ingest.written import Committed, Written
from post_graph_rag.records import Extraction
from post_graph_rag.store import write
from post_graph_rag.store.database import Session


class Commit:
    """What is written in one transaction; graph: its name, None where nothing is drawn; begin: see `follow`."""

    def __init__(
        self, session: Session, graph: str | None, extractor: str, *, reindex: bool, begin: Begin | None = None
    ) -> None:
        self._session = session
        self._graph = graph
        self._reading = Reading(extractor, reindex)
        self._begin = begin

    async def run(self, drafts: Sequence[Draft]) -> Committed:
        """Write the drafts. Raises DatabaseError when the server refuses, Overtaken; then nothing is written."""
        stamp = await write.take_stamp(self._session)
        written = await exchange(self._session, stamp, drafts, self._reading)
        return await follow(self._session, stamp, self._graph, written, self._begin)

    async def complete(
        self, found: Mapping[int, tuple[int, Extraction]], extractors: Mapping[int, str], failures: Mapping[int, str]
    ) -> Committed:
        """Give passages that are there already (id -> space, extraction) their structure, or say why they lack it.

        extractors: what each extraction is from, by the passage's id; empty where it is to be tried again.
        """
        stamp = await write.take_stamp(self._session)
        marks: list[dict[str, Any]] = [{"id": id, "extractor": extractors[id], "failure": None} for id in found]
        marks += [{"id": id, "extractor": extractors[id] or None, "failure": why} for id, why in failures.items()]
        pending = await write.settle_pending(self._session, marks)
        written = Written(structure={id: what for id, what in found.items() if id in pending})
        return await follow(self._session, stamp, self._graph, written)
