"""What goes into the library and what comes out: frozen pydantic records, no behaviour."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from post_graph_rag.given import Given

Mode = Literal["mix", "local", "global", "hybrid", "naive", "bypass"]
Channel = Literal[
    "passage_vector",
    "passage_text",
    "entity_vector",
    "entity_name",
    "relation_vector",
    "relation_text",
    "walk",
    "evidence",
]

Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Record(BaseModel):
    """Base of all records: immutable, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# ---------------------------------------------------------------- what goes in


class DocumentContext(Given):
    """What the caller knows of a document; it helps the extractor and is part of what 'unchanged' means."""

    title: str | None = None
    source: str | None = None
    summary: str | None = None
    known_names: tuple[str, ...] = ()


class Document(Given):
    """One text to index.

    text: the whole text; may be left out when `chunks` are given.
    key: identity in its space; default `source`, else the hash of the text.
    title: part of the context, since pronouns are read by it: the same text under another title is read anew, and is a
        passage of its own.
    observed_at: when the source says this was written or seen: an ISO date or instant, partial dates allowed ("2020").
    metadata: any JSON; a change of metadata alone costs no model call.
    chunks: passages already cut by the caller; they are taken as they are.
    """

    text: str = ""
    key: str | None = None
    source: str | None = None
    title: str | None = None
    metadata: Mapping[str, JsonValue] = Field(default_factory=dict)
    observed_at: str | date | datetime | None = None
    space: str | None = None
    context: DocumentContext | None = None
    chunks: tuple[str, ...] | None = None


# ---------------------------------------------------------------- what an extractor finds


class ExtractedEntity(Record):
    """A thing a passage names; `description` is what that passage says of it."""

    name: str
    type: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()


class ExtractedRelation(Record):
    """A statement a passage makes; the dates are ISO, possibly partial, and only those the text states."""

    subject: str
    predicate: str
    object: str
    description: str = ""
    negated: bool = False
    confidence: float = 1.0
    valid_from: str | None = None
    valid_to: str | None = None


class Extraction(Record):
    """All that was found in one passage."""

    entities: tuple[ExtractedEntity, ...] = ()
    relations: tuple[ExtractedRelation, ...] = ()


# ---------------------------------------------------------------- what indexing reports


class Progress(Record):
    """One step of an indexing call. `document` is the key at work; `done` and `total` count passages.

    Total grows as documents are looked up; a passage is done when it was read, needs no reading, or was given up.
    failed: of a document that keeps its old version, too.
    """

    stage: Literal["staged", "extracted", "published", "unchanged", "failed"]
    document: str
    done: int
    total: int


DocumentStatus = Literal["new", "changed", "metadata", "completed", "unchanged", "kept", "failed"]


class DocumentReport(Record):
    """What became of one document.

    status: metadata: only that changed; completed: unchanged, but pending structure was tried again; kept: no structure
        could be had for the new version, so the old one stays.
    passages: in the document now; new_passages: not known before; pending: passages still without structure.
    entities, relations: found in the passages that were extracted by this call (after the gates).
    model_calls, replayed: extraction calls made, and replies taken from the store instead.
    gates: how often each named gate dropped or mended something; repairs: the same for replies that had to be mended.
    pending_vectors: entity and relation vectors that could not be made yet; of documents that were written together,
        the first carries the number.
    replaced_characters: NUL and lone surrogates stored as U+FFFD.
    errors: what went wrong, in words; of what fails after all documents are committed, the first report tells.
    """

    key: str
    space: str
    status: DocumentStatus
    passages: int = 0
    new_passages: int = 0
    pending: int = 0
    pending_vectors: int = 0
    entities: int = 0
    relations: int = 0
    model_calls: int = 0
    replayed: int = 0
    gates: Mapping[str, int] = Field(default_factory=dict)
    repairs: Mapping[str, int] = Field(default_factory=dict)
    replaced_characters: int = 0
    errors: tuple[str, ...] = ()


class PendingReport(Record):
    """What `complete_pending` did."""

    passages_completed: int = 0
    passages_left: int = 0
    vectors_completed: int = 0
    vectors_left: int = 0
    errors: tuple[str, ...] = ()


# ---------------------------------------------------------------- how a question is asked


