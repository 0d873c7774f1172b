"""An OpenAI-compatible server on loopback that fails as a test tells it to."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np
from aiohttp import web


@dataclass
class Answer:
    """One answer: JSON or raw bytes, or the pieces of a stream.

    `breaks` cuts the connection in the middle, `resets` before anything is sent.
    """

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    events: Sequence[str] | None = None
    delay: float = 0.0
    pause: float = 0.0
    breaks: bool = False
    resets: bool = False


@dataclass
class Seen:
    """One request as it came in."""

    path: str
    body: dict[str, Any]
    at: float
    key: str


class Closable(Protocol):
    async def close(self) -> None: ...


C = TypeVar("C", bound=Closable)


class FaultServer:
    """Gives `answers` in turn, the last one again and again, and keeps what it saw.

    by_model: what each model answers, likewise; choose: picks the answer to a request, before all others.
    """

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.by_model: dict[str, list[Answer]] = {}
        self.choose: Callable[[Seen], Answer | None] | None = None
        self.seen: list[Seen] = []
        self.left_early = 0
        self.base_url = ""
        self.clients: list[Closable] = []

    def keep(self, client: C) -> C:
        """Close it when the test is over."""
        self.clients.append(client)
        return client

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/{path:.*}", self.handle)
        return app

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.seen.append(Seen(request.path, body, time.monotonic(), request.headers.get("Authorization", "")))
        answer = self._answer(self.seen[-1])
        try:
            await asyncio.sleep(answer.delay)
            return await self.respond(request, answer)
        except (asyncio.CancelledError, ConnectionError):
            self.left_early += 1
            raise

    def calls(self, model: str) -> int:
        """How often a model was asked."""
        return sum(seen.body.get("model") == model for seen in self.seen)

    def _answer(self, seen: Seen) -> Answer:
        if self.choose is not None and (chosen := self.choose(seen)) is not None:
            return chosen
        answers = self.by_model.get(str(seen.body.get("model")), self.answers)
        return answers.pop(0) if len(answers) > 1 else answers[0]

    async def respond(self, request: web.Request, answer: Answer) -> web.StreamResponse:
        if answer.resets and request.transport:
            request.transport.abort()
        if answer.events is not None:
            return await self.stream(request, answer)
        if answer.breaks:
            return await self.half(request)
        if answer.raw is not None:
            return web.Response(body=answer.raw, status=answer.status, content_type="text/html")
        return web.json_response(answer.body, status=answer.status, headers=answer.headers)

    async def stream(self, request: web.Request, answer: Answer) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in answer.events or ():
            await response.write(f"data: {event}\n\n".encode())
            await asyncio.sleep(answer.pause)
        if answer.breaks and request.transport:
            request.transport.close()
        return response

    async def half(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b'{"choices": [')
        if request.transport:
            request.transport.close()
        return response


def chat_reply(text: Any, **more: Any) -> dict[str, Any]:
    """A chat completion that says `text`."""
    return {"model": "answered", "choices": [{"message": {"role": "assistant", "content": text}}], **more}


def error(message: str, **more: Any) -> dict[str, Any]:
    """An error body as OpenAI writes it."""
    return {"error": {"message": message, **more}}


def embeddings(*vectors: Sequence[float], encoded: bool = False) -> dict[str, Any]:
    """An embeddings reply, in reverse order to see that the index counts."""

    def written(vector: Sequence[float]) -> Any:
        return base64.b64encode(np.asarray(vector, "<f4").tobytes()).decode() if encoded else list(vector)

    items = [{"index": index, "embedding": written(vector)} for index, vector in enumerate(vectors)]
    return {"data": items[::-1]}
