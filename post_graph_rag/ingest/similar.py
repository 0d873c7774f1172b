"""Entities that are one though no passage says so: those that are new, each beside a few that are alike.

What is certain by names is merged; what is in doubt a model is asked, if there is one to be asked. Such merges come on
top of those that follow from keys and aliases: they are recorded, and what passages or people say goes before them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from functools import partial
from typing import Protocol, TypeAlias

from post_graph_rag.errors import InputError
from post_graph_rag.ingest.again import tried_again
from post_graph_rag.ingest.alike import certain, merges_of
from post_graph_rag.ingest.consequences import follow
from post_graph_rag.ingest.derived import put_derived
from post_graph_rag.ingest.likeness import Called, Evidence, Likeness, likeness, worth_a_look
from post_graph_rag.ingest.written import Committed, Written
from post_graph_rag.models.embedder import Embedder
from post_graph_rag.records import ResolveReport
from post_graph_rag.store import similar, write
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.similar import Alike, CalledEntity, Pair, PairEvidence, Unresolved

BATCH = 256
MOST_NAMES = 18
"""Names that may have a word for it to tell anything of who is meant."""
NEAREST = 8
COMPARISONS = 4_000_000
"""Vectors that one call compares where no index finds the nearest: a few seconds. Who is beyond has words only."""

Looked: TypeAlias = "tuple[list[tuple[Pair, Likeness]], Mapping[int, CalledEntity]]"
"""Pairs, what each is judged to be, and what is known of their entities."""


class Arbiter(Protocol):
    """Who is asked what is in doubt. counts, errors: as they go into the report."""

    counts: Counter[str]
    errors: dict[str, None]

    async def same(self, doubts: Sequence[Pair], called: Mapping[int, CalledEntity]) -> list[Pair]:
        """Those of the pairs that are one."""
        ...


class Resolving:
    """One call of resolve_entities: what became current since the last one that left nothing undone."""

    def __init__(self, database: Database, realm: Realm, embedder: Embedder, arbiter: Arbiter | None = None) -> None:
        self._database = database
        self._realm = realm
        self._embedder = embedder
        self._arbiter = arbiter
        self._counts: Counter[str] = Counter()
        self._errors: dict[str, None] = {}

    async def run(self) -> ResolveReport:
        """Look at what is new, batch by batch.

        Raises InputError inside a transaction of the caller's, DatabaseError.
        """
        if self._database.inside_transaction:
            raise InputError("entities are resolved between commits: commit your transaction first")
        new, looked = await self._begun()
        searched = self._searched(new)
        for start in range(0, len(new.entities), BATCH):
            await self._settle(looked or await self._look(new.entities[start : start + BATCH], searched))
            looked = None
        asked = self._arbiter
        if asked is None or not asked.errors:
            await tried_again(self._database, partial(similar.note_resolved, self._database, self._realm, new.stamp))
        errors = (*self._errors, *(asked.errors if asked else ()))
        return ResolveReport(errors=errors, **self._counts, **(asked.counts if asked else {}))

    async def _begun(self) -> tuple[Unresolved, Looked | None]:
        """What is new, and the first of it looked at: often this is all."""
        async with self._snapshot() as session:
            new = await similar.unresolved_entities(session)
            self._counts["looked_at"] = len(new.entities)
            first = new.entities[:BATCH]
            return new, await self._looked(session, first, self._searched(new)) if first else None

    async def _look(self, entities: Sequence[int], searched: Collection[int]) -> Looked:
        async with self._snapshot() as session:
            return await self._looked(session, entities, searched)

    def _snapshot(self) -> AbstractAsyncContextManager[Session]:
        return self._database.transaction(self._realm.statements, read_only=True, isolation="repeatable_read")

    async def _looked(self, session: Session, entities: Sequence[int], searched: Collection[int]) -> Looked:
        near = [one for one in entities if one in searched]
        found = await similar.alike_entities(session, entities, MOST_NAMES, near, NEAREST)
        pairs = sorted({pair for alike in found for pair in self._worthy(alike)})
        # Asked without pairs too, so that what a document holds does not change the number of statements.
        called = await similar.called_entities(session, {one for pair in pairs for one in pair})
        known = [pair for pair in pairs if pair[0] in called and pair[1] in called]
        evidence = await similar.pair_evidence(session, known)
        return [(pair, _likeness(pair, called, one)) for pair, one in zip(known, evidence, strict=True)], called

    def _worthy(self, alike: Alike) -> Iterator[Pair]:
        """Pairs that names may make one; where a model is asked, nearness alone may make them doubtful."""
        for other, name in zip(alike.others, alike.names, strict=True):
            if self._arbiter is not None or worth_a_look(alike.name, name):
                yield min(alike.one, other), max(alike.one, other)

    def _searched(self, new: Unresolved) -> frozenset[int]:
        """Those for which the nearest vectors are looked for, as many as can be afforded.

        Without a model none: what names alone make one shares its words.
        """
        most = COMPARISONS // new.exact if new.exact else len(new.entities)
        return frozenset(new.entities[:most] if self._arbiter is not None else ())

    async def _settle(self, looked: Looked) -> None:
        judged, called = looked
        self._counts["pairs"] += len(judged)
        pairs = certain(judged)
        if self._arbiter is not None and (doubts := [pair for pair, said in judged if said == "doubt"]):
            pairs += await self._arbiter.same(doubts, called)
        if merges := merges_of(pairs, called):
            await self._merge(merges)

    async def _merge(self, merges: Sequence[Pair]) -> None:
        made, committed = await tried_again(self._database, partial(self._put, merges))
        self._counts["merged"] += made
        undone = await put_derived(self._database, self._realm, self._embedder, committed)
        self._counts["pending_vectors"] += undone.count
        if undone.error is not None:
            self._errors[f"{type(undone.error).__name__}: {undone.error}"] = None

    async def _put(self, merges: Sequence[Pair]) -> tuple[int, Committed]:
        async with self._database.transaction(self._realm.statements) as session:
            stamp = await write.take_stamp(session)
            made = await similar.put_similar_merges(session, merges, stamp)
            return len(made), await self._follow(session, stamp, made) if made else Committed()

    async def _follow(self, session: Session, stamp: datetime, made: Sequence[Pair]) -> Committed:
        told = frozenset(entity for pair in made for entity in pair)
        return await follow(session, stamp, self._realm.info.graph_name, Written(structure={}, told=told))


def _likeness(pair: Pair, called: Mapping[int, CalledEntity], evidence: PairEvidence) -> Likeness:
    one, other = (Called(called[entity].name, called[entity].type) for entity in pair)
    return likeness(one, other, Evidence(evidence.similarity, evidence.shared))
