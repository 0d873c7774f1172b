"""The chat client gets its answer through faults that heal, ends at its deadline, and tells what went wrong."""

from __future__ import annotations

import asyncio
import json
import time
import traceback
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace

import pytest
from aiohttp import web

from post_graph_rag.errors import ConfigurationError, LLMError
from post_graph_rag.models.endpoint import Endpoint
from post_graph_rag.models.openai_chat import OpenAIChat
from post_graph_rag.models.policy import RetryPolicy
from post_graph_rag.models.protocols import ChatModel, ChatReply, ChatRequest
from post_graph_rag.records import Message
from tests.faults import Answer, FaultServer, chat_reply, error

KEY = "sk-test-0123456789"
QUICK = RetryPolicy(attempts=3, first_wait=0.01, longest_wait=0.02, deadline=5)
ASK = ChatRequest("synthesis", (Message(role="user", content="Who wrote them?"),))
STRUCTURED = ChatRequest("extraction", ASK.messages, schema={"type": "object"}, schema_name="found", temperature=0)
GOOD = Answer(chat_reply("Ada."))


def client(server: FaultServer, policy: RetryPolicy = QUICK) -> OpenAIChat:
    return server.keep(OpenAIChat("m", Endpoint(server.base_url, KEY), policy))


async def said(server: FaultServer, *answers: Answer, request: ChatRequest = ASK) -> str:
    server.answers = list(answers)
    return (await client(server).chat(request)).text


async def failure(server: FaultServer, *answers: Answer, policy: RetryPolicy = QUICK) -> LLMError:
    server.answers = list(answers)
    chat = client(server, policy)
    with pytest.raises(LLMError) as raised:
        await chat.chat(ASK)
    return raised.value


# ---------------------------------------------------------------- what is sent, what comes back


def test_it_is_a_model() -> None:
    assert isinstance(OpenAIChat("m", Endpoint()), ChatModel)


async def test_the_request_is_sent_with_schema_and_key(server: FaultServer) -> None:
    await said(server, GOOD, request=STRUCTURED)
    (seen,) = server.seen
    schema = {"name": "found", "schema": {"type": "object"}, "strict": True}
    assert (seen.path, seen.key) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert seen.body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Who wrote them?"}],
        "temperature": 0,
        "response_format": {"type": "json_schema", "json_schema": schema},
    }


async def test_the_reply_says_who_answered_and_what_it_cost(server: FaultServer) -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 5}}
    server.answers = [Answer(chat_reply("Ada.", usage=usage))]
    assert await client(server).chat(ASK) == ChatReply("Ada.", "answered", 7, 2, 5)


async def test_missing_usage_and_model_are_no_fault(server: FaultServer) -> None:
    server.answers = [Answer({"choices": [{"message": {"content": "Ada."}}], "usage": None})]
    assert await client(server).chat(ASK) == ChatReply("Ada.", "m")


@pytest.mark.parametrize(
    ("content", "text"),
    [("<think>Hm.</think>\nAda.", "Ada."), ([{"type": "text", "text": "Ada"}, {"text": "."}], "Ada."), (None, "")],
)
async def test_content_is_read_in_its_spellings(server: FaultServer, content: object, text: str) -> None:
    assert await said(server, Answer(chat_reply(content))) == text


async def test_a_refusal_is_the_text(server: FaultServer) -> None:
    assert await said(server, Answer({"choices": [{"message": {"content": None, "refusal": "No."}}]})) == "No."


async def test_a_question_with_a_lone_surrogate_is_sent(server: FaultServer) -> None:
    await said(server, GOOD, request=ChatRequest("synthesis", (Message(role="user", content="a\ud800b"),)))
    assert server.seen[0].body["messages"][0]["content"] == "a\ufffdb"


async def test_an_answer_with_a_lone_surrogate_is_read(server: FaultServer) -> None:
    assert await said(server, Answer(raw=b'{"choices": [{"message": {"content": "a\\ud83d"}}]}')) == "a\ud83d"


# ---------------------------------------------------------------- faults that heal


