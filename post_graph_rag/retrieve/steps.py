"""What the auxiliary model says, where it is asked, of how a question is to be searched for.

A step that fails is told in a note, and what was asked is searched for as it stands. Nothing of this is written to the
realm: a question and the conversation before it are the user's own, and may quote what is to be erased one day.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from post_graph_rag.clean import clean_text, question_mark
from post_graph_rag.errors import BudgetTooSmall, ConfigurationError, LLMError
from post_graph_rag.models.answer_call import prompt_tokens
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatModel, ChatReply, ChatRequest
from post_graph_rag.models.question_call import CONDENSE, KEYWORDS, SUBQUESTIONS, Fields, QuestionCall
from post_graph_rag.models.replies import asked_model, content_key
from post_graph_rag.models.tokens import Tokenizer
from post_graph_rag.records import QueryParam
from post_graph_rag.retrieve.failing import failures_noted
from post_graph_rag.retrieve.modes import Plan
from post_graph_rag.retrieve.question import Question, read_question
from post_graph_rag.retrieve.room import latest_turns
from post_graph_rag.store.usage import Call, milliseconds_since

logger = logging.getLogger("post_graph_rag")

_REMEMBERED = 1_000
"""Replies that an engine keeps, so that a question which is asked again, in another mode say, costs no call."""
_LONGEST_ERROR = 300


@dataclass(slots=True)
class Remembered:
    """What the model said, by everything that shapes a reply; the newest, in this process alone."""

    replies: dict[bytes, str] = field(default_factory=dict)

    def keep(self, key: bytes, text: str) -> None:
        """Remember a reply in place of the oldest one."""
        self.replies[key] = text
        if len(self.replies) > _REMEMBERED:
            del self.replies[next(iter(self.replies))]


def nobody() -> ChatModel:
    """For readers without a model that helps. Raises ConfigurationError."""
    raise ConfigurationError("no language model can be asked how to search: leave the steps of a question off")


@dataclass(frozen=True, slots=True)
class Steps:
    """The auxiliary model as it helps with questions.

    chat: gives the model; called only when a step is wanted. told: what it said before. tokenizer: counts the prompt,
    whose wall is max_total_tokens. note: told each call.
    """

    chat: Callable[[], ChatModel]
    told: Remembered
    tokenizer: Tokenizer
    prompts: Prompts
    note: Callable[[Call], None]

    async def taken(self, asked: Question, plan: Plan, param: QueryParam) -> tuple[Question, tuple[str, ...]]:
        """The question with what the wanted steps gave, and notes on those that failed.

        A follow-up is condensed first; keywords and sub-questions are then made of that, side by side.
        Raises ConfigurationError when a step is wanted and there is no model to take it.
        """
        first, then = _wanted(plan, param)
        if not (first or then):
            return asked, ()
        run = _Run(self, self.chat(), asked, param)
        await run.take(first)
        await run.take(then)
        return read_question(asked.asked, run.param), tuple(run.notes)


def _wanted(plan: Plan, param: QueryParam) -> tuple[list[QuestionCall], list[QuestionCall]]:
    """The steps that are asked for, whose result is not given already, and is used by the mode."""
    condense = param.condense and param.conversation_history and not param.search_query
    keywords = param.extract_keywords and plan.uses_keywords and not (param.hl_keywords or param.ll_keywords)
    decompose = param.decompose and not param.subqueries
    then = [*([KEYWORDS] if keywords else []), *([SUBQUESTIONS] if decompose else [])]
    return [CONDENSE] if condense else [], then


class _Run:
    """The steps of one question; param: the caller's own with what they gave."""

    def __init__(self, steps: Steps, chat: ChatModel, asked: Question, param: QueryParam) -> None:
        self._steps = steps
        self._chat = chat
        self._asked = asked
        self.param = param
        self.notes: list[str] = []

    async def take(self, calls: Sequence[QuestionCall]) -> None:
        """Take these side by side."""
        for fields, note in await asyncio.gather(*map(self._step, calls)):
            self.param = self.param.model_copy(update=dict(fields))
            self.notes += [note] if note else []

    async def _step(self, call: QuestionCall) -> tuple[Fields, str]:
        """What a step gives, or a note on why it gives nothing."""
        try:
            return await self._said(call, self._request(call)), ""
        except (LLMError, BudgetTooSmall) as error:
            logger.warning("%s could not be made of a question: %s", call.does, error)
            reason = clean_text(str(error))[0][:_LONGEST_ERROR]
            return {}, f"{call.does} could not be made, so the question was searched without: {reason}"

    def _request(self, call: QuestionCall) -> ChatRequest:
        """The request, with as many of the latest turns as the budget holds. Raises BudgetTooSmall."""
        count, prompts, question = self._steps.tokenizer, self._steps.prompts, self.param.search_query
        question = question or self._asked.asked
        most = self.param.max_total_tokens
        left = most - prompt_tokens(call.request(question, (), prompts), count)
        # Half of what is left: a turn takes more room as a line of JSON.
        turns, _ = latest_turns(self.param.conversation_history if call.history else (), left // 2, count)
        request = call.request(question, turns, prompts)
        if (tokens := prompt_tokens(request, count)) > most:
            raise BudgetTooSmall(f"its prompt takes {tokens} tokens, max_total_tokens is {most}: raise it")
        return request

    async def _said(self, call: QuestionCall, request: ChatRequest) -> Fields:
        version = self._steps.prompts.version(call.name, f"{call.name}_question")
        key = content_key(asked_model(self._chat), call.name, version, dict(request.inputs))
        if (told := self._steps.told.replies.get(key)) is not None:
            return call.parse(told)
        reply = await self._ask(request)
        fields = call.parse(reply.text)
        self._steps.told.keep(key, reply.text)
        return fields

    async def _ask(self, request: ChatRequest) -> ChatReply:
        mark = question_mark(self._asked.asked)
        with failures_noted(self._steps.note, "auxiliary", self._chat.name, mark) as started:
            reply = await self._chat.chat(request)
        taken = reply.prompt_tokens, reply.output_tokens, reply.cached_tokens
        self._steps.note(Call("auxiliary", reply.model, milliseconds_since(started), *taken, question=mark))
        return reply
