"""Relations settled anew because something else than passages changed: rules, people's words, verdicts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from post_graph_rag.ingest.supersession import settle_relations
from post_graph_rag.store import write
from post_graph_rag.store.database import Session
from post_graph_rag.store.projection import Touched, project
from post_graph_rag.store.write import Findable


async def resettle(
    session: Session,
    stamp: datetime,
    graph: str | None,
    relations: Iterable[int] = (),
    *,
    renewed: Collection[int] = (),
) -> None:
    """Bring periods, what channels find and the graph up to date; renewed: those whose slots may be others now."""
    settled = await settle_relations(session, stamp, relations=relations, renewed=renewed)
    changed = {id: one for id, one in settled.items() if one.changed}
    current = frozenset(id for id, one in changed.items() if one.current)
    await write.set_current(session, Findable(relations=current, no_relations=frozenset(changed) - current))
    await project(session, graph, Touched((), (), (), changed))