@pytest.mark.parametrize(
    "fault",
    [
        Answer(error("busy"), status=500),
        Answer(error("busy"), status=503),
        Answer(error("slow down"), status=429),
        Answer(breaks=True),
        Answer(resets=True),
        Answer(raw=b'{"choices": [{"message": {"content": "Ad'),
        Answer(raw=b"<html>gateway</html>"),
        Answer({"choices": []}),
        Answer(error("overloaded")),
    ],
)
async def test_a_fault_that_heals_is_tried_again(server: FaultServer, fault: Answer) -> None:
    assert await said(server, fault, fault, GOOD) == "Ada."
    assert len(server.seen) == 3


async def test_at_once_is_no_advice_to_follow(server: FaultServer) -> None:
    server.answers = [Answer(error("slow down"), status=429, headers={"Retry-After": "0"})]
    chat = client(server, RetryPolicy(first_wait=0.2, longest_wait=0.2, deadline=0.6))
    with pytest.raises(LLMError):
        await chat.chat(ASK)
    assert len(server.seen) < 40


@pytest.mark.parametrize("headers", [{"Retry-After": "0.3"}, {"retry-after-ms": "300"}])
async def test_retry_after_is_obeyed(server: FaultServer, headers: dict[str, str]) -> None:
    await said(server, Answer(error("slow down"), status=429, headers=headers), GOOD)
    first, second = server.seen
    assert 0.3 <= second.at - first.at < 0.6


@pytest.mark.parametrize("date", ["soon", "Fri, 31 Dec 99999999999 23:59:59 GMT", "Wed, 21 Oct 2015 07:28:00 GMT"])
async def test_a_retry_after_that_says_no_time_to_come_is_passed_over(server: FaultServer, date: str) -> None:
    assert await said(server, Answer(error("slow down"), status=429, headers={"Retry-After": date}), GOOD) == "Ada."


async def test_being_asked_to_slow_down_is_borne_longer_than_errors(server: FaultServer) -> None:
    storm = [Answer(error("slow down"), status=429) for _ in range(6)]
    assert await said(server, *storm, GOOD) == "Ada."


async def test_a_persistent_error_costs_the_set_tries_and_no_more(server: FaultServer) -> None:
    told = await failure(server, Answer(error("out of memory"), status=500))
    assert len(server.seen) == 3
    assert "HTTP 500" in str(told)
    assert "out of memory" in str(told)


# ---------------------------------------------------------------- faults that do not heal


@pytest.mark.parametrize(
    ("status", "advice"),
    [(401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "POST_GRAPH_RAG_BASE_URL"), (400, "It says: wrong")],
)
async def test_what_cannot_heal_is_asked_once_and_told(server: FaultServer, status: int, advice: str) -> None:
    told = await failure(server, Answer(error("wrong"), status=status))
    assert len(server.seen) == 1
    assert advice in str(told)


async def test_a_spent_quota_is_not_waited_for(server: FaultServer) -> None:
    told = await failure(server, Answer(error("pay", code="insufficient_quota"), status=429))
    assert len(server.seen) == 1
    assert "quota" in str(told)


async def test_nonsense_is_told_as_such(server: FaultServer) -> None:
    assert "is not JSON" in str(await failure(server, Answer(raw=b"<html>")))


async def test_a_server_that_is_not_there_is_told_as_such() -> None:
    chat = OpenAIChat("m", Endpoint("http://user:pass-word@127.0.0.1:9/v1", KEY), QUICK)
    with pytest.raises(LLMError, match=r"'m' at 127\.0\.0\.1:9 cannot be reached") as raised:
        await chat.chat(ASK)
    assert "pass-word" not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize("url", ["localhost:8000/v1", "http://", "http://[::1", "ftp://host/v1", "secret-word"])
def test_a_url_that_is_none_is_refused_at_once_and_not_quoted(url: str) -> None:
    with pytest.raises(ConfigurationError, match="POST_GRAPH_RAG_BASE_URL") as raised:
        Endpoint(url)
    assert "secret-word" not in str(raised.value)


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
async def test_no_message_and_no_traceback_shows_a_key(server: FaultServer, status: int) -> None:
    quoted = error(f"Incorrect key {KEY} or Bearer other-secret", code="insufficient_quota")
    told = await failure(server, Answer(quoted, status=status))
    shown = "".join(traceback.format_exception(told))
    assert KEY not in shown
    assert "other-secret" not in shown


async def test_the_cause_is_kept_where_it_shows_no_secret(server: FaultServer) -> None:
    assert "wrong" in str((await failure(server, Answer(error("wrong"), status=400))).__cause__)


# ---------------------------------------------------------------- the deadline


