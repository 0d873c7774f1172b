"""OpenAI-compatible stub over HTTP: /v1/embeddings (floats and base64) and /v1/chat/completions.

No model behind it; it measures what a library itself costs: statements, model calls, prompt sizes, wall time.

    python -m benchmarks.stub_server --port 8917 --dim 256 --delay-ms 0

GET  /stats          counters since the last reset (calls by kind, prompt characters, embedding inputs, CPU seconds)
POST /reset          zero the counters
POST /config         {"delay_ms", "embed_delay_ms", "dim", "fail_next", "fail_status", "fail_kind", "contradict",
                     "structured", "limit_every", "retry_after"}
GET  /last?kind=K    the last request body of that kind
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from benchmarks import stub_model

MAX_BODY = 64 * 2**20


class Stub:
    """The counters, the settings and the handlers of one server."""

    def __init__(self, dim: int, delay_ms: int) -> None:
        self.config: dict[str, Any] = {
            "delay_ms": delay_ms,
            "embed_delay_ms": None,
            "fail_next": 0,
            "fail_status": 500,
            "fail_kind": None,
            "contradict": "none",
            "structured": True,
            "limit_every": 0,
            "retry_after": 1,
            "dim": dim,
        }
        self.last: dict[str, Any] = {}
        self.inflight = 0
        self.zero()

    def zero(self) -> None:
        """Start counting anew."""
        self.calls: Counter[str] = Counter()
        self.prompt_chars: Counter[str] = Counter()
        self.max_prompt_chars: Counter[str] = Counter()
        self.embed_inputs = self.embed_requests = 0
        self.chats = self.limited = self.early = 0
        self.not_before: dict[str, float] = {}
        self.max_inflight = self.inflight
        self.cpu_start = time.process_time()

    @asynccontextmanager
    async def call(self, kind: str, delay_ms: int) -> AsyncIterator[None]:
        """Count one model call and hold it up by the delay."""
        self.calls[kind] += 1
        self.inflight += 1
        self.max_inflight = max(self.max_inflight, self.inflight)
        try:
            if delay_ms:
                await asyncio.sleep(delay_ms / 1000)
            yield
        finally:
            self.inflight -= 1

    def must_fail(self, kind: str) -> bool:
        """True as often as /config asked for; embeddings fail only when named."""
        named = self.config["fail_kind"]
        if self.config["fail_next"] <= 0 or not (named == kind or (named is None and kind != "embedding")):
            return False
        self.config["fail_next"] -= 1
        return True

    def must_wait(self, body: dict[str, Any]) -> bool:
        """True for each so manyth request that /config asked for; one that comes again before its time is counted."""
        every, asked, now = self.config["limit_every"], json.dumps(body["messages"]), time.monotonic()
        if not every:
            return False
        self.chats += 1
        self.early += now < self.not_before.get(asked, now)
        if self.chats % every:
            return False
        self.limited += 1
        self.not_before[asked] = now + self.config["retry_after"]
        return True

    def limit(self) -> web.Response:
        """Slow down."""
        limited = _error("stub induced limit", "rate_limit_error", 429)
        limited.headers["Retry-After"] = str(self.config["retry_after"])
        return limited

    def failure(self) -> web.Response:
        """The failure that /config asked for."""
        return _error("stub induced failure", "server_error", self.config["fail_status"])

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """POST /v1/chat/completions."""
        body = json.loads(await request.read())
        kind = stub_model.kind_of(body)
        size = sum(len(str(m.get("content", ""))) for m in body.get("messages", []))
        self.prompt_chars[kind] += size
        self.max_prompt_chars[kind] = max(self.max_prompt_chars[kind], size)
        self.last[kind] = body
        async with self.call(kind, self.config["delay_ms"]):
            if self.must_fail(kind):
                return self.failure()
            if self.must_wait(body):
                return self.limit()
            if body.get("response_format") and not self.config["structured"]:
                return _error("response_format not supported", "invalid_request_error", 400)
            text = stub_model.answer(kind, body, self.config["contradict"])
            if body.get("stream"):
                return await _stream(request, text, body)
            return _json(_completion(text, body, size))

    async def embeddings(self, request: web.Request) -> web.StreamResponse:
        """POST /v1/embeddings."""
        body = json.loads(await request.read())
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        self.embed_requests += 1
        self.embed_inputs += len(texts)
        delay = self.config["embed_delay_ms"]
        async with self.call("embedding", self.config["delay_ms"] if delay is None else delay):
            if self.must_fail("embedding"):
                return self.failure()
            dim = body.get("dimensions") or self.config["dim"]
            as_base64 = body.get("encoding_format") == "base64"
            return _bytes(stub_model.embeddings_body(texts, dim, body.get("model", "stub"), as_base64))

    async def stats(self, _: web.Request) -> web.StreamResponse:
        """GET /stats."""
        names = (
            "calls",
            "prompt_chars",
            "max_prompt_chars",
            "embed_inputs",
            "embed_requests",
            "inflight",
            "limited",
            "early",
        )
        cpu = round(time.process_time() - self.cpu_start, 4)
        return _json({name: getattr(self, name) for name in (*names, "max_inflight")} | {"cpu_seconds": cpu})

    async def reset(self, _: web.Request) -> web.StreamResponse:
        """POST /reset."""
        self.zero()
        return _json({})

    async def configure(self, request: web.Request) -> web.StreamResponse:
        """POST /config."""
        self.config.update(await request.json())
        return _json(self.config)

    async def last_request(self, request: web.Request) -> web.StreamResponse:
        """GET /last."""
        return _json(self.last.get(request.query.get("kind", "synthesis"), {}))


def _bytes(body: bytes, status: int = 200) -> web.Response:
    return web.Response(body=body, status=status, content_type="application/json")


def _json(value: Any, status: int = 200) -> web.Response:
    return _bytes(json.dumps(value).encode(), status)


def _error(message: str, kind: str, status: int) -> web.Response:
    return _json({"error": {"message": message, "type": kind}}, status)


def _head(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "c1", "created": int(time.time()), "model": body.get("model", "stub"), "object": kind}


def _completion(text: str, body: dict[str, Any], size: int) -> dict[str, Any]:
    prompt, output = size // 4, len(text) // 4
    return {
        **_head(body, "chat.completion"),
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output},
    }


async def _stream(request: web.Request, text: str, body: dict[str, Any]) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    head = _head(body, "chat.completion.chunk")
    for word in text.split():
        choice = {"index": 0, "delta": {"content": word + " "}, "finish_reason": None}
        await response.write(b"data: " + json.dumps({**head, "choices": [choice]}).encode() + b"\n\n")
    await response.write(b"data: [DONE]\n\n")
    return response


def application(stub: Stub) -> web.Application:
    """The stub's routes."""
    app = web.Application(client_max_size=MAX_BODY)
    app.add_routes(
        [
            web.post("/v1/chat/completions", stub.chat),
            web.post("/v1/embeddings", stub.embeddings),
            web.get("/stats", stub.stats),
            web.post("/reset", stub.reset),
            web.post("/config", stub.configure),
            web.get("/last", stub.last_request),
        ]
    )
    return app


def main() -> None:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser(description="OpenAI-compatible stub server")
    parser.add_argument("--port", type=int, default=8917)
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--delay-ms", type=int, default=0)
    options = parser.parse_args()
    stub = Stub(options.dim, options.delay_ms)
    # No access log: formatting a line for each call would cost as much as the call.
    web.run_app(application(stub), host="127.0.0.1", port=options.port, print=None, access_log=None)


if __name__ == "__main__":
    main()
