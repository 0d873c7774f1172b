"""So many calls and no more are under way at once, in every event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from post_graph_rag.errors import BudgetExceeded, EmbeddingError, LLMError
from post_graph_rag.models.limits import LimitedChat, LimitedEmbedding
from post_graph_rag.models.protocols import ChatModel, ChatReply, ChatRequest, EmbeddingModel
from post_graph_rag.records import Message
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding

ASK = ChatRequest("synthesis", (Message(role="user", content="q"),))


async def ask_ten(chat: LimitedChat) -> None:
    await asyncio.gather(*(chat.chat(ASK) for _ in range(10)))


def test_a_limited_model_is_a_model_of_the_same_name() -> None:
    chat, embedding = LimitedChat(ScriptedChat(name="n"), 2), LimitedEmbedding(ScriptedEmbedding(8), 2)
    assert isinstance(chat, ChatModel)
    assert isinstance(embedding, EmbeddingModel)
    assert (chat.name, embedding.name, embedding.dimensions) == ("n", "scripted-embedding", 8)


async def test_no_more_calls_are_under_way_than_allowed() -> None:
    model = ScriptedChat(delay=0.005)
    await ask_ten(LimitedChat(model, 3))
    assert model.most_under_way == 3


async def test_no_more_embeddings_are_under_way_than_allowed() -> None:
    model = ScriptedEmbedding(8, delay=0.005)
    limited = LimitedEmbedding(model, 2)
    await asyncio.gather(*(limited.embed(["a"]) for _ in range(6)))
    assert model.behaviour.most_under_way == 2


def test_the_bound_holds_in_several_event_loops_in_turn() -> None:
    model = ScriptedChat(delay=0.005)
    limited = LimitedChat(model, 3)
    for _ in range(2):
        asyncio.run(ask_ten(limited))
    assert model.most_under_way == 3


async def test_a_failed_call_gives_its_slot_back() -> None:
    limited = LimitedChat(ScriptedChat("yes", fail=5), 1)
    await asyncio.gather(*(limited.chat(ASK) for _ in range(5)), return_exceptions=True)
    assert (await limited.chat(ASK)).text == "yes"


class Odd:
    """A model of somebody's that does whatever it is given to do."""

    name, dimensions = "odd", 2

    def __init__(self, act: Callable[[], Any]) -> None:
        self.act = act

    async def chat(self, request: ChatRequest) -> Any:
        return self.act()

    async def embed(self, texts: Any, kind: Any = "passage") -> Any:
        return self.act()


def fail(error: BaseException) -> Callable[[], Any]:
    def act() -> Any:
        raise error

    return act


@pytest.mark.parametrize("error", [KeyError("choices"), TimeoutError(), asyncio.CancelledError(), ConnectionError("x")])
async def test_whatever_a_model_raises_is_a_failure_of_the_model(error: BaseException) -> None:
    odd: Any = Odd(fail(error))
    with pytest.raises(LLMError, match=f"'odd' failed with {type(error).__name__}"):
        await LimitedChat(odd, 1).chat(ASK)
    with pytest.raises(EmbeddingError, match=f"'odd' failed with {type(error).__name__}"):
        await LimitedEmbedding(odd, 1).embed(["a"])


async def test_an_error_of_this_library_stays_what_it_is() -> None:
    odd: Any = Odd(fail(BudgetExceeded()))
    with pytest.raises(BudgetExceeded):
        await LimitedChat(odd, 1).chat(ASK)


async def test_a_call_that_is_given_up_ends() -> None:
    model = ScriptedChat(delay=60)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await LimitedChat(model, 1).chat(ASK)


UNTOLD: Any = None


async def test_usage_and_name_that_are_not_told_are_none_and_the_models_own() -> None:
    odd: Any = Odd(lambda: ChatReply("yes", UNTOLD, UNTOLD, "many", 1.5))  # type: ignore[arg-type]
    assert await LimitedChat(odd, 1).chat(ASK) == ChatReply("yes", "odd")


async def test_an_open_stream_holds_a_slot_until_it_is_left() -> None:
    limited = LimitedChat(ScriptedChat("one two three"), 1)
    stream = limited.stream(ASK)
    assert await anext(stream) == "one "
    waiting = asyncio.ensure_future(limited.chat(ASK))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    await stream.aclose()  # type: ignore[attr-defined]
    assert (await waiting).text == "one two three"
