"""Language models behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any, TypeVar

from post_graph_rag.errors import LLMError
from post_graph_rag.models.endpoint import Endpoint, Events, sendable
from post_graph_rag.models.failures import Failures
from post_graph_rag.models.policy import FAILURES, Patience, ReplyError, RetryPolicy
from post_graph_rag.models.protocols import ChatReply, ChatRequest
from post_graph_rag.models.thinking import ThinkingFilter, strip_thinking
from post_graph_rag.models.windows import Generation

PATH = "/chat/completions"
T = TypeVar("T")


class OpenAIChat:
    """A model named `model` at `endpoint`, asked under `policy`.

    Structured output is asked for by JSON schema; an endpoint that refuses that is asked without from then on.
    generation: what is asked of every reply.
    """

    def __init__(
        self,
        model: str,
        endpoint: Endpoint,
        policy: RetryPolicy | None = None,
        generation: Generation | None = None,
    ) -> None:
        self._model = model
        self._endpoint = endpoint
        self._policy = policy or RetryPolicy()
        self._generation = generation or Generation()
        self._failures = Failures.at(endpoint, LLMError, model, self._policy.deadline)

    @property
    def name(self) -> str:
        return self._model

    @property
    def place(self) -> str:
        """Host and port, and the variable that its key is from."""
        return f"{self._endpoint.where}, key of {self._endpoint.key_setting}"

    @property
    def parameters(self) -> dict[str, float]:
        """What is asked of every reply, whatever the request says."""
        return self._generation.parameters

    async def chat(self, request: ChatRequest, patience: Patience | None = None) -> ChatReply:
        """Ask once. Raises LLMError when the policy gives up, or the prompt is longer than the model can hold.

        patience: the time there is, shared with other models; None: the policy's deadline.
        """
        body = self._body(request)

        async def ask() -> ChatReply:
            return self._reply(await self._endpoint.post(PATH, body))

        return await self._tried(ask, patience or Patience(self._policy.deadline))

    async def stream(self, request: ChatRequest, patience: Patience | None = None) -> AsyncGenerator[str, None]:
        """Yield the answer as it comes. It is tried again only before the first piece.

        Raises LLMError; after the first piece its `partial` holds what was received.
        """
        patience = patience or Patience(self._policy.deadline)
        stream, piece = await self._open(self._body(request), patience)
        if request.answered is not None:
            request.answered(stream.model or self._model)
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

    async def _open(self, body: Mapping[str, Any], patience: Patience) -> tuple[_Pieces, str | None]:
        async def opened() -> tuple[_Pieces, str | None]:
            stream = _Pieces(await self._endpoint.open_stream(PATH, body))
            async with AsyncExitStack() as undone:
                undone.push_async_callback(stream.close)
                first = await stream.next()
                undone.pop_all()
            return stream, first

        return await self._tried(opened, patience)

    async def _tried(self, call: Callable[[], Awaitable[T]], patience: Patience) -> T:
        seconds = patience.share
        try:
            async with patience.waiting():
                return await self._policy.run(call, seconds)
        except FAILURES as error:
            self._failures.give_up(error, seconds=seconds)

    async def _next(self, stream: _Pieces, patience: Patience, received: str) -> str | None:
        try:
            async with patience.waiting():
                return await stream.next()
        except FAILURES as error:
            self._failures.give_up(error, received)

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": sendable(m.content)} for m in request.messages],
        }
        if (temperature := self._generation.temperature_of(request)) is not None:
            body["temperature"] = temperature
        if (limit := self._generation.limit_of(request, self._model)) is not None:
            body["max_tokens"] = limit
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


class _Pieces:
    """The text of a stream, piece by piece; `model` is who the endpoint says it is from."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._finished = False
        self.model = ""

    async def next(self) -> str | None:
        """The next piece; None when the answer is whole. Raises ReplyError when the stream ends before it is."""
        try:
            async for chunk in self._events:
                if text := self._piece(chunk):
                    return text
        except (ValueError, RecursionError) as error:
            raise ReplyError("an event of the stream is not JSON") from error
        if self._finished or self._events.said_done:
            return None
        raise ReplyError("the stream ended before the answer did")

    async def close(self) -> None:
        await self._events.close()

    def _piece(self, chunk: object) -> str:
        self.model = self.model or _plain(_mapping(chunk).get("model"))
        choices = _mapping(chunk).get("choices")
        choice = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
        self._finished = self._finished or bool(choice.get("finish_reason"))
        return _plain(_mapping(choice.get("delta")).get("content"))


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
