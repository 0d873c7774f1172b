"""A model that cannot be had is passed on from, under one deadline; a request that is at fault is not."""

from __future__ import annotations

import json
import time

import pytest

from post_graph_rag.errors import LLMError
from post_graph_rag.models.endpoint import Endpoint
from post_graph_rag.models.failover import FailoverChat
from post_graph_rag.models.openai_chat import OpenAIChat
from post_graph_rag.models.policy import RetryPolicy
from post_graph_rag.models.protocols import ChatModel, ChatRequest
from post_graph_rag.records import Message
from tests.faults import Answer, FaultServer, chat_reply, error

ASK = ChatRequest("synthesis", (Message(role="user", content="Who wrote them?"),))
GOOD = Answer({"choices": [{"message": {"content": "Ada."}}]})
QUICK = RetryPolicy(attempts=3, first_wait=0.01, longest_wait=0.02, deadline=5)


def chain(server: FaultServer, *names: str, policy: RetryPolicy = QUICK) -> FailoverChat:
    endpoint = Endpoint(server.base_url, "sk-test-0123456789")
    return server.keep(FailoverChat([OpenAIChat(name, endpoint, policy) for name in names], policy.deadline))


def refusal(status: int, message: str = "no", **more: str) -> Answer:
    return Answer(error(message, **more), status=status)


def events(*pieces: str) -> Answer:
    said = [json.dumps({"choices": [{"delta": {"content": piece}}]}) for piece in pieces]
    return Answer(events=[*said, "[DONE]"])


async def test_it_is_a_model_that_goes_by_the_name_of_the_first(server: FaultServer) -> None:
    chat = chain(server, "a", "b")
    assert isinstance(chat, ChatModel)
    assert chat.name == "a"


async def test_the_next_model_is_not_asked_while_the_first_answers(server: FaultServer) -> None:
    server.by_model = {"a": [GOOD]}
    assert (await chain(server, "a", "b").chat(ASK)).model == "a"
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "answer",
    [
        *(refusal(status) for status in (401, 402, 403, 404, 410, 501)),
        refusal(429, code="insufficient_quota"),
        refusal(400, param="model"),
        refusal(400, code="model_not_found"),
        refusal(400, "This model's maximum context length is 10 tokens", code="context_length_exceeded"),
    ],
)
async def test_what_only_another_model_can_mend_goes_on_at_once(server: FaultServer, answer: Answer) -> None:
    server.by_model = {"a": [answer], "b": [GOOD]}
    assert (await chain(server, "a", "b").chat(ASK)).model == "b"
    assert (server.calls("a"), server.calls("b")) == (1, 1)


@pytest.mark.parametrize(
    "answer",
    [refusal(500), refusal(503), Answer(raw=b"{"), Answer(breaks=True), Answer(resets=True)],
)
async def test_what_may_heal_is_tried_so_often_and_then_passed_on(server: FaultServer, answer: Answer) -> None:
    server.by_model = {"a": [answer], "b": [GOOD]}
    assert (await chain(server, "a", "b").chat(ASK)).text == "Ada."
    assert (server.calls("a"), server.calls("b")) == (3, 1)


async def test_a_persistent_error_costs_the_set_tries_of_each_model_once(server: FaultServer) -> None:
    server.answers = [refusal(500)]
    with pytest.raises(LLMError):
        await chain(server, "a", "b", "c").chat(ASK)
    assert [server.calls(name) for name in "abc"] == [3, 3, 3]


@pytest.mark.parametrize("status", [400, 422])
async def test_a_request_that_is_at_fault_is_given_up(server: FaultServer, status: int) -> None:
    server.by_model = {"a": [refusal(status, "messages must not be empty")], "b": [GOOD]}
    with pytest.raises(LLMError, match=f"HTTP {status}"):
        await chain(server, "a", "b").chat(ASK)
    assert server.calls("b") == 0


async def test_a_limit_longer_than_the_deadline_is_not_waited_for(server: FaultServer) -> None:
    limit = Answer(error("later"), status=429, headers={"Retry-After": "600"})
    server.by_model = {"a": [limit], "b": [GOOD]}
    started = time.monotonic()
    assert (await chain(server, "a", "b").chat(ASK)).model == "b"
    assert time.monotonic() - started < 1


async def test_a_model_that_hangs_leaves_the_next_one_time(server: FaultServer) -> None:
    server.by_model = {"a": [Answer(chat_reply("late"), delay=5)], "b": [GOOD]}
    policy = RetryPolicy(deadline=0.8)
    assert (await chain(server, "a", "b", policy=policy).chat(ASK)).text == "Ada."


async def test_one_deadline_holds_for_all(server: FaultServer) -> None:
    server.answers = [Answer(chat_reply("late"), delay=5)]
    started = time.monotonic()
    with pytest.raises(LLMError, match=r"within 0\.2 seconds"):
        await chain(server, "a", "b", "c", policy=RetryPolicy(deadline=0.6)).chat(ASK)
    assert 0.5 < time.monotonic() - started < 1.2


async def test_the_error_tells_what_each_of_them_said(server: FaultServer) -> None:
    server.by_model = {"a": [refusal(404)], "b": [refusal(401)]}
    with pytest.raises(LLMError, match=r"None of 2 models answered.*'a'.*HTTP 404.*'b'.*HTTP 401"):
        await chain(server, "a", "b").chat(ASK)


# ---------------------------------------------------------------- streams


async def streamed(server: FaultServer, **by_model: list[Answer]) -> list[str]:
    server.by_model = by_model
    return [piece async for piece in chain(server, "a", "b").stream(ASK)]


@pytest.mark.parametrize(
    "answer",
    [refusal(404), refusal(500), Answer(resets=True), Answer(events=[]), Answer(events=[json.dumps(error("no"))])],
)
async def test_before_its_first_piece_a_stream_is_passed_on(server: FaultServer, answer: Answer) -> None:
    assert await streamed(server, a=[answer], b=[events("Ada ", "wrote.")]) == ["Ada ", "wrote."]


async def test_a_stream_that_breaks_is_not_passed_on(server: FaultServer) -> None:
    said = events("Ada ").events or ()
    with pytest.raises(LLMError) as raised:
        await streamed(server, a=[Answer(events=said[:1], breaks=True)], b=[events("Bea.")])
    assert (raised.value.partial, server.calls("b")) == ("Ada ", 0)


async def test_a_stream_that_breaks_while_the_model_still_thinks_is_passed_on(server: FaultServer) -> None:
    thinking = events("<think>", "Hm").events or ()
    assert await streamed(server, a=[Answer(events=thinking[:2], breaks=True)], b=[events("Bea.")]) == ["Bea."]


async def test_a_stream_that_has_begun_may_take_all_the_time_that_is_left(server: FaultServer) -> None:
    server.by_model = {"a": [Answer(events=events("one ", "two ", "three").events, pause=0.25)]}
    chat = chain(server, "a", "b", policy=RetryPolicy(deadline=1.2))
    assert [piece async for piece in chat.stream(ASK)] == ["one ", "two ", "three"]
