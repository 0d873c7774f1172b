"""The upkeep of a realm: all of it by hand, a little of it at the end of a call that wrote much."""

from __future__ import annotations

from post_graph_rag.records import OptimizeReport
from post_graph_rag.store import optimize
from post_graph_rag.store.database import Database
from post_graph_rag.store.pruning import Keeping, prune
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.reembed import drop_past
from post_graph_rag.store.sweep import sweep_words
from post_graph_rag.store.tidy import tidy


async def keep_up(database: Database, realm: Realm, keeping: Keeping) -> OptimizeReport:
    """Put derived rows right, prune what models said, then build the vector indexes that pay and refresh statistics.

    Raises Busy when a table's lock is not had in time, DatabaseError when this role does not own the realm.
    """
    await drop_past(database, realm)
    await sweep_words(database, realm)
    tidied = await tidy(database, realm)
    pruned = await prune(database, realm, keeping)
    return (await optimize.optimize(database, realm)).model_copy(update={"tidied": tidied, "pruned": pruned})


async def keep_up_after(database: Database, realm: Realm, written: int, keeping: Keeping) -> None:
    """What pays at the end of a call that wrote `written` passages; indexes and statistics only where that is ours."""
    if written >= optimize.MUCH:
        await sweep_words(database, realm)
        await prune(database, realm, keeping)
        await optimize.optimize_after(database, realm, written)
    elif written:
        await optimize.merge_after(database, realm)
