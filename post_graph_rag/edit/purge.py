"""History purged up to a moment: no belief before it can be asked for any more, and what only it held is gone."""

from __future__ import annotations

from datetime import date, datetime

from post_graph_rag.ingest.again import tried_again
from post_graph_rag.marks import mark_of
from post_graph_rag.models.replies import vector_key
from post_graph_rag.moments import Moment
from post_graph_rag.records import PurgeReport
from post_graph_rag.store import erasing, mending, purging, write
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.purging import Unheld
from post_graph_rag.store.realms import Realm

_FIRST = 0
"""No belief is older than 1970; and what a driver reads as a date has years of our era only."""


async def purge_history(database: Database, realm: Realm, before: str | date | datetime) -> PurgeReport:
    """Purge what was believed before a moment; see GraphRAG.purge_history. Raises ImpossibleDate."""
    start = max(Moment.parse(before).start, _FIRST)
    moment = Moment(start, start + 1).span_text()[0]

    async def put() -> PurgeReport:
        async with database.transaction(realm.statements) as session:
            return await _purge(session, realm, moment)

    return await tried_again(database, put)


async def _purge(session: Session, realm: Realm, before: str) -> PurgeReport:
    """Spans first, then what they leave without any: passages and documents, relations, and entities last."""
    stamp = await write.take_stamp(session)
    purged = await purging.purge_spans(session, before, stamp)
    unheld = await purging.unheld(session, purged)
    await erasing.forget_passages(session, unheld.passages, unheld.documents)
    founded = await mending.unfounded_relations(session, purged.relations, ())
    await erasing.forget_relations(session, founded.gone)
    entities = await purging.unmentioned(session, purged.entities)
    await erasing.forget_entities(session, entities)
    await erasing.forget_vectors(session, entities, founded.gone, (), ())
    return PurgeReport(
        before=mark_of(purged.horizon),
        rows=purged.rows,
        documents=len(unheld.documents),
        passages=len(unheld.passages),
        entities=len(entities),
        relations=len(founded.gone),
        replies=await _forget_replies(session, realm, unheld),
    )


async def _forget_replies(session: Session, realm: Realm, unheld: Unheld) -> int:
    model, dimensions = realm.info.embedding_model, realm.info.dimensions
    keys = [vector_key(model, dimensions, text) for text in unheld.texts]
    return await erasing.forget_replies(session, unheld.hashes, (), unheld.hashes, keys)
