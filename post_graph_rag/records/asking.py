"""How a question is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat

from post_graph_rag.given import Date, Given

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

USUAL_WEIGHTS: Mapping[Channel, float] = {
    "passage_vector": 0.2,
    "passage_text": 0.4,
    "entity_vector": 1.0,
    "entity_name": 1.0,
    "relation_vector": 1.0,
    "relation_text": 1.0,
    "walk": 1.0,
    "evidence": 0.02,
}
"""What a channel counts in fusion. The walk starts from what the others found, so that it knows of passages what they
know; evidence only decides among passages that are far down."""

Weight = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Named = Annotated[tuple[str, ...], Field(min_length=1)]
Metadatum = str | bool | int | FiniteFloat
"""A value of metadata that can be asked for."""
Fusion = Literal["rrf", "quota"]


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
    hl_keywords, ll_keywords, subqueries: further texts to search with: relations by themes, entities by names, and
        passages, entities and relations by parts of the question.
    extract_keywords, decompose, condense: ask the auxiliary model, a call each, for keywords; for sub-questions; for a
        search query that says alone what a follow-up to conversation_history means. Not asked for what is given
        already, nor for what the mode does not use; what fails is told in the notes, and the question is used as it is.
    max_total_tokens: wall for the whole prompt: question, history, context and instructions.
    rrf_k, weights: reciprocal rank fusion (Cormack et al., SIGIR 2009); weights by channel, those of USUAL_WEIGHTS for
        the others, of the walk less where passages state few relations.
    only_need_context: search only; the answer's text stays empty.
    as_of: facts as they were valid at some moment of this date ("2020": any moment of 2020); a fact whose dates nobody
        states matches and says so. None: facts that nothing has superseded.
    as_believed_at: what the realm held at this moment: a mark as `watermark` gives it, or an instant; of a longer date,
        its last moment.
    include_superseded: facts that were superseded or retracted too; each says by what.
    observed_before, observed_after: only what sources say that were written before this date begins, or after it ends;
        those without a date are left out.
    include_dormant: entities that no passage mentions any more, too.
    documents, sources, metadata: only passages of documents with one of these keys, of these sources, and with one of
        the values given for each key of metadata (where a document has a list, one of it); and only the entities these
        passages mention and the relations they state. None or nothing restricts nothing.
    predicates: only relations of these predicates, in the walk too, which follows no others.
    fusion: "rrf", or "quota", which takes relations from walk and vectors in turn, and passages and entities from all
        that is not lexical.
    min_similarity: cosine below which what vectors find is left out. min_score: the same for the fused score.
    node_distance: what is fewest steps away from where the walk started comes first; the fused score decides among
        equals.
    mmr: maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998) on vectors, of passages and of relations: 1 is
        relevance alone, 0 variety alone. None: none.
    fold: share of their runs of three words from which on two passages of one space and date with the same numbers are
        taken for one: the better one stays, and names the other and its sources. 1: only those that differ in no word,
        since a single other one may be what matters. None: none.
    explain: QueryData.explain says what each channel found and what became of it, and what each step took.
    """

    mode: Mode = "mix"
    top_k: int = Field(default=8, ge=1, le=500)
    max_hops: int = Field(default=2, ge=0, le=5)
    space: str | tuple[str, ...] | None = None
    search_query: str | None = None
    hl_keywords: tuple[str, ...] = ()
    ll_keywords: tuple[str, ...] = ()
    subqueries: tuple[str, ...] = ()
    extract_keywords: bool = False
    decompose: bool = False
    condense: bool = False
    conversation_history: tuple[Message, ...] = ()
    response_type: str | None = None
    max_total_tokens: int = Field(default=8000, ge=1)
    rrf_k: int = Field(default=2, ge=1, le=10_000)
    weights: Mapping[Channel, Weight] = Field(default_factory=dict)
    only_need_context: bool = False
    as_of: Date | None = None
    as_believed_at: Date | None = None
    include_superseded: bool = False
    observed_before: Date | None = None
    observed_after: Date | None = None
    include_dormant: bool = False
    documents: Named | None = None
    sources: Named | None = None
    metadata: Mapping[str, Metadatum | Annotated[tuple[Metadatum, ...], Field(min_length=1)]] = Field(
        default_factory=dict
    )
    predicates: Named | None = None
    fusion: Fusion = "rrf"
    min_similarity: float | None = Field(default=None, ge=-1, le=1)
    min_score: Weight | None = None
    node_distance: bool = False
    mmr: Share | None = None
    fold: float | None = Field(default=1.0, gt=0, le=1)
    explain: bool = False

    def weight(self, channel: Channel) -> float:
        """What a channel counts in fusion, before the walk is weighed by what passages state."""
        return self.weights.get(channel, USUAL_WEIGHTS[channel])
