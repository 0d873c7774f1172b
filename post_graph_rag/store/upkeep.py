"""All the upkeep of a realm that is done by hand, in order."""

from __future__ import annotations

from post_graph_rag.records import OptimizeReport
from post_graph_rag.store.database import Database
from post_graph_rag.store.optimize import optimize
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.tidy import tidy


async def keep_up(database: Database, realm: Realm) -> OptimizeReport:
    """Put derived rows right, then build the vector indexes that pay and refresh statistics.

    Raises Busy when a table's lock is not had in time, DatabaseError when this role does not own the realm.
    """
    tidied = await tidy(database, realm)
    return (await optimize(database, realm)).model_copy(update={"tidied": tidied})
