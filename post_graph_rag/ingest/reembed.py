"""A realm embedded anew: by another model, at another width or with other prefixes, while the old vectors answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from post_graph_rag import failpoints
from post_graph_rag.errors import Busy, EmbeddingError
from post_graph_rag.ingest.again import tried_again
from post_graph_rag.ingest.groups import Triple
from post_graph_rag.ingest.profiles import Profile
from post_graph_rag.models.embedder import BATCH, Embedder
from post_graph_rag.models.fit import width_of
from post_graph_rag.models.protocols import EmbeddingModel
from post_graph_rag.models.replies import ReplyStore
from post_graph_rag.records import RealmInfo, ReembedReport
from post_graph_rag.store import reembed
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.optimize import optimize
from post_graph_rag.store.realms import Realm, vector_type
from post_graph_rag.store.reembed import KINDS, Building, Kind
from post_graph_rag.store.rows import as_vectors

PAGE = 8 * BATCH
"""Texts that are read at once; each batch of them is written as soon as the model has answered."""
ROUNDS = 20
"""Rounds for what is written meanwhile; each takes as long as the one before took to be written, so few are needed."""
UNHURRIED = 2
"""Rounds after which the rest, if it is one request, is made while writers wait."""
PATIENCE = 10.0
"""Seconds that writers wait for the model at most."""


async def reembed_realm(
    database: Database,
    realm: Realm,
    model: EmbeddingModel,
    prefixes: tuple[str | None, str | None],
    *,
    again: bool,
    restart: bool,
) -> ReembedReport:
    """Give the realm vectors of `model`, made with these prefixes of questions and passages; see GraphRAG.reembed."""
    await reembed.check_may_reembed(database, realm)
    target = await _target(realm.info, model, prefixes)
    return await Reembedding(database, realm, target, model).run(again=again, restart=restart)


async def _target(realm: RealmInfo, model: EmbeddingModel, prefixes: tuple[str | None, str | None]) -> RealmInfo:
    """What the realm will be. A prefix that is not said is the realm's own, or none where the model is another."""
    width = await width_of(model)
    vector_type(width)
    same = model.name == realm.embedding_model
    held = (realm.query_prefix, realm.passage_prefix) if same else ("", "")
    query, passage = (own if said is None else said for said, own in zip(prefixes, held, strict=True))
    wanted = {"embedding_model": model.name, "dimensions": width, "query_prefix": query, "passage_prefix": passage}
    return realm.model_copy(update={**wanted, "generation": realm.generation + 1})


