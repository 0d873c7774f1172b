"""What judging contradictions reports."""

from __future__ import annotations

from post_graph_rag.records.base import Record


class JudgeReport(Record):
    """What `judge_contradictions` did.

    asked: facts for which there was something to ask; calls: model calls made, replies that were stored left out.
    verdicts: pairs of facts that were judged; exclusive: those of them that cannot hold at the same time.
    ignored: how much a model named that was not offered to it.
    errors: why facts are left to the next judging, each reason once; empty when all are judged.
    """

    asked: int = 0
    calls: int = 0
    verdicts: int = 0
    exclusive: int = 0
    ignored: int = 0
    errors: tuple[str, ...] = ()
