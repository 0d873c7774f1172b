"""Language models behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, TypeAlias

from openai import AsyncStream

from post_graph_rag.errors import LLMError
from post_graph_rag.models.endpoint import Endpoint, sendable
from post_graph_rag.models.failures import Failures
from post_graph_rag.models.policy import FAILURES, Patience, ReplyError, RetryPolicy
from post_graph_rag.models.protocols import ChatReply, ChatRequest
from post_graph_rag.models.thinking import ThinkingFilter, strip_thinking

PATH = "/chat/completions"
Stream: TypeAlias = AsyncStream[object]


class OpenAIChat:
    """A model named `model` at `endpoint`, asked under `policy`.

    Structured output is asked for by JSON schema; an endpoint that refuses that is asked without from then on.
    """

    def __init__(self, model: str, endpoint: Endpoint, policy: RetryPolicy | None = None) -> None:
        self._model = model
        self._endpoint = endpoint
        self._policy = policy or RetryPolicy()
        self._failures = Failures(LLMError, model, endpoint.where, endpoint.secrets, self._policy.deadline)

    @property
    def name(self) -> str:
        return self._model

    async def chat(self, request: ChatRequest) -> ChatReply:
        """Ask once. Raises LLMError when the policy gives up."""

        async def ask() -> ChatReply:
            return self._reply(await self._endpoint.post(PATH, self._body(request)))

        try:
            return await self._policy.run(ask)
        except FAILURES as error:
            self._failures.give_up(error)

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """Yield the answer as it comes. It is tried again only before the first piece.

        Raises LLMError; after the first piece its `partial` holds what was received.
        """
        patience = Patience(self._policy.deadline)
        stream, piece = await self._open(request, patience)
        shown, received = ThinkingFilter(), ""
        try:
            while piece is not None:
                if text := shown.feed(piece):
                    received += text
                    yield text
                piece = await self._next(stream, patience, received)
            if rest := shown.finish():
                yield rest
        finally:
            await stream.close()

    async def close(self) -> None:
        await self._endpoint.close()

    async def _open(self, request: ChatRequest, patience: Patience) -> tuple[Stream, str | None]:
        async def opened() -> tuple[Stream, str | None]:
            stream = await self._endpoint.open_stream(PATH, self._body(request))
            try:
                return stream, await _next_text(stream)
            except BaseException:
                await stream.close()
                raise

        try:
            async with patience.waiting():
                return await self._policy.run(opened)
        except FAILURES as error:
            self._failures.give_up(error)

    async def _next(self, stream: Stream, patience: Patience, received: str) -> str | None:
        try:
            async with patience.waiting():
                return await _next_text(stream)
        except FAILURES as error:
            self._failures.give_up(error, received)

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": sendable(m.content)} for m in request.messages],
        }
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.max_tokens is not None:
            body["max_tokens"] = request.max_tokens
        if request.schema is not None:
            schema = {"name": request.schema_name, "schema": request.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    def _reply(self, data: Any) -> ChatReply:
        usage = _mapping(_mapping(data).get("usage"))
        model = data.get("model") if isinstance(data, Mapping) else None
        return ChatReply(
            text=strip_thinking(_text(data)),
            model=model if isinstance(model, str) and model else self._model,
            prompt_tokens=_count(usage.get("prompt_tokens")),
            output_tokens=_count(usage.get("completion_tokens")),
            cached_tokens=_count(_mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
        )


async def _next_text(stream: Stream) -> str | None:
    """The next piece of text; None when the stream has ended."""
    try:
        while True:
            text = _piece(await anext(stream))
            if text:
                return text
    except StopAsyncIteration:
        return None
    except ValueError as error:
        raise ReplyError("an event of the stream is not JSON") from error


def _piece(chunk: object) -> str:
    choices = _mapping(chunk).get("choices")
    delta = _mapping(choices[0]).get("delta") if isinstance(choices, list) and choices else None
    return _plain(_mapping(delta).get("content"))


def _text(data: Any) -> str:
    try:
        message = data["choices"][0]["message"]
        content = message.get("content")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        told = _mapping(_mapping(data).get("error")).get("message")
        raise ReplyError(f"it holds no choice with a message{f', but: {told}' if told else ''}") from error
    return _plain(content) or _plain(message.get("refusal"))


def _plain(content: object) -> str:
    """Text, also when it comes as a list of parts."""
    if isinstance(content, list):
        return "".join(_plain(_mapping(part).get("text")) for part in content)
    return content if isinstance(content, str) else ""


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
