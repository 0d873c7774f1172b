"""What a server sends that is no HTTP, or no text: a typed error, tried again as what breaks off is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from post_graph_rag.errors import LLMError
from post_graph_rag.models.endpoint import Endpoint
from post_graph_rag.models.openai_chat import OpenAIChat
from post_graph_rag.models.policy import RetryPolicy
from post_graph_rag.models.protocols import ChatRequest
from post_graph_rag.records import Message

ASK = ChatRequest(role="synthesis", messages=(Message(role="user", content="Who?"),), schema={"type": "object"})
REPLY = json.dumps({"choices": [{"message": {"content": "Ada."}}]}).encode()
QUICK = RetryPolicy(attempts=2, first_wait=0.01, longest_wait=0.01, deadline=10)
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def reply(body: bytes, kind: str = "application/json", status: int = 200) -> bytes:
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


def event(data: str) -> bytes:
    line = f"data: {data}\n\n".encode()
    return f"{len(line):x}\r\n".encode() + line + b"\r\n"


def piece(text: str) -> str:
    return json.dumps({"choices": [{"delta": {"content": text}}]})


@asynccontextmanager
async def server(answer: Callable[[bytes], bytes]) -> AsyncIterator[tuple[OpenAIChat, list[bytes]]]:
    """A model behind a socket that sends what `answer` makes of each request's body, and the bodies it got."""
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        asked.append(await reader.readexactly(int(length.split(b":")[1])))
        writer.write(answer(asked[-1]))
        await writer.drain()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listening:
        endpoint = Endpoint(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1", "a-key")
        yield OpenAIChat("m", endpoint, QUICK), asked
        await endpoint.close()


@pytest.mark.parametrize(
    "answer",
    [
        b"\x00\x01 no HTTP\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 5000,
        reply(REPLY, "application/json; charset=utf-16"),
    ],
)
async def test_what_is_no_http_is_tried_again_and_then_a_typed_error(answer: bytes) -> None:
    async with server(lambda body: answer) as (chat, asked):
        with pytest.raises(LLMError, match="not HTTP with text"):
            await chat.chat(ASK)
        assert len(asked) == 2


async def test_json_behind_a_byte_order_mark_is_read() -> None:
    async with server(lambda body: reply(b"\xef\xbb\xbf" + REPLY)) as (chat, _):
        assert (await chat.chat(ASK)).text == "Ada."


@pytest.mark.parametrize("status", [500, 501])
@pytest.mark.parametrize("said", ["response_format is not implemented", "json_schema is not supported"])
async def test_a_server_that_names_the_field_it_lacks_is_asked_without(status: int, said: str) -> None:
    refusal = reply(json.dumps({"error": {"message": said}}).encode(), status=status)
    async with server(lambda body: refusal if b"response_format" in body else reply(REPLY)) as (chat, asked):
        assert [(await chat.chat(ASK)).text, (await chat.chat(ASK)).text] == ["Ada.", "Ada."]
        assert len(asked) == 3


async def test_a_stream_that_breaks_off_in_nested_nonsense_keeps_what_was_received() -> None:
    answer = STREAM + event(piece("Ada")) + event("[" * 100_000)
    async with server(lambda body: answer) as (chat, _):
        with pytest.raises(LLMError, match="not JSON") as caught:
            [text async for text in chat.stream(ASK)]
        assert caught.value.partial == "Ada"
