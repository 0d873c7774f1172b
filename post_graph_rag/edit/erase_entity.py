"""One entity erased with all that was ever said of it; the texts that mention it stay as they are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from post_graph_rag.edit.changing import Changing, Made
from post_graph_rag.edit.erase import NOTHING, cleared, let_go
from post_graph_rag.edit.mending import Loss, Mended, mend
from post_graph_rag.ingest.written import Committed, Written
from post_graph_rag.marks import mark_of
from post_graph_rag.records import EraseReport, Extraction
from post_graph_rag.store import erasing, mending, vacuum
from post_graph_rag.store.database import Session
from post_graph_rag.store.erasing import Mentioning, Resting
from post_graph_rag.store.write import Named

Find: TypeAlias = Callable[[Session], Awaitable[Named]]
"""Finds the entity that is meant. Raises EntityNotFound."""
_NOTHING_NEW = Extraction()


@dataclass(frozen=True, slots=True)
class Silenced:
    """An entity of which nothing is said any more, and where it was mentioned; mended: what else went with it.

    ids: its own and those of its namesakes that it stands for, which are the same thing said without a kind.
    """

    entity: Named
    ids: frozenset[int]
    mentioning: Mentioning
    mended: Mended = field(default=NOTHING)


async def erase_entity(changing: Changing, find: Find, *, clear: bool) -> EraseReport:
    """Erase one entity; see GraphRAG.erase_entity."""
    if clear:
        await vacuum.check_may_vacuum(changing.database, changing.realm)

    async def change(session: Session, stamp: datetime) -> tuple[Written, Silenced]:
        entity = await find(session)
        return await _silence(session, stamp, entity)

    report = _report(await changing.make(change, _erase))
    return await cleared(changing, report) if clear else report


async def _silence(session: Session, stamp: datetime, entity: Named) -> tuple[Written, Silenced]:
    """End all that is said of the entity; its passages say less than before, so what follows from them is settled."""
    ids = await erasing.one_with(session, entity.id)
    mentioning = [await erasing.passages_of_entity(session, id) for id in ids]
    told = await let_go(session, ids, stamp)
    passages = [await erasing.silence_entity(session, id, stamp) for id in ids]
    structure = {id: (space, _NOTHING_NEW) for said in passages for id, space in said.items()}
    silenced = Silenced(entity, frozenset(ids), Mentioning.together(mentioning))
    return Written(structure=structure, told=told), silenced


async def _erase(
    session: Session, stamp: datetime, silenced: Silenced, committed: Committed
) -> tuple[Silenced, Committed]:
    ids = sorted(silenced.ids)
    resting = Resting.together([await erasing.resting_on_entity(session, id) for id in ids])
    for id in ids:
        await erasing.forget_sayings(session, id)
    hashes = frozenset(silenced.mentioning.hashes)
    await mending.unsettle_passages(session, silenced.entity.space, hashes)
    mended = await mend(session, stamp, Loss(silenced.ids, resting, hashes))
    erased = {
        "entity": mended.entities_left | silenced.ids,
        "relation": mended.relations_gone | mended.relations_left,
    }
    await erasing.put_erasures(session, erased, stamp)
    return replace(silenced, mended=mended), mended.joined(committed)


def _report(made: Made[Silenced]) -> EraseReport:
    silenced = made.told
    return EraseReport(
        space=silenced.entity.space_name,
        at=mark_of(made.at),
        entities=1,
        relations=len(silenced.mended.relations_gone),
        replies=silenced.mended.replies,
        texts_left_in=tuple(silenced.mentioning.documents),
        pending_vectors=made.undone.count,
        errors=made.errors,
    )