async def test_the_deadline_ends_a_call_under_way(server: FaultServer) -> None:
    started = time.monotonic()
    told = await failure(server, Answer(chat_reply("late"), delay=5), policy=RetryPolicy(deadline=0.2))
    assert time.monotonic() - started < 1
    assert "within 0.2 seconds" in str(told)


async def test_a_wait_beyond_the_deadline_is_not_begun(server: FaultServer) -> None:
    started = time.monotonic()
    told = await failure(server, Answer(error("later"), status=429, headers={"Retry-After": "600"}))
    assert time.monotonic() - started < 1
    assert "limits calls" in str(told)


async def test_a_cancelled_call_is_cancelled_at_the_server(server: FaultServer) -> None:
    server.answers = [Answer(chat_reply("late"), delay=30)]
    task = asyncio.ensure_future(client(server).chat(ASK))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# ---------------------------------------------------------------- fields a server does not know


async def test_a_server_without_structured_output_is_asked_without_from_then_on(server: FaultServer) -> None:
    server.answers = [Answer(error("response_format not supported"), status=400), GOOD]
    chat = client(server)
    assert [(await chat.chat(STRUCTURED)).text, (await chat.chat(STRUCTURED)).text] == ["Ada.", "Ada."]
    assert ["response_format" in seen.body for seen in server.seen] == [True, False, False]


async def test_a_server_that_only_says_no_is_asked_without_structured_output(server: FaultServer) -> None:
    assert await said(server, Answer(error("bad request"), status=422), GOOD, request=STRUCTURED) == "Ada."


async def test_several_unknown_fields_are_left_out(server: FaultServer) -> None:
    answers = [
        Answer(error("no response_format"), status=400),
        Answer(error("x", param="temperature"), status=400),
        GOOD,
    ]
    assert await said(server, *answers, request=STRUCTURED) == "Ada."
    assert set(server.seen[-1].body) == {"model", "messages"}


async def test_a_server_that_wants_the_newer_name_of_a_field_gets_it_from_then_on(server: FaultServer) -> None:
    refusal = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    server.answers = [Answer(error(refusal), status=400), GOOD]
    chat = client(server)
    for _ in range(2):
        await chat.chat(replace(ASK, max_tokens=9))
    assert [seen.body.get("max_completion_tokens") for seen in server.seen] == [None, 9, 9]
    assert "max_tokens" not in server.seen[-1].body


async def test_a_field_is_not_given_up_when_leaving_it_out_does_not_help(server: FaultServer) -> None:
    server.answers = [Answer(error("too long"), status=400), Answer(error("too long"), status=400), GOOD]
    chat = client(server)
    with pytest.raises(LLMError, match="too long"):
        await chat.chat(STRUCTURED)
    await chat.chat(STRUCTURED)
    assert "response_format" in server.seen[-1].body


# ---------------------------------------------------------------- streams


def events(*pieces: str) -> list[str]:
    return [*(json.dumps({"choices": [{"delta": {"content": piece}}]}) for piece in pieces), "[DONE]"]


async def streamed(server: FaultServer, *answers: Answer) -> list[str]:
    server.answers = list(answers)
    return [piece async for piece in client(server).stream(ASK)]


async def test_a_stream_comes_in_its_pieces(server: FaultServer) -> None:
    assert await streamed(server, Answer(events=events("Ada ", "wrote ", "them."))) == ["Ada ", "wrote ", "them."]


async def test_a_stream_without_text_is_an_empty_answer(server: FaultServer) -> None:
    assert await streamed(server, Answer(events=['{"choices": []}', "[DONE]"])) == []


async def test_reasoning_is_not_streamed(server: FaultServer) -> None:
    assert await streamed(server, Answer(events=events("<thi", "nk>Hm.</think>", "Ada."))) == ["Ada."]


async def test_opening_a_stream_is_tried_again(server: FaultServer) -> None:
    assert await streamed(server, Answer(error("busy"), status=503), Answer(events=events("Ada."))) == ["Ada."]


async def test_a_stream_that_breaks_tells_what_was_received_and_is_not_tried_again(server: FaultServer) -> None:
    server.answers = [Answer(events=events("Ada ", "wr")[:2], breaks=True)]
    with pytest.raises(LLMError) as raised:
        _ = [piece async for piece in client(server).stream(ASK)]
    assert raised.value.partial == "Ada wr"
    assert len(server.seen) == 1


