"""How much of the token budget is left for the context, once question, instructions and history are counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from post_graph_rag.errors import BudgetTooSmall
from post_graph_rag.models.answer_call import (
    TOKENS_PER_MESSAGE,
    answer_overhead,
    answer_request,
    bypass_request,
    prompt_tokens,
)
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatRequest
from post_graph_rag.models.tokens import Tokenizer, size
from post_graph_rag.records import Message, QueryParam

SEAM = 2
"""Tokens by which a text may exceed the sum of its parts."""


@dataclass(frozen=True, slots=True)
class Room:
    """The prompt without its context.

    history: the turns that are sent; left: tokens that remain for the context; notes: what was left out, in words.
    """

    question: str
    param: QueryParam
    tokenizer: Tokenizer
    prompts: Prompts
    history: tuple[Message, ...]
    left: int

    @classmethod
    def measure(cls, question: str, param: QueryParam, tokenizer: Tokenizer, prompts: Prompts) -> Room:
        """Count question and instructions, and as much of the history, latest turns first, as half the rest holds.

        Raises BudgetTooSmall when the question and the instructions alone exceed the budget.
        """
        bare = answer_overhead(question, (), param.response_type, prompts, tokenizer) + SEAM
        _must_fit(bare, param)
        history, taken = latest_turns(param.conversation_history, (param.max_total_tokens - bare) // 2, tokenizer)
        return cls(question, param, tokenizer, prompts, history, param.max_total_tokens - bare - taken)

    @property
    def notes(self) -> tuple[str, ...]:
        return _left_out(len(self.param.conversation_history) - len(self.history))

    def request(self, context: str) -> ChatRequest:
        """The whole request that this context makes."""
        return answer_request(self.question, context, self.history, self.param.response_type, self.prompts)

    def tokens(self, context: str) -> int:
        """The exact size of that request."""
        return prompt_tokens(self.request(context), self.tokenizer)


def bypass_prompt(
    question: str, param: QueryParam, tokenizer: Tokenizer, prompts: Prompts
) -> tuple[ChatRequest, int, tuple[str, ...]]:
    """The request that asks the model alone, its size, and what was left out of it.

    Raises BudgetTooSmall when the question and the instructions alone exceed the budget.
    """
    bare = prompt_tokens(bypass_request(question, (), param.response_type, prompts), tokenizer)
    _must_fit(bare, param)
    history, _ = latest_turns(param.conversation_history, param.max_total_tokens - bare, tokenizer)
    request = bypass_request(question, history, param.response_type, prompts)
    return request, prompt_tokens(request, tokenizer), _left_out(len(param.conversation_history) - len(history))


def latest_turns(history: Sequence[Message], room: int, tokenizer: Tokenizer) -> tuple[tuple[Message, ...], int]:
    """The last turns that fit into `room` tokens, and what they take."""
    taken = 0
    for count, turn in enumerate(reversed(history)):
        tokens = size(tokenizer, turn.content) + TOKENS_PER_MESSAGE
        if taken + tokens > room:
            return tuple(history[len(history) - count :]), taken
        taken += tokens
    return tuple(history), taken


def _must_fit(tokens: int, param: QueryParam) -> None:
    if tokens > param.max_total_tokens:
        raise BudgetTooSmall(
            f"question and instructions take {tokens} tokens, max_total_tokens is {param.max_total_tokens}: raise it"
        )


def _left_out(turns: int) -> tuple[str, ...]:
    return (f"{turns} earlier turns of the conversation were left out for the token budget",) if turns else ()
