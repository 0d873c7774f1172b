"""Entities of which it is in doubt whether they are one, as a model is asked about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from post_graph_rag.ingest.choosing import Chooser
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatModel, ChatRequest
from post_graph_rag.models.replies import ReplyStore
from post_graph_rag.models.same_call import same_request, same_version
from post_graph_rag.store.similar import CalledEntity, Pair

MOST_OTHERS = 10
"""Entities that are offered beside one."""


@dataclass(frozen=True, slots=True)
class SameQuestion:
    """Which of some entities are one with another one."""

    entity: CalledEntity
    others: tuple[CalledEntity, ...]

    @property
    def offered(self) -> int:
        """How many others are shown."""
        return len(self.others)

    @property
    def names(self) -> tuple[str, ...]:
        """All names that are shown."""
        return tuple(dict.fromkeys(one.name for one in (self.entity, *self.others)))

    def request(self, prompts: Prompts) -> ChatRequest:
        """The question as it is sent."""
        return same_request(self.entity, self.others, prompts)


class ModelArbiter:
    """Asks the auxiliary model about pairs in doubt: one question for each entity, with at most ten others.

    counts: "asked", "calls", "ignored"; errors: each reason once.
    """

    def __init__(self, chat: ChatModel, replies: ReplyStore, prompts: Prompts) -> None:
        self._chooser = Chooser[SameQuestion](chat, replies, prompts, same_version(prompts))
        self.counts = self._chooser.counts
        self.errors = self._chooser.errors

    async def same(self, doubts: Sequence[Pair], called: Mapping[int, CalledEntity]) -> list[Pair]:
        """Those of the pairs that are one, by the model's word."""
        questions = _questions(doubts, called)
        self.counts["asked"] += len(questions)
        return [
            (question.entity.id, question.others[place].id)
            for question, choice, _ in await self._chooser.choices(questions)
            for place in sorted(choice.places)
        ]


def _questions(doubts: Sequence[Pair], called: Mapping[int, CalledEntity]) -> list[SameQuestion]:
    beside: dict[int, list[int]] = {}
    for one, other in doubts:
        beside.setdefault(one, []).append(other)
    return [
        SameQuestion(called[one], tuple(sorted((called[other] for other in others), key=lambda o: o.key)[:MOST_OTHERS]))
        for one, others in beside.items()
    ]
