"""What a question finds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, JsonValue

from post_graph_rag.records.asking import Channel, Mode
from post_graph_rag.records.base import Record
from post_graph_rag.records.explaining import Explanation

Cause = Literal["superseded", "denied", "verdict", "override"]


class ChannelRank(Record):
    """Where one channel placed a hit: rank from 1, and the channel's own score (larger is better).

    "rerank" is the caller's reranker, which comes after fusion and settles the order of passages.
    """

    channel: Channel | Literal["rerank"]
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
    """A passage that was found; `score` is the fused score.

    duplicates: ids of passages folded into it, whose sources follow its own.
    """

    id: int
    text: str
    space: str
    score: float
    channels: tuple[ChannelRank, ...]
    sources: tuple[Source, ...]
    metadata: Mapping[str, JsonValue] = Field(default_factory=dict)
    observed_at: str | None = None
    duplicates: tuple[int, ...] = ()


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


class Closing(Record):
    """What ended a period: the fact or denial that took its place, a model's verdict, or a person's word.

    relations: ids of the facts that ended it; reason: what the person, or the model's name, gave for it.
    """

    cause: Cause
    relations: tuple[int, ...] = ()
    reason: str = ""


class Period(Record):
    """When a relation held, as ISO dates, the end inclusive; None is an open or unknown end.

    dated: whether the text states dates; if not, bounds follow only from what came before or after.
    closed_by: what superseded it; None while nothing did. retracted: somebody says that it never held.
    """

    start: str | None = None
    end: str | None = None
    dated: bool = False
    closed_by: Closing | None = None
    retracted: bool = False


class RelationHit(Record):
    """A relation that was found; `weight` counts the distinct passages that state it, `passages` lists some of them.

    superseded: every period that is shown was closed by something.
    """

    id: int
    subject: str
    predicate: str
    object: str
    negated: bool = False
    fact: str
    periods: tuple[Period, ...] = ()
    superseded: bool = False
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

    searched: the texts that were searched with: the question or what stands for it, sub-questions, keywords.
    tokens: size of the whole prompt that this context makes, within max_total_tokens.
    truncated: true when hits were left out or cut for the budget.
    notes: what was degraded or left out, in words.
    explain: the whole funnel, if asked for.
    """

    question: str
    mode: Mode
    searched: tuple[str, ...] = ()
    passages: tuple[PassageHit, ...] = ()
    entities: tuple[EntityHit, ...] = ()
    relations: tuple[RelationHit, ...] = ()
    references: tuple[Reference, ...] = ()
    context: str = ""
    tokens: int = 0
    truncated: bool = False
    notes: tuple[str, ...] = ()
    explain: Explanation | None = None


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