class Message(Given):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class QueryParam(Given):
    """How to answer one question. Frozen: nothing of one question can leak into the next.

    top_k: how many passages, and how many relations and entities, are kept after fusion.
    max_hops: how far the walk goes from its seeds.
    space: one space, several, or "*" for all; None is the engine's own.
    search_query: what to search for, when it differs from the question that is answered.
    hl_keywords, ll_keywords, subqueries: further texts to search with.
    max_total_tokens: wall for the whole prompt: question, history, context and instructions.
    rrf_k, weights: reciprocal rank fusion (Cormack et al., SIGIR 2009); weights by channel, default 1.
    only_need_context: search only; the answer's text stays empty.
    """

    mode: Mode = "mix"
    top_k: int = Field(default=8, ge=1, le=500)
    max_hops: int = Field(default=2, ge=0, le=5)
    space: str | tuple[str, ...] | None = None
    search_query: str | None = None
    hl_keywords: tuple[str, ...] = ()
    ll_keywords: tuple[str, ...] = ()
    subqueries: tuple[str, ...] = ()
    conversation_history: tuple[Message, ...] = ()
    response_type: str | None = None
    max_total_tokens: int = Field(default=8000, ge=1)
    rrf_k: int = Field(default=60, ge=1)
    weights: Mapping[Channel, Weight] = Field(default_factory=dict)
    only_need_context: bool = False


# ---------------------------------------------------------------- what a question finds


class ChannelRank(Record):
    """Where one channel placed a hit: rank from 1, and the channel's own score (larger is better)."""

    channel: Channel
    rank: int
    score: float


class Source(Record):
    """Where a passage stands: the document's key and title, and the passage's ordinal and offsets in it."""

    document: str
    title: str | None = None
    source: str | None = None
    ordinal: int
    start: int
    end: int


class PassageHit(Record):
    """A passage that was found; `score` is the fused score."""

    id: int
    text: str
    space: str
    score: float
    channels: tuple[ChannelRank, ...]
    sources: tuple[Source, ...]
    metadata: Mapping[str, JsonValue] = Field(default_factory=dict)
    observed_at: str | None = None


class EntityHit(Record):
    """An entity that was found; `passages` are ids of passages that mention it."""

    id: int
    name: str
    type: str
    description: str
    space: str
    score: float
    channels: tuple[ChannelRank, ...]
    passages: tuple[int, ...] = ()


class Period(Record):
    """When a relation held, as ISO dates; both None and dated False: the text states no date."""

    start: str | None = None
    end: str | None = None
    dated: bool = False


class RelationHit(Record):
    """A relation that was found; `weight` counts the distinct passages that state it, `passages` lists some of them."""

    id: int
    subject: str
    predicate: str
    object: str
    negated: bool = False
    fact: str
    periods: tuple[Period, ...] = ()
    confidence: float = 1.0
    weight: int = 1
    space: str
    score: float
    channels: tuple[ChannelRank, ...]
    passages: tuple[int, ...] = ()


class Reference(Record):
    """A numbered source of the context: [number] in the prompt and in the answer."""

    number: int
    passage: int
    document: str
    title: str | None = None
    source: str | None = None


class QueryData(Record):
    """All that was found for a question, best first, and the context as the model would read it.

    tokens: size of the whole prompt that this context makes, within max_total_tokens.
    truncated: true when hits were left out or cut for the budget.
    notes: what was degraded or left out, in words.
    """

    question: str
    mode: Mode
    passages: tuple[PassageHit, ...] = ()
    entities: tuple[EntityHit, ...] = ()
    relations: tuple[RelationHit, ...] = ()
    references: tuple[Reference, ...] = ()
    context: str = ""
    tokens: int = 0
    truncated: bool = False
    notes: tuple[str, ...] = ()


class Answer(Record):
    """The answer, the sources it cites, the facts it could use, and all that was found.

    references: those the text cites, numbered as in the text; empty when it cites none.
    model: the model that wrote the text; offline models say so in their name.
    """

    text: str
    references: tuple[Reference, ...] = ()
    data: QueryData
    model: str = ""
    prompt_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0


class RealmInfo(Record):
    """A realm as the registry knows it."""

    name: str
    schema_name: str
    graph_name: str | None
    embedding_model: str
    dimensions: int
    generation: int
    extractor: str = ""


class RealmStats(Record):
    """How much a realm holds now."""

    realm: RealmInfo
    spaces: int = 0
    documents: int = 0
    passages: int = 0
    entities: int = 0
    relations: int = 0
    pending_passages: int = 0
    pending_vectors: int = 0
    bytes: int = 0


class OptimizeReport(Record):
    """What `optimize` did.

    indexed: vector tables that got their HNSW index; analyzed: tables with fresh statistics; tidied: rows put right.
    busy: another process was at it already, so nothing was done.
    """

    indexed: tuple[str, ...] = ()
    analyzed: int = 0
    tidied: int = 0
    busy: bool = False


class Finding(Record):
    """One thing `doctor` looked at. `repair` is the command that mends it, where one of ours can."""

    check: str
    ok: bool
    detail: str
    repair: str | None = None


ProgressCallback = Callable[[Progress], Awaitable[None] | None]
