"""The realm as a whole."""

from __future__ import annotations

from typing import Literal

from post_graph_rag.engine.front import Front, found_again
from post_graph_rag.ingest.reembed import reembed_realm
from post_graph_rag.models.protocols import EmbeddingModel
from post_graph_rag.records import (
    Finding,
    OptimizeReport,
    RealmStats,
    ReembedReport,
)
from post_graph_rag.store.grants import grant_realm
from post_graph_rag.store.projection import rebuild_graph
from post_graph_rag.store.pruning import Keeping
from post_graph_rag.store.realms import drop_realm
from post_graph_rag.store.stats import realm_stats
from post_graph_rag.store.upkeep import keep_up


class Upkeep(Front):
    """Statistics, upkeep, rights and examination of the realm."""

    @found_again
    async def realm_stats(self) -> RealmStats:
        """How much the realm holds."""
        return await realm_stats(await self._opening.database(), await self._opening.existing_realm())

    @found_again
    async def optimize(self) -> OptimizeReport:
        """Put derived rows right, prune stored replies, build vector indexes where they pay, refresh statistics.

        Needs the owner's rights. Raises Busy when a table's lock is not had in time.
        """
        keeping = Keeping(self.settings.reply_store_days, self.settings.reply_store_mb, self.settings.ledger_days)
        return await keep_up(await self._opening.database(), await self._opening.existing_realm(), keeping)

    @found_again
    async def reembed(
        self,
        model: str | EmbeddingModel | None = None,
        dimensions: int | None = None,
        *,
        query_prefix: str | None = None,
        passage_prefix: str | None = None,
        again: bool = False,
        restart: bool = False,
    ) -> ReembedReport:
        """Move the realm to another embedding model, width or prefix; this engine goes on with it afterwards.

        All that has a vector gets its new one while the old ones answer and documents are indexed, deleted and erased;
        then one commit puts the new ones in their place. A call that breaks off is gone on with by the next one, which
        pays for what is left. Engines that are open elsewhere go on by themselves where their own model and prefixes
        are the new ones, or are not set; else they are refused, like any engine of another model.

        model: its name at the endpoint that the settings name, or the model itself; None: this engine's own.
        dimensions: width to ask it for; None: its own.
        query_prefix, passage_prefix: what the model wants before a question and before a passage; None: what the
            settings say, if it is their model, else what the realm has, or nothing where its model is another.
        again: also when the realm has just this already, as after a change of the model behind its name.
        restart: give up what an earlier call began for another model, width or prefix.

        Needs the rights of the owner, and InputError is raised inside a transaction of the caller's. Raises
        RightMissing, ConfigurationError, EmbeddingError when the model fails, InputError for a width beyond 4,000, and
        Busy when a lock is not had in time or the realm is written faster than the model embeds.
        """
        settings, models = self._opening.other_embedding(model, dimensions, (query_prefix, passage_prefix))
        database, realm = await self._opening.database(), await self._opening.existing_realm()
        prefixes = settings.embedding_query_prefix, settings.embedding_passage_prefix
        async with self._opening.moving_to(settings, models, ours=model is None or isinstance(model, str)):
            return await reembed_realm(database, realm, models.embedding, prefixes, again=again, restart=restart)

    @found_again
    async def rebuild_graph(self) -> None:
        """Draw the Apache AGE graph anew from the record. Needs the owner's rights.

        Raises Busy when somebody else's transaction keeps the graph in use; nothing is changed then.
        """
        await rebuild_graph(await self._opening.database(), await self._opening.existing_realm())

    async def drop_realm(self) -> None:
        """Remove the realm with everything in it."""
        await drop_realm(await self._opening.database(), self.settings.realm)
        self._opening.forget_realm()

    @found_again
    async def grant(self, role: str, access: Literal["read", "write"]) -> None:
        """Give a database role the rights it needs to read or to write this realm."""
        await grant_realm(await self._opening.database(), await self._opening.existing_realm(), role, access)

    async def doctor(self, every: bool = False) -> list[Finding]:
        """Look at server, extensions, rights, models and the realm's agreement with itself; changes nothing.

        every: all realms of the database instead of this one.
        Returns a finding for each thing, faults among them: what cannot be reached or is not configured is one too.
        """
        return await self._opening.examine(every)
