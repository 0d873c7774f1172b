"""Questions to a model that chooses among numbered things, through the model: stored replies first, then calls."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Generic, Protocol, TypeAlias, TypeVar

from post_graph_rag.clean import clean_text
from post_graph_rag.errors import BudgetExceeded, LLMError
from post_graph_rag.ingest.group_errors import only_error
from post_graph_rag.models.choice_call import Choice, parse_choice
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatModel, ChatReply, ChatRequest
from post_graph_rag.models.replies import About, Kept, ReplyStore, asked_model, content_key
from post_graph_rag.store.usage import Call, milliseconds_since

ROLE = "auxiliary"
_LONGEST_ERROR = 500


class Choosing(Protocol):
    """A question that offers numbered things. offered: how many; names: all names that are shown."""

    @property
    def offered(self) -> int: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    def request(self, prompts: Prompts) -> ChatRequest: ...


Q = TypeVar("Q", bound=Choosing)
Chosen: TypeAlias = tuple[Q, Choice, str]
"""A question, what was chosen, and the model that chose."""


class Chooser(Generic[Q]):
    """Asks one model, with one set of prompts, and keeps what it says.

    version: hash of what shapes a request besides its inputs.
    counts: "calls" that were made, and what was named but not offered ("ignored"); errors: each reason once.
    """

    def __init__(self, chat: ChatModel, replies: ReplyStore, prompts: Prompts, version: str) -> None:
        self._chat = chat
        self._replies = replies
        self._prompts = prompts
        self._version = version
        self.counts: Counter[str] = Counter()
        self.errors: dict[str, None] = {}

    async def choices(self, questions: Iterable[Q]) -> list[Chosen[Q]]:
        """What the model says to each question; nothing to those on which it fails or talks nonsense.

        Raises the database's errors.
        """
        asked = [(question, request := question.request(self._prompts), self._key(request)) for question in questions]
        kept = await self._replies.find([key for _, _, key in asked])
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._answer(*sent, kept)) for sent in asked]
        except BaseExceptionGroup as group_error:
            raise only_error(group_error) from group_error
        return [chosen for task in tasks if (chosen := task.result()) is not None]

    def _key(self, request: ChatRequest) -> bytes:
        return content_key(asked_model(self._chat), self._version, dict(request.inputs))

    async def _answer(
        self, question: Q, request: ChatRequest, key: bytes, kept: Mapping[bytes, Kept]
    ) -> Chosen[Q] | None:
        try:
            if (told := kept.get(key)) is not None:
                return question, parse_choice(told.text, question.offered), told.model
            return await self._ask(question, request, key)
        except (LLMError, BudgetExceeded) as error:
            self.errors[clean_text(f"{type(error).__name__}: {error}")[0][:_LONGEST_ERROR]] = None
            return None

    async def _ask(self, question: Q, request: ChatRequest, key: bytes) -> Chosen[Q]:
        self.counts["calls"] += 1
        started = time.monotonic()
        try:
            reply = await self._chat.chat(request)
        except LLMError:
            await self._replies.note([Call(ROLE, self._chat.name, milliseconds_since(started), failed=True)])
            raise
        milliseconds = milliseconds_since(started)
        choice = await self._read(question, reply, milliseconds)
        self.counts["ignored"] += choice.ignored
        # Only the numbers are stored: what else the model writes may quote what is to be erased one day.
        about = About(ROLE, names=question.names)
        await self._replies.keep(key, replace(reply, text=choice.text), about, milliseconds)
        return question, choice, reply.model

    async def _read(self, question: Q, reply: ChatReply, milliseconds: int) -> Choice:
        """What a reply chooses; one that cannot be read is paid for all the same."""
        try:
            return parse_choice(reply.text, question.offered)
        except LLMError:
            counted = reply.prompt_tokens, reply.output_tokens, reply.cached_tokens
            await self._replies.note([Call(ROLE, reply.model, milliseconds, *counted)])
            raise
