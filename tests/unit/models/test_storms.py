"""An endpoint that limits calls gets no call before its time, and every call arrives in the end."""

from __future__ import annotations

import asyncio
import time

from post_graph_rag.models.endpoint import Endpoint
from post_graph_rag.models.limits import LimitedChat
from post_graph_rag.models.openai_chat import OpenAIChat
from post_graph_rag.models.policy import RetryPolicy
from post_graph_rag.models.protocols import ChatRequest
from post_graph_rag.records import Message
from tests.faults import Answer, FaultServer, Seen, chat_reply, error

CHUNKS = 29


def question(seen: Seen) -> str:
    return str(seen.body["messages"][0]["content"])


async def test_a_storm_of_limits_loses_no_call_and_sees_none_before_its_time(server: FaultServer) -> None:
    limited: dict[str, float] = {}
    early: list[str] = []

    def choose(seen: Seen) -> Answer:
        asked = question(seen)
        if seen.at < limited.get(asked, 0.0) + 1.0:
            early.append(asked)
        if len(server.seen) % 3 == 0:
            limited[asked] = seen.at
            return Answer(error("slow down"), status=429, headers={"Retry-After": "1"})
        return Answer(chat_reply(f"read {asked}"))

    server.choose = choose
    chat = LimitedChat(server.keep(OpenAIChat("m", Endpoint(server.base_url), RetryPolicy(attempts=2))), 8)
    asked = [ChatRequest("extraction", (Message(role="user", content=str(n)),)) for n in range(CHUNKS)]
    started = time.monotonic()
    replies = await asyncio.gather(*(chat.chat(request) for request in asked))
    assert [reply.text for reply in replies] == [f"read {n}" for n in range(CHUNKS)]
    assert (len(limited) > 5, early) == (True, [])
    assert time.monotonic() - started < 8
