"""So many calls and no more are under way at once, in every event loop."""

from __future__ import annotations

import asyncio

from post_graph_rag.models.limits import LimitedChat, LimitedEmbedding
from post_graph_rag.models.protocols import ChatModel, ChatRequest, EmbeddingModel
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


async def test_an_open_stream_holds_a_slot_until_it_is_left() -> None:
    limited = LimitedChat(ScriptedChat("one two three"), 1)
    stream = limited.stream(ASK)
    assert await anext(stream) == "one "
    waiting = asyncio.ensure_future(limited.chat(ASK))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    await stream.aclose()  # type: ignore[attr-defined]
    assert (await waiting).text == "one two three"
