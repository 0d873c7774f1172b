"""What the record holds, looked up by name or listed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, JsonValue

from post_graph_rag.records.base import Record
from post_graph_rag.records.finding import Period


class DocumentInfo(Record):
    """A document in its latest version.

    passages, pending: how many it has, and how many of them still lack structure.
    recorded_at: since when this version is held; deleted_at: when the document was deleted; both as marks.
    """

    id: int
    key: str
    space: str
    title: str | None = None
    source: str | None = None
    metadata: Mapping[str, JsonValue] = Field(default_factory=dict)
    observed_at: str | None = None
    passages: int = 0
    pending: int = 0
    recorded_at: str
    deleted_at: str | None = None


class DocumentPage(Record):
    """Documents, those indexed first in front; `after` is where the next page begins, None at the end."""

    documents: tuple[DocumentInfo, ...] = ()
    after: str | None = None


class PassageInfo(Record):
    """A passage of a document: its place and offsets in it, and why it still lacks structure, if it does."""

    id: int
    ordinal: int
    start: int
    end: int
    text: str
    tokens: int
    pending: bool = False
    failure: str | None = None


class VersionInfo(Record):
    """One version of a document and, as marks, in which span of time it was the one that is held."""

    title: str | None = None
    source: str | None = None
    metadata: Mapping[str, JsonValue] = Field(default_factory=dict)
    observed_at: str | None = None
    passages: int = 0
    recorded_from: str
    recorded_to: str | None = None


class DocumentDetail(Record):
    """A document with the passages of its latest version, in order, and all its versions, oldest first."""

    document: DocumentInfo
    passages: tuple[PassageInfo, ...] = ()
    versions: tuple[VersionInfo, ...] = ()


class EntityInfo(Record):
    """An entity that stands for itself. dormant: no passage mentions it."""

    id: int
    name: str
    type: str = ""
    description: str = ""
    space: str
    dormant: bool = False


class EntityPage(Record):
    """Entities in the order of their keys; `after` is where the next page begins, None at the end."""

    entities: tuple[EntityInfo, ...] = ()
    after: str | None = None


class MergedEntity(Record):
    """An entity for which another one stands, since when, and why.

    cause: "user" a person said so, "alias" passages give it as a name of the other, "sense" passages that give it no
    kind use the name of a thing that has one, "similar" the two are alike.
    """

    id: int
    name: str
    into: int
    cause: Literal["alias", "sense", "similar", "user"]
    recorded_from: str


class EntityDetail(Record):
    """An entity and what hangs on it.

    names, aliases: those that passages give it now; merged: what it stands for.
    relations: how many hold; weight: how many distinct passages mention it, `passages` lists the first 100 of them.
    """

    entity: EntityInfo
    names: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    merged: tuple[MergedEntity, ...] = ()
    relations: int = 0
    weight: int = 0
    passages: tuple[int, ...] = ()


class RecordedPeriod(Period):
    """A period and, as marks, in which span of time the realm held it to be so."""

    recorded_from: str
    recorded_to: str | None = None


class Evidence(Record):
    """What one passage states of a relation: its words, the dates it states, and when its source was written.

    documents: keys of some documents that hold the passage now.
    quote, offsets: what of the passage states it, and from and to which character that stands; None where the
        extractor was not asked (`quote_evidence`) or what it said is not there.
    """

    passage: int
    documents: tuple[str, ...] = ()
    fact: str
    quote: str | None = None
    offsets: tuple[int, int] | None = None
    stated_from: str | None = None
    stated_to: str | None = None
    observed_from: str | None = None
    observed_to: str | None = None
    confidence: float
    recorded_from: str


class Override(Record):
    """A person's word on a relation: that it ended at a date (None: that it never held), or that it holds after all."""

    action: Literal["close", "reopen"]
    at: str | None = None
    reason: str = ""
    recorded_from: str
    recorded_to: str | None = None


class RelationDetail(Record):
    """A relation with its whole history.

    current: it holds, and nothing superseded it. periods: those held now and those held before, as they came.
    weight: how many distinct passages state it now; `evidence` shows up to 100 of their statements, surest first.
    """

    id: int
    subject: str
    subject_id: int
    predicate: str
    object: str
    object_id: int
    negated: bool = False
    fact: str
    space: str
    current: bool
    periods: tuple[RecordedPeriod, ...] = ()
    weight: int = 0
    evidence: tuple[Evidence, ...] = ()
    overrides: tuple[Override, ...] = ()


class DocumentStats(Record):
    """How much a document carries in the version that is held.

    entities, relations: that its passages mention or state; own_entities, own_relations: those of them that no other
        document does.
    first_recorded, last_recorded: when the first and the latest version came, as marks.
    """

    key: str
    space: str
    passages: int = 0
    tokens: int = 0
    pending: int = 0
    entities: int = 0
    own_entities: int = 0
    relations: int = 0
    own_relations: int = 0
    versions: int = 0
    first_recorded: str
    last_recorded: str


class GraphNode(Record):
    """An entity in a document. degree: of how many of its relations it is an end; passages: how many mention it."""

    id: int
    name: str
    type: str = ""
    degree: int = 0
    passages: int = 0


class GraphEdge(Record):
    """A relation that a document states, in how many of its passages; current: nothing superseded it."""

    id: int
    subject: int
    predicate: str
    object: int
    negated: bool = False
    fact: str
    passages: int = 0
    current: bool = True


class DocumentGraph(Record):
    """What a document's passages mention and state, most connected first.

    truncated: entities or relations were left out for the limit.
    """

    key: str
    space: str
    entities: tuple[GraphNode, ...] = ()
    relations: tuple[GraphEdge, ...] = ()
    truncated: bool = False
