"""How much a model can hold, and how long a reply may be so that it fits behind its prompt."""

from __future__ import annotations

from dataclasses import dataclass

from post_graph_rag.errors import LLMError
from post_graph_rag.models.answer_call import TOKENS_PER_MESSAGE, TOKENS_PER_REPLY, prompt_tokens
from post_graph_rag.models.protocols import ChatRequest
from post_graph_rag.models.tokens import tokenizer_for

# Tokens of prompt and reply together, by the beginning of the name; longer beginnings first.
# Source: the model pages of OpenAI's API documentation.
WINDOWS = (
    ("gpt-3.5-turbo", 16_385),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("chatgpt-4o", 128_000),
    ("gpt-4-turbo", 128_000),
    ("gpt-4", 8_192),
    ("gpt-5", 400_000),
    ("o1", 200_000),
    ("o3", 200_000),
    ("o4-mini", 200_000),
)


@dataclass(frozen=True, slots=True)
class Generation:
    """What a role asks of its replies.

    temperature: in place of the request's own; None leaves that.
    max_tokens: tokens of a reply at most; a request may ask for less.
    context_window: tokens of prompt and reply together; None: what is known of the model.
    """

    temperature: float | None = None
    max_tokens: int | None = None
    context_window: int | None = None

    @property
    def parameters(self) -> dict[str, float]:
        """What shapes every reply whatever the request says; empty where nothing is set."""
        said = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return {name: value for name, value in said.items() if value is not None}

    def temperature_of(self, request: ChatRequest) -> float | None:
        """The temperature to ask with; None: the endpoint's own."""
        return request.temperature if self.temperature is None else self.temperature

    def limit_of(self, request: ChatRequest, model: str) -> int | None:
        """Tokens the reply may have, so that it fits into the window behind the prompt; None: no limit is sent.

        Raises LLMError when the window is known and the prompt alone does not fit.
        """
        limits = [limit for limit in (self.max_tokens, request.max_tokens) if limit is not None]
        limit = min(limits, default=None)
        window = self.context_window or window_of(model)
        if window is None or _surely_at_most(request) + (limit or 1) <= window:
            return limit
        room = window - prompt_tokens(request, tokenizer_for(model))
        if room < 1:
            raise LLMError(_too_long(model, window - room, window))
        return None if limit is None else min(limit, room)


def window_of(model: str) -> int | None:
    """Tokens that a model holds, by its name ("openai/gpt-4o" is "gpt-4o"); None where it is not known."""
    name = model.rsplit("/", 1)[-1].lower()
    return next((window for beginning, window in WINDOWS if name.startswith(beginning)), None)


def _surely_at_most(request: ChatRequest) -> int:
    """A bound on the prompt's tokens that costs no counting: none is shorter than a byte."""
    texts = sum(len(message.content.encode("utf-8", "surrogatepass")) for message in request.messages)
    schema = len(str(request.schema)) if request.schema is not None else 0
    return texts + schema + TOKENS_PER_MESSAGE * len(request.messages) + TOKENS_PER_REPLY


def _too_long(model: str, tokens: int, window: int) -> str:
    return (
        f"The prompt is of about {tokens} tokens, the model {model!r} holds {window}: lower "
        "POST_GRAPH_RAG_CHUNK_TOKENS (passages) or max_total_tokens (questions), name a model that holds more, or "
        "correct POST_GRAPH_RAG_CONTEXT_WINDOW."
    )