class Reembedding:
    """One call of reembed. target: what the realm will be."""

    def __init__(self, database: Database, realm: Realm, target: RealmInfo, model: EmbeddingModel) -> None:
        self._database = database
        self._realm = realm
        self._target = target
        self._embedder = Embedder(model, ReplyStore(database, realm), target.dimensions, target.passage_prefix)
        self._made = 0

    async def run(self, *, again: bool = False, restart: bool = False) -> ReembedReport:
        """Build the new generation and put it in the place of the old; see GraphRAG.reembed."""
        if not again and self._like(query_prefix=self._target.query_prefix):
            return await self._reprefixed()
        building = await reembed.begin(self._database, self._realm, self._target, restart=restart)
        try:
            return await self._build(building)
        finally:
            await self._embedder.close()

    def _like(self, **but: Any) -> bool:
        """Whether the realm's vectors are those that are wanted already, whatever is put before a question."""
        wanted = {"generation": self._target.generation, **but}
        return self._realm.info.model_copy(update=wanted) == self._target

    async def _reprefixed(self) -> ReembedReport:
        """Nothing but what is put before a question changes, if anything does."""
        info = self._target.model_copy(update={"generation": self._realm.info.generation})
        if info != self._realm.info:
            async with reembed.held(self._database, self._realm) as session:
                await reembed.register(session, info)
        return ReembedReport(realm=info)

    async def _build(self, building: Building) -> ReembedReport:
        await self._round(building.realm)
        indexed = (await optimize(self._database, building.realm, graph=False)).indexed
        at = await self._swapped(building.realm)
        dropped = await reembed.drop_past(self._database, building.realm)
        await reembed.forget_stored(self._database, building.realm, at)
        return ReembedReport(
            realm=self._target, embedded=self._made, kept=building.kept, indexed=indexed, dropped=dropped
        )

    async def _swapped(self, new: Realm) -> datetime:
        for done in range(ROUNDS):
            await self._round(new)
            if (at := await self._swap(new, hurried=done >= UNHURRIED)) is not None:
                await self._embedder.try_each([], keep=False)
                return at
        raise Busy(
            f"realm {new.info.name!r} is written faster than the model embeds: run it again when there is less to do; "
            "what was made is kept"
        )

    async def _swap(self, new: Realm, *, hurried: bool) -> datetime | None:
        """The time of the swap; None when something was still to be made."""
        try:
            async with asyncio.timeout(PATIENCE if hurried else None):
                async with reembed.held(self._database, new) as session:
                    failpoints.reach("before_swap")
                    done = await self._rest(session, hurried) and await reembed.swap(session, new)
        except TimeoutError:
            return None
        failpoints.reach("after_swap")
        return done or None

    async def _rest(self, session: Session, hurried: bool) -> bool:
        """Whether nothing is left to be made; hurried: once the little that was is."""
        for kind in KINDS:
            rows = await reembed.unmade(session, kind, 0, BATCH + 1)
            if rows and (not hurried or len(rows) > BATCH):
                return False
            if rows:
                vectors = as_vectors(await self._embedder.ask([_text(kind, row) for row in rows]))
                if await reembed.make(session, kind, rows, vectors) < len(rows):
                    return False
                self._made += len(rows)
        return True

    async def _round(self, new: Realm) -> None:
        """Make all that is not made yet, a page at a time."""
        for kind in KINDS:
            after = 0
            while rows := await self._page(new, kind, after):
                after = rows[-1]["id"]
                await self._batches(new, kind, rows)

    async def _page(self, new: Realm, kind: Kind, after: int) -> list[Any]:
        async with self._database.transaction(new.statements, read_only=True) as session:
            return await reembed.unmade(session, kind, after, PAGE)

    async def _batches(self, new: Realm, kind: Kind, rows: Sequence[Any]) -> None:
        """One that fails ends none of the others: their answers are paid for. Raises the first error after them."""
        batches = [rows[start : start + BATCH] for start in range(0, len(rows), BATCH)]
        outcomes = await asyncio.gather(*[self._batch(new, kind, batch) for batch in batches], return_exceptions=True)
        for outcome in outcomes:
            if outcome is not None:
                raise outcome

    async def _batch(self, new: Realm, kind: Kind, rows: Sequence[Any]) -> None:
        """Embed rows and write what could be had. Raises the first error of what could not."""
        outcomes = await self._embedder.try_each([_text(kind, row) for row in rows], keep=False)
        pairs = list(zip(rows, outcomes, strict=True))
        had = [(row, one) for row, one in pairs if not isinstance(one, EmbeddingError)]
        await self._write(new, kind, [row for row, _ in had], as_vectors([vector for _, vector in had]))
        for _, outcome in pairs:
            if isinstance(outcome, EmbeddingError):
                raise outcome

    async def _write(self, new: Realm, kind: Kind, rows: Sequence[Any], vectors: Sequence[str]) -> None:
        async def put() -> int:
            async with self._database.transaction(new.statements) as session:
                return await reembed.make(session, kind, rows, vectors)

        if rows:
            self._made += await tried_again(self._database, put)
            failpoints.reach("vectors_made")


def _text(kind: Kind, row: Any) -> str:
    """What the vector of a row is made from, as it is when it is indexed."""
    if kind == "passages":
        return str(row["text"])
    if kind == "entities":
        return Profile(row["id"], 0, row["name"], "", row["description"], True, True).text
    return Triple(row["subject"], row["predicate"], row["object"], row["negated"]).text
