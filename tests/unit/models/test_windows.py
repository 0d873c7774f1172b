"""A reply is asked for no longer than fits behind its prompt; a prompt that does not fit is not sent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from post_graph_rag.errors import LLMError
from post_graph_rag.models.endpoint import Endpoint
from post_graph_rag.models.openai_chat import OpenAIChat
from post_graph_rag.models.policy import RetryPolicy
from post_graph_rag.models.protocols import ChatRequest
from post_graph_rag.models.windows import Generation, window_of
from post_graph_rag.records import Message
from tests.faults import Answer, FaultServer, chat_reply, error

ASK = ChatRequest(
    "synthesis", (Message(role="user", content="one two three four five six seven eight"),), temperature=0
)


@pytest.mark.parametrize(
    ("name", "window"),
    [("gpt-4", 8_192), ("gpt-4o-mini", 128_000), ("openai/gpt-4.1-nano", 1_047_576), ("llama3.2", None)],
)
def test_the_window_is_known_by_the_name(name: str, window: int | None) -> None:
    assert window_of(name) == window


def test_a_role_may_limit_what_a_request_leaves_open_but_not_lengthen_it() -> None:
    limited = Generation(max_tokens=100)
    assert (limited.limit_of(ASK, "m"), limited.limit_of(replace(ASK, max_tokens=7), "m")) == (100, 7)


def test_no_limit_is_sent_where_none_is_set() -> None:
    assert Generation(context_window=30).limit_of(ASK, "gpt-4") is None


def test_the_limit_ends_where_the_window_does() -> None:
    # eight words, four tokens for the message, three for the reply
    assert Generation(max_tokens=100, context_window=40).limit_of(ASK, "gpt-4") == 40 - 15


def test_a_prompt_that_fills_the_window_is_refused_with_what_helps() -> None:
    with pytest.raises(LLMError, match=r"about 15 tokens.*holds 15.*POST_GRAPH_RAG_CONTEXT_WINDOW") as raised:
        Generation(context_window=15).limit_of(ASK, "gpt-4")
    assert raised.value.elsewhere


def test_a_roles_temperature_goes_before_the_requests() -> None:
    assert (Generation(temperature=0.5).temperature_of(ASK), Generation().temperature_of(ASK)) == (0.5, 0)


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"),
        (400, "the request exceeds the available context size"),
        (400, "prompt is too long: 9000 tokens > 8192 maximum"),
        (500, "input exceeds the context window"),
    ],
)
async def test_an_endpoint_that_finds_a_request_too_long_is_asked_once(
    server: FaultServer, status: int, told: str
) -> None:
    server.answers = [Answer(error(told), status=status), Answer(chat_reply("late"))]
    chat = server.keep(OpenAIChat("m", Endpoint(server.base_url), RetryPolicy(first_wait=0.01)))
    with pytest.raises(LLMError, match=r"cannot hold so long a request.*POST_GRAPH_RAG_CHUNK_TOKENS"):
        await chat.chat(replace(ASK, schema={"type": "object"}, max_tokens=9))
    assert len(server.seen) == 1
