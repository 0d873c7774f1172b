"""Questions about facts that may contradict one another, and what a model says of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from post_graph_rag.ingest.choosing import Chooser
from post_graph_rag.models.choice_call import Choice
from post_graph_rag.models.judge_call import contradiction_request, prompt_version
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatModel, ChatRequest
from post_graph_rag.models.replies import ReplyStore
from post_graph_rag.store.write import ShownFact, Verdict


@dataclass(frozen=True, slots=True)
class Question:
    """Which of some facts cannot hold beside one fact; all by id, as they are shown."""

    fact: tuple[int, ShownFact]
    rivals: tuple[tuple[int, ShownFact], ...]

    @property
    def offered(self) -> int:
        """How many others are shown."""
        return len(self.rivals)

    @property
    def names(self) -> tuple[str, ...]:
        """All names that are shown."""
        shown = (fact for _, fact in (self.fact, *self.rivals))
        return tuple(dict.fromkeys(name for fact in shown for name in (fact.subject, fact.object)))

    def request(self, prompts: Prompts) -> ChatRequest:
        """The question as it is sent."""
        return contradiction_request(self.fact[1], [fact for _, fact in self.rivals], prompts)

    def verdicts(self, choice: Choice, model: str) -> list[Verdict]:
        """What a choice says of each pair."""
        one = self.fact[0]
        return [
            Verdict(min(one, rival), max(one, rival), place in choice.places, model)
            for place, (rival, _) in enumerate(self.rivals)
        ]


class Judge:
    """Asks one model, with one set of prompts, and keeps what it says; counts, errors: as Chooser has them."""

    def __init__(self, chat: ChatModel, replies: ReplyStore, prompts: Prompts) -> None:
        self._chooser = Chooser[Question](chat, replies, prompts, prompt_version(prompts))
        self.counts = self._chooser.counts
        self.errors = self._chooser.errors

    async def verdicts(self, questions: Iterable[Question]) -> list[Verdict]:
        """What the model says of each question; nothing of those on which it fails or talks nonsense."""
        return [
            verdict
            for question, choice, model in await self._chooser.choices(questions)
            for verdict in question.verdicts(choice, model)
        ]
