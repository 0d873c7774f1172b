"""A group of finished documents into the record, in one transaction under the realm's write lock.

The number of statements does not depend on how many documents, passages or facts there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from post_graph_rag.errors import RAGError
from post_graph_rag.ingest.drafts import Draft, PassageDraft
from post_graph_rag.ingest.groups import differences, fact_of, triple_of, words_of
from post_graph_rag.ingest.profiles import Profile, profile
from post_graph_rag.ingest.resolve import alias_merges, canonical
from post_graph_rag.ingest.structure import structure_rows
from post_graph_rag.records import Extraction
from post_graph_rag.store import write
from post_graph_rag.store.database import Session
from post_graph_rag.store.projection import Touched, project
from post_graph_rag.store.write import Findable, Group, Posted, PutDocument
from post_graph_rag.terms import term_counts

Identity = tuple[int, bytes, bytes, str | None]


class Overtaken(RAGError):
    """Another writer changed a document after it was looked up; look again."""


@dataclass(frozen=True, slots=True)
class RelationText:
    """A new relation that still needs its vector."""

    id: int
    space: int
    text: str


@dataclass(slots=True)
class Committed:
    """What a commit leaves to be done after it: vectors of changed entities and new relations."""

    entities: list[Profile] = field(default_factory=list)
    relations: list[RelationText] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many vectors are to be made."""
        return len(self.entities) + len(self.relations)

    @property
    def texts(self) -> list[str]:
        """What the vectors are to be made of."""
        return [*(entity.text for entity in self.entities), *(relation.text for relation in self.relations)]