async def test_a_stream_that_just_ends_is_a_broken_one(server: FaultServer) -> None:
    server.answers = [Answer(events=events("Ada ", "wr")[:2])]
    with pytest.raises(LLMError, match="ended before the answer did") as raised:
        _ = [piece async for piece in client(server).stream(ASK)]
    assert raised.value.partial == "Ada wr"


async def test_a_stream_that_says_why_it_ended_needs_no_other_last_word(server: FaultServer) -> None:
    last = json.dumps({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    assert await streamed(server, Answer(events=[*events("Ada.")[:1], last])) == ["Ada."]


async def test_an_error_in_place_of_the_first_piece_is_tried_again(server: FaultServer) -> None:
    told = Answer(events=[json.dumps(error("overloaded"))])
    assert await streamed(server, told, Answer(events=events("Ada."))) == ["Ada."]


async def test_an_error_between_pieces_tells_what_was_received(server: FaultServer) -> None:
    server.answers = [Answer(events=[*events("Ada ")[:1], json.dumps(error("overloaded"))])]
    with pytest.raises(LLMError, match="overloaded") as raised:
        _ = [piece async for piece in client(server).stream(ASK)]
    assert raised.value.partial == "Ada "


async def test_a_stream_tells_who_answers_it(server: FaultServer) -> None:
    named: list[str] = []
    server.answers = [Answer(events=[json.dumps({"model": "m-2", "choices": []}), *events("Ada.")])]
    _ = [piece async for piece in client(server).stream(replace(ASK, answered=named.append))]
    assert named == ["m-2"]


async def test_a_stream_that_falls_silent_ends_at_the_deadline(server: FaultServer) -> None:
    server.answers = [Answer(events=events("Ada ", "wrote"), pause=5)]
    chat = client(server, RetryPolicy(deadline=0.3))
    with pytest.raises(LLMError, match=r"within 0\.3 seconds") as raised:
        _ = [piece async for piece in chat.stream(ASK)]
    assert raised.value.partial == "Ada "


async def test_time_the_reader_takes_does_not_count_against_the_deadline(server: FaultServer) -> None:
    server.answers = [Answer(events=events("Ada ", "wrote ", "them."))]
    chat = client(server, RetryPolicy(deadline=0.3))
    pieces = []
    async for piece in chat.stream(ASK):
        pieces.append(piece)
        await asyncio.sleep(0.2)
    assert len(pieces) == 3


async def test_leaving_a_stream_early_ends_the_call(server: FaultServer) -> None:
    server.answers = [Answer(events=events(*["word "] * 200), pause=0.05)]
    async with aclosing(client(server).stream(ASK)) as pieces:  # type: ignore[type-var]
        async for _ in pieces:
            break
    for _ in range(40):
        await asyncio.sleep(0.05)
        if server.left_early:
            break
    assert server.left_early


# ---------------------------------------------------------------- event loops


@pytest.fixture
def several_loops() -> Iterator[list[asyncio.AbstractEventLoop]]:
    loops = [asyncio.new_event_loop() for _ in range(2)]
    yield loops
    for loop in loops:
        loop.close()


def test_one_model_serves_several_event_loops_in_turn(several_loops: list[asyncio.AbstractEventLoop]) -> None:
    faulty = FaultServer()
    faulty.answers = [GOOD]
    chat: list[OpenAIChat] = []

    async def ask_in_this_loop() -> str:
        runner = web.AppRunner(faulty.app())
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 8932)
        await site.start()
        chat.append(chat[0] if chat else OpenAIChat("m", Endpoint("http://127.0.0.1:8932/v1"), QUICK))
        try:
            return (await chat[-1].chat(ASK)).text
        finally:
            await chat[-1].close()
            await runner.cleanup()

    assert [loop.run_until_complete(ask_in_this_loop()) for loop in several_loops] == ["Ada.", "Ada."]
    assert chat[0] is chat[1]


async def test_closing_twice_and_asking_after_is_fine(server: FaultServer) -> None:
    server.answers = [GOOD]
    chat = client(server)
    await chat.close()
    reply = await chat.chat(ASK)
    await chat.close()
    await chat.close()
    assert reply.text


def test_a_model_is_made_without_an_event_loop() -> None:
    assert OpenAIChat("m", Endpoint("http://127.0.0.1:9/v1", KEY)).name == "m"
