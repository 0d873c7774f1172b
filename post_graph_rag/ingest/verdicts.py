"""Questions about facts that may contradict one another, through the model: stored replies first, then calls."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from post_graph_rag.clean import clean_text
from post_graph_rag.errors import BudgetExceeded, LLMError
from post_graph_rag.ingest.group_errors import only_error
from post_graph_rag.models.judge_call import Choice, contradiction_request, parse_choice, prompt_version
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatModel, ChatReply, ChatRequest
from post_graph_rag.models.replies import About, Kept, ReplyStore, asked_model, content_key
from post_graph_rag.store.usage import Call
from post_graph_rag.store.write import ShownFact, Verdict

ROLE = "auxiliary"
_LONGEST_ERROR = 500


@dataclass(frozen=True, slots=True)
class Question:
    """Which of some facts cannot hold beside one fact; all by id, as they are shown."""

    fact: tuple[int, ShownFact]
    rivals: tuple[tuple[int, ShownFact], ...]

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
            Verdict(min(one, rival), max(one, rival), place in choice.excluded, model)
            for place, (rival, _) in enumerate(self.rivals)
        ]


class Judge:
    """Asks one model, with one set of prompts, and keeps what it says.

    counts: "calls" that were made, and what was named but not offered ("ignored"); errors: each reason once.
    """

    def __init__(self, chat: ChatModel, replies: ReplyStore, prompts: Prompts) -> None:
        self._chat = chat
        self._replies = replies
        self._prompts = prompts
        self._version = prompt_version(prompts)
        self.counts: Counter[str] = Counter()
        self.errors: dict[str, None] = {}

    async def verdicts(self, questions: Iterable[Question]) -> list[Verdict]:
        """What the model says of each question; nothing of those on which it fails or talks nonsense."""
        asked = [(question, request := question.request(self._prompts), self._key(request)) for question in questions]
        kept = await self._replies.find([key for _, _, key in asked])
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._answer(*sent, kept)) for sent in asked]
        except BaseExceptionGroup as group_error:
            raise only_error(group_error) from group_error
        return [verdict for task in tasks for verdict in task.result()]

    def _key(self, request: ChatRequest) -> bytes:
        return content_key(asked_model(self._chat), self._version, dict(request.inputs))

    async def _answer(
        self, question: Question, request: ChatRequest, key: bytes, kept: Mapping[bytes, Kept]
    ) -> list[Verdict]:
        try:
            if (told := kept.get(key)) is not None:
                return question.verdicts(parse_choice(told.text, len(question.rivals)), told.model)
            return await self._ask(question, request, key)
        except (LLMError, BudgetExceeded) as error:
            self.errors[clean_text(f"{type(error).__name__}: {error}")[0][:_LONGEST_ERROR]] = None
            return []

    async def _ask(self, question: Question, request: ChatRequest, key: bytes) -> list[Verdict]:
        self.counts["calls"] += 1
        started = time.monotonic()
        reply = await self._chat.chat(request)
        milliseconds = round((time.monotonic() - started) * 1000)
        choice = await self._read(question, reply, milliseconds)
        self.counts["ignored"] += choice.ignored
        # Only the numbers are stored: what else the model writes may quote facts that are to be erased one day.
        about = About(ROLE, names=question.names)
        await self._replies.keep(key, replace(reply, text=choice.text), about, milliseconds)
        return question.verdicts(choice, reply.model)

    async def _read(self, question: Question, reply: ChatReply, milliseconds: int) -> Choice:
        """What a reply chooses; one that cannot be read is paid for all the same."""
        try:
            return parse_choice(reply.text, len(question.rivals))
        except LLMError:
            counted = reply.prompt_tokens, reply.output_tokens, reply.cached_tokens
            await self._replies.note([Call(ROLE, reply.model, milliseconds, *counted)])
            raise