class Commit:
    """One commit; each step is a method, called in the order of `run`."""

    def __init__(self, session: Session, graph: str | None, extractor: str, *, reindex: bool) -> None:
        self._session = session
        self._graph = graph
        self._extractor = extractor
        self._reindex = reindex
        self._written: dict[int, tuple[int, Extraction]] = {}
        self._closed: set[int] = set()
        self._reopened: set[int] = set()
        self._linked: set[int] = set()
        self._posted: list[Posted] = []
        self._replaced: list[tuple[int, int]] = []
        self._moved: set[int] = set()

    async def run(self, drafts: Sequence[Draft]) -> Committed:
        """Write the drafts. Raises DatabaseError when the server refuses, Overtaken; then nothing is written."""
        self._stamp = await write.take_stamp(self._session)
        places = await write.put_documents(self._session, [_document_row(n, d) for n, d in enumerate(drafts)])
        for n, draft in enumerate(drafts):
            if draft.status == "metadata" and not _same_text(places[n], draft):
                raise Overtaken()
        await self._put_passages(drafts, {n: place.space for n, place in places.items()})
        retired = await self._exchange(drafts, places)
        return await self._follow({place.document for place in places.values()}, retired)

    async def complete(
        self, found: Mapping[int, tuple[int, Extraction]], extractors: Mapping[int, str], failures: Mapping[int, str]
    ) -> Committed:
        """Give passages that are there already (id -> space, extraction) their structure, or say why they lack it.

        extractors: what each extraction is from, by the passage's id.
        """
        self._stamp = await write.take_stamp(self._session)
        marks: list[dict[str, Any]] = [{"id": id, "extractor": extractors[id], "failure": None} for id in found]
        marks += [{"id": id, "extractor": None, "failure": failure} for id, failure in failures.items()]
        still_pending = await write.settle_pending(self._session, marks)
        self._written = {id: what for id, what in found.items() if id in still_pending}
        return await self._follow(set(), set())

    @property
    def settled(self) -> int:
        """How many passages this commit gave structure."""
        return len(self._written)

    async def _follow(self, documents: set[int], retired: set[int]) -> Committed:
        """Everything that follows from passages which got, lost or took up structure."""
        await self._put_structure(retired)
        changed = self._written.keys() | self._closed | self._reopened | retired
        touched = await write.touched_entities(self._session, changed)
        names_gone = await self._put_names(changed)
        await self._merge(touched)
        committed = Committed()
        entities = await self._put_profiles(touched | self._moved, committed)
        relations = await self._put_relations(changed, committed)
        await self._let_find(retired, relations, entities, names_gone)
        await self._draw(documents, changed, relations, entities)
        return committed

    # ------------------------------------------------------------ passages

    async def _put_passages(self, drafts: Sequence[Draft], spaces: dict[int, int]) -> None:
        """Insert passages; decide which get structure, lose theirs, or take it up again."""
        unique: dict[Identity, PassageDraft] = {}
        for n, draft in enumerate(drafts):
            for passage in draft.passages:
                key = identity(spaces[n], draft, passage)
                unique[key] = passage if key not in unique else _better(unique[key], passage)
        wanted = [self._passage_row(n, key, passage) for n, (key, passage) in enumerate(unique.items())]
        rows = await write.put_passages(self._session, wanted)
        self._ids = {key: rows[n].id for n, key in enumerate(unique)}
        marks = []
        vectors: list[tuple[int, int, Any]] = []
        for n, (key, passage) in enumerate(unique.items()):
            row = rows[n]
            if row.added and passage.vector is None:
                raise Overtaken()
            if passage.vector is not None:
                vectors.append((row.id, key[0], passage.vector))
            if row.added:
                self._posted.append(Posted(write.PASSAGE, key[0], row.id, passage.terms()))
            if (mark := self._settle(row, key[0], passage)) is not None:
                marks.append(mark)
        if marks:
            await write.mark_passages(self._session, marks)
        if vectors:
            ids, owners, numbers = zip(*vectors, strict=True)
            await write.put_passage_vectors(self._session, ids, owners, numbers)

    def _passage_row(self, n: int, key: Identity, passage: PassageDraft) -> dict[str, Any]:
        space, text_hash, context_hash, event = key
        return {
            "n": n,
            "space": space,
            "text_hash": text_hash,
            "context_hash": context_hash,
            "event": event,
            "text": passage.chunk.text,
            "tokens": passage.tokens,
            "extractor": passage.extractor if passage.extraction is not None else None,
            "failure": passage.failure,
        }

    def _settle(self, row: write.PutPassage, space: int, passage: PassageDraft) -> dict[str, Any] | None:
        """What becomes of one passage's structure; returns its mark where the row must change."""
        fresh = passage.extraction
        renewed = self._reindex and row.extractor not in (self._extractor, passage.extractor)
        if fresh is not None and (row.added or row.extractor is None or renewed):
            self._written[row.id] = (space, fresh)
            if row.extractor is not None and row.live:
                self._closed.add(row.id)
            return None if row.added else {"id": row.id, "extractor": passage.extractor, "failure": None}
        if row.extractor is not None and not row.live:
            self._reopened.add(row.id)
        if row.extractor is None and not row.added and passage.failure is not None:
            return {"id": row.id, "extractor": None, "failure": passage.failure}
        return None

    async def _exchange(self, drafts: Sequence[Draft], places: Mapping[int, PutDocument]) -> set[int]:
        versions = []
        for n, draft in enumerate(drafts):
            space, document = places[n].space, places[n].document
            links: list[list[int]] | None = None if draft.status == "metadata" else []
            for ordinal, passage in enumerate(draft.passages):
                id = self._ids[identity(space, draft, passage)]
                self._linked.add(id)
                if links is not None:
                    links.append([id, ordinal, passage.chunk.start, passage.chunk.end])
            versions.append(_version_row(document, draft, links))
        return set(await write.exchange_versions(self._session, versions, self._stamp))

    # ------------------------------------------------------------ structure

    async def _put_structure(self, retired: set[int]) -> None:
        if retired or self._closed:
            await write.close_structure(self._session, retired | self._closed, self._stamp)
        if self._reopened:
            await write.reopen_structure(self._session, self._reopened, self._stamp)
        keys, rows = structure_rows(self._written)
        entities = await write.put_entities(self._session, keys)
        await write.put_structure(self._session, rows(entities), self._stamp)

    async def _merge(self, touched: set[int]) -> None:
        """Bring the merges that follow from aliases up to date; notes which entities stand for others than before."""
        claims = await write.touched_claims(self._session, touched)
        live = await write.live_merges(self._session, touched, {claim.source for claim in claims})
        wanted = alias_merges(claims)
        ended = {source for source, target in live.items() if wanted.get(source) != target}
        made = {source: target for source, target in wanted.items() if live.get(source) != target}
        if not ended and not made:
            return
        ties = ended | {live[source] for source in ended} | made.keys() | set(made.values())
        before = await write.merge_component(self._session, ties)
        await write.put_merges(self._session, ended, made, self._stamp)
        after = await write.merge_component(self._session, {member.id for member in before} | ties)
        stands = canonical(after)
        moves = {member.id: stands[member.id] for member in after if member.canonical != stands[member.id]}
        await write.put_canonical(self._session, moves)
        self._moved = moves.keys() | set(moves.values()) | {m.canonical for m in after if m.id in moves}

    # ------------------------------------------------------------ what follows

    async def _put_relations(self, changed: set[int], committed: Committed) -> dict[int, Group]:
        fetched = await write.fetch_groups(self._session, changed, self._moved)
        groups = [group for group in fetched if group.relation is not None or group.assertions]
        ids = await write.apply_groups(self._session, differences(groups), self._stamp)
        for n, group in enumerate(groups):
            self._index_relation(ids[n], group, committed)
        return {ids[n]: group for n, group in enumerate(groups)}

    def _index_relation(self, id: int, group: Group, committed: Committed) -> None:
        """Note its words where they changed, and that it needs a vector where it is new, or back without one."""
        fact = fact_of(group)
        if group.relation is None or (group.pending and group.assertions and not group.current):
            committed.relations.append(RelationText(id, group.space, triple_of(group).text))
        if group.relation is not None and fact == group.fact:
            return
        if group.relation is not None:
            self._replaced.append((write.RELATION, id))
        self._posted.append(Posted(write.RELATION, group.space, id, term_counts(words_of(group))))

    async def _put_profiles(self, touched: set[int], committed: Committed) -> dict[int, bool]:
        rows = await write.fetch_profiles(self._session, touched)
        profiles = [made for row in rows if (made := profile(row)) is not None]
        await write.apply_profiles(self._session, [made.row() for made in profiles])
        committed.entities = [made for made in profiles if made.pending and made.current]
        return {made.entity: made.current for made in profiles}

    async def _put_names(self, changed: set[int]) -> frozenset[int]:
        """Names come before merges, which follow from them; returns those that nothing says any more."""
        rows = await write.settle_names(self._session, changed, self._stamp)
        for row in rows:
            if row["live"]:
                self._posted.append(Posted(write.NAME, row["space"], row["id"], term_counts(row["name"])))
        return frozenset(row["id"] for row in rows if not row["live"])

    async def _let_find(
        self, retired: set[int], relations: dict[int, Group], entities: dict[int, bool], names_gone: frozenset[int]
    ) -> None:
        await write.put_postings(self._session, self._posted, self._replaced)
        found = Findable(
            passages=frozenset(self._linked),
            no_passages=frozenset(retired),
            entities=frozenset(id for id, current in entities.items() if current),
            no_entities=frozenset(id for id, current in entities.items() if not current),
            relations=frozenset(id for id, group in relations.items() if group.assertions),
            no_relations=frozenset(id for id, group in relations.items() if not group.assertions),
            no_names=names_gone,
        )
        await write.set_current(self._session, found)

    async def _draw(
        self, documents: set[int], changed: set[int], relations: dict[int, Group], entities: dict[int, bool]
    ) -> None:
        if self._graph is None:
            return
        passages = changed | self._linked
        if self._moved:
            passages |= await write.mentioning_passages(self._session, self._moved)
        await project(self._session, self._graph, Touched(documents, passages, entities, relations))


def identity(space: int, draft: Draft, passage: PassageDraft) -> Identity:
    """What makes two passages one: space, text, the caller's context and event time."""
    return (space, passage.text_hash, draft.context_hash, draft.observed)


def _better(one: PassageDraft, other: PassageDraft) -> PassageDraft:
    """Of two equal passages, read for two documents, the one of which more could be had."""
    return max(one, other, key=lambda passage: (passage.vector is not None, passage.extraction is not None))


def _same_text(place: PutDocument, draft: Draft) -> bool:
    return place.version == (draft.text_hash, draft.context_hash, draft.observed_text)


def _document_row(n: int, draft: Draft) -> dict[str, Any]:
    return {"n": n, "space": draft.space, "digest": draft.digest, "key": draft.key}


def _version_row(document: int, draft: Draft, links: list[list[int]] | None) -> dict[str, Any]:
    return {
        "document": document,
        "text_hash": draft.text_hash,
        "context_hash": draft.context_hash,
        "metadata_hash": draft.metadata_hash,
        "title": draft.title,
        "source": draft.source,
        "context": draft.context.model_dump(mode="json"),
        "metadata": draft.metadata,
        "observed": draft.observed,
        "observed_text": draft.observed_text,
        "links": links,
    }
