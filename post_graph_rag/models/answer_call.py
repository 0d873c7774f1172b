"""The request that asks a model to answer from sources, and how many tokens a request makes."""

from __future__ import annotations

import json
from collections.abc import Sequence

from post_graph_rag.models.prompts import Prompts, fenced
from post_graph_rag.models.protocols import ChatRequest
from post_graph_rag.models.tokens import Tokenizer, size
from post_graph_rag.records import Message

NOT_IN_SOURCES = "The sources do not hold an answer to this question."
DEFAULT_RESPONSE_TYPE = "a short and direct answer, no longer than it needs to be"
# What the chat format puts round each message and before the reply.
# Source: OpenAI cookbook, "How to count tokens with tiktoken" (3 a message, 1 for its role, 3 for the reply).
TOKENS_PER_MESSAGE = 4
TOKENS_PER_REPLY = 3


def answer_request(
    question: str,
    context: str,
    history: Sequence[Message] = (),
    response_type: str | None = None,
    prompts: Prompts | None = None,
) -> ChatRequest:
    """Ask for an answer to `question` over `context`, the numbered facts and passages as text.

    history: turns of the conversation so far, oldest first.
    response_type: form of the answer in words, such as "a list".
    """
    prompts = prompts or Prompts()
    asked = prompts["answer_question"].render(sources=fenced("sources", context), question=question)
    system = prompts["answer"].render(response_type=response_type or DEFAULT_RESPONSE_TYPE)
    return _synthesis(system, history, asked, {"question": question, "context": context})


def bypass_request(
    question: str,
    history: Sequence[Message] = (),
    response_type: str | None = None,
    prompts: Prompts | None = None,
) -> ChatRequest:
    """Ask the model alone, without sources."""
    system = (prompts or Prompts())["bypass"].render(response_type=response_type or DEFAULT_RESPONSE_TYPE)
    return _synthesis(system, history, question, {"question": question})


def prompt_tokens(request: ChatRequest, tokenizer: Tokenizer) -> int:
    """Tokens of the whole prompt: every message with what the chat format adds, and the schema if there is one."""
    messages = sum(_message_tokens(message, tokenizer) + TOKENS_PER_MESSAGE for message in request.messages)
    schema = tokenizer.count(json.dumps(request.schema)) if request.schema is not None else 0
    return messages + schema + TOKENS_PER_REPLY


def _message_tokens(message: Message, tokenizer: Tokenizer) -> int:
    """Instructions are the same from question to question; what else is sent seldom comes again."""
    return size(tokenizer, message.content) if message.role == "system" else tokenizer.count(message.content)


def answer_overhead(
    question: str,
    history: Sequence[Message],
    response_type: str | None,
    prompts: Prompts | None,
    tokenizer: Tokenizer,
) -> int:
    """Tokens of an answer's prompt without its context: what a budget has to spare before the first source.

    The whole prompt counts at most this plus the context's own count plus 2 (tokens may join or part at the seams).
    """
    return prompt_tokens(answer_request(question, "", history, response_type, prompts), tokenizer)


def _synthesis(system: str, history: Sequence[Message], asked: str, inputs: dict[str, str]) -> ChatRequest:
    return ChatRequest(
        role="synthesis",
        messages=(Message(role="system", content=system), *history, Message(role="user", content=asked)),
        inputs=inputs,
    )
