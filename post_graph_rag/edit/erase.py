"""Documents erased by key: with all their versions, and all that was derived from them and from nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from post_graph_rag.clean import clean_space
from post_graph_rag.edit.changing import Changing, Made
from post_graph_rag.edit.delete import check_found, stored_keys
from post_graph_rag.edit.mending import Loss, Mended, mend
from post_graph_rag.ingest.written import Committed, Written
from post_graph_rag.marks import mark_of
from post_graph_rag.models.replies import vector_key
from post_graph_rag.records import EraseReport
from post_graph_rag.store import deleting, erasing, vacuum, write
from post_graph_rag.store.database import Session
from post_graph_rag.store.erasing import HeldPassage

NOTHING = Mended(frozenset(), frozenset(), frozenset(), replies=0)


@dataclass(frozen=True, slots=True)
class Doomed:
    """What an erasure takes away, found before anything was changed; mended: what else went with it.

    kept: passages that other documents hold or held too.
    """

    documents: frozenset[int]
    passages: Sequence[HeldPassage]
    kept: frozenset[int]
    entities: frozenset[int]
    mended: Mended = field(default=NOTHING)

    @property
    def ids(self) -> frozenset[int]:
        """The ids of the passages."""
        return frozenset(passage.id for passage in self.passages)


@dataclass(frozen=True, slots=True)
class Erasing:
    """Erases documents of one space."""

    changing: Changing
    space: str

    async def documents(self, keys: Sequence[str], *, clear: bool) -> EraseReport:
        """Erase documents, all or none; see GraphRAG.erase_document."""
        named, space = stored_keys(keys), clean_space(self.space)
        if clear:
            await vacuum.check_may_vacuum(self.changing.database, self.changing.realm)

        async def change(session: Session, stamp: datetime) -> tuple[Written, Doomed]:
            known = {one.key: one.id for one in await deleting.named_documents(session, space, named)}
            check_found(space, named, known)
            return await _end(session, stamp, frozenset(known.values()))

        made = await self.changing.make(change, self._erase)
        report = _report(made, space, named)
        return await cleared(self.changing, report) if clear else report

    async def _erase(
        self, session: Session, stamp: datetime, doomed: Doomed, committed: Committed
    ) -> tuple[Doomed, Committed]:
        resting = await erasing.resting_on_passages(session, doomed.ids | doomed.kept)
        await erasing.forget_passages(session, doomed.ids, doomed.documents)
        await erasing.cut_to_links(session, doomed.kept)
        hashes = frozenset(passage.text_hash for passage in doomed.passages)
        mended = await mend(session, stamp, Loss(doomed.entities, resting, hashes, hashes, self._keys(doomed.passages)))
        erased = {
            "document": doomed.documents,
            "passage": doomed.ids,
            "entity": doomed.entities | mended.entities_left,
            "relation": mended.relations_gone | mended.relations_left,
        }
        await erasing.put_erasures(session, erased, stamp)
        return replace(doomed, mended=mended), mended.joined(committed)

    def _keys(self, passages: Iterable[HeldPassage]) -> frozenset[bytes]:
        info = self.changing.realm.info
        return frozenset(vector_key(info.embedding_model, info.dimensions, passage.text) for passage in passages)


async def _end(session: Session, stamp: datetime, documents: frozenset[int]) -> tuple[Written, Doomed]:
    """End what is live of the documents, and the merges of entities that go, so that all that stays is put right."""
    retired = await deleting.close_documents(session, documents, stamp)
    held = await erasing.passages_of(session, documents)
    passages = [passage for passage in held if passage.alone]
    alone = frozenset(passage.id for passage in passages)
    kept = frozenset(passage.id for passage in held) - alone
    entities = await erasing.lone_entities(session, alone)
    await erasing.forget_findable(session, alone, entities)
    written = Written(structure={}, retired=retired, documents=documents, told=await let_go(session, entities, stamp))
    return written, Doomed(documents, passages, kept, entities)


async def let_go(session: Session, entities: Iterable[int], stamp: datetime) -> frozenset[int]:
    """End the merges of entities that go; returns all whose standing may change with that."""
    tied = {member.id for member in await write.merge_component(session, entities)}
    ended = await erasing.end_merges_with(session, entities, stamp)
    return frozenset(tied) if ended else frozenset()


async def cleared(changing: Changing, report: EraseReport) -> EraseReport:
    """The report once dead rows are cleared; it says where they could not be."""
    if await vacuum.vacuum_realm(changing.database, changing.realm):
        return report.model_copy(update={"vacuumed": True})
    left = "an older transaction may still see dead rows, so some may be left: run VACUUM again when it has ended"
    return report.model_copy(update={"errors": (*report.errors, left)})


def _report(made: Made[Doomed], space: str, keys: Sequence[str]) -> EraseReport:
    doomed = made.told
    return EraseReport(
        keys=tuple(keys),
        space=space,
        at=mark_of(made.at),
        passages=len(doomed.passages),
        entities=len(doomed.entities),
        relations=len(doomed.mended.relations_gone),
        replies=doomed.mended.replies,
        pending_vectors=made.undone.count,
        errors=made.errors,
    )
