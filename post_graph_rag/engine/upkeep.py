"""The realm as a whole."""

from __future__ import annotations

from typing import Literal

from post_graph_rag.engine.front import Front, found_again
from post_graph_rag.records import (
    Finding,
    OptimizeReport,
    RealmStats,
)
from post_graph_rag.store.grants import grant_realm
from post_graph_rag.store.projection import rebuild_graph
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
        """Put derived rows right, build vector indexes where they pay, refresh the planner's statistics.

        Needs the owner's rights. Raises Busy when a table's lock is not had in time.
        """
        return await keep_up(await self._opening.database(), await self._opening.existing_realm())

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
