"""How an answer's material was found: what each channel had to offer, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from post_graph_rag.records.asking import Channel
from post_graph_rag.records.base import Record

Reason = Literal["weight", "similarity", "score", "top_k", "mmr", "folded", "unstated", "reranked"]
"""Why a candidate was left out: its channel has weight 0, it was below min_similarity or min_score, others were better,
others were more different, another passage says the same, no passage that passes states or holds it, the reranker
preferred others."""


class Candidate(Record):
    """One thing that a channel found: its id, rank from 1 and the channel's own score.

    lost: why it is not among what was returned; None if it is. in_context: whether the model reads it, or for the
    budget would not.
    """

    id: int
    rank: int
    score: float
    lost: Reason | None = None
    in_context: bool = False


class Funnel(Record):
    """What one channel found of one kind of thing, best first; returned + the sum of dropped = all candidates.

    A filter works inside the statements: what it leaves out is no candidate. The walk has a funnel for each kind.
    returned: candidates among what was returned, by whatever channel; budget: those of them that the context had no
    room for.
    """

    channel: Channel
    kind: Literal["passage", "entity", "relation"]
    candidates: tuple[Candidate, ...]
    dropped: Mapping[Reason, int] = Field(default_factory=dict)
    returned: int = 0
    budget: int = 0


class Step(Record):
    """One step of a question: how long it took in milliseconds, and the statements it sent."""

    name: str
    milliseconds: float
    statements: int = 0


class Explanation(Record):
    """The whole funnel of one question, in numbers and ids alone: none of its words, nor of what was found."""

    funnels: tuple[Funnel, ...] = ()
    steps: tuple[Step, ...] = ()
