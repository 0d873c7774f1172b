"""What was found, in the order of a reranker."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from post_graph_rag.errors import RerankError
from post_graph_rag.models.rerank import Reranker, scores_by
from post_graph_rag.records import ChannelRank, PassageHit, QueryData

logger = logging.getLogger("post_graph_rag")


async def reranked(data: QueryData, reranker: Reranker, question: str, top_k: int, patience: float) -> QueryData:
    """The passages as the reranker orders them: the best `top_k`, and those that the relations rest on.

    question: what to score by. patience: seconds the reranker may take; where it fails, the order stays and a note
    says so.
    """
    if not data.passages:
        return data
    try:
        scores = await scores_by(reranker, question, [hit.text for hit in data.passages], patience)
    except RerankError as error:
        logger.warning("%s", error)
        note = "the reranker failed: passages are in the order of their fused scores"
        return data.model_copy(update={"passages": _kept(data.passages, data, top_k), "notes": (*data.notes, note)})
    ranked = sorted(zip(data.passages, scores, strict=True), key=lambda pair: -pair[1])
    placed = [_placed(hit, rank, score) for rank, (hit, score) in enumerate(ranked, 1)]
    return data.model_copy(update={"passages": _kept(placed, data, top_k)})


def _placed(hit: PassageHit, rank: int, score: float) -> PassageHit:
    channel = ChannelRank(channel="rerank", rank=rank, score=score)
    return hit.model_copy(update={"channels": (*hit.channels, channel)})


def _kept(hits: Sequence[PassageHit], data: QueryData, top_k: int) -> tuple[PassageHit, ...]:
    """The first ones and, of each relation that none of these states, the first that does."""
    kept = {hit.id for hit in hits[:top_k]}
    for relation in data.relations:
        if kept.isdisjoint(relation.passages):
            kept.update([hit.id for hit in hits if hit.id in relation.passages][:1])
    return tuple(hit for hit in hits if hit.id in kept)
