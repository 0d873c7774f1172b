"""The scripted models say what a test wrote down, and remember what they were asked."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.errors import EmbeddingError, LLMError
from post_graph_rag.models.parsing import parse_extraction
from post_graph_rag.models.protocols import ChatModel, ChatReply, ChatRequest, EmbeddingModel, Role
from post_graph_rag.records import ExtractedEntity, ExtractedRelation, Extraction, Message
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, fresh_realm_name, plain_facts


def request(role: Role = "synthesis", text: str = "Hello there.", round: int = 0) -> ChatRequest:
    return ChatRequest(role, (Message(role="user", content=text),), inputs={"text": text}, round=round)


async def said(chat: ScriptedChat, asked: ChatRequest | None = None) -> str:
    return (await chat.chat(asked or request())).text


def test_both_are_models() -> None:
    assert isinstance(ScriptedChat(), ChatModel)
    assert isinstance(ScriptedEmbedding(), EmbeddingModel)


async def test_a_text_is_said_every_time() -> None:
    chat = ScriptedChat("yes")
    assert [await said(chat), await said(chat)] == ["yes", "yes"]


async def test_a_sequence_is_said_one_a_call_and_the_last_again() -> None:
    chat = ScriptedChat(["one", "two"])
    assert [await said(chat) for _ in range(3)] == ["one", "two", "two"]


async def test_each_role_has_its_script() -> None:
    chat = ScriptedChat({"synthesis": "answer", "extraction": {"entities": ["Ada"]}})
    assert await said(chat) == "answer"
    assert await said(chat, request("extraction")) == '{"entities": ["Ada"]}'


async def test_a_function_sees_the_request_and_may_be_async() -> None:
    async def slowly(asked: ChatRequest) -> str:
        return asked.inputs["text"].upper()

    assert await said(ScriptedChat(lambda asked: asked.role)) == "synthesis"
    assert await said(ScriptedChat(slowly)) == "HELLO THERE."


async def test_an_exception_in_the_script_is_raised() -> None:
    with pytest.raises(TimeoutError):
        await said(ScriptedChat([TimeoutError()]))


async def test_an_extraction_is_sent_in_the_form_the_parser_reads() -> None:
    found = Extraction(entities=(ExtractedEntity(name="Ada", type="Person"),))
    assert parse_extraction(await said(ScriptedChat({"extraction": found}), request("extraction")))[0] == found


async def test_the_extract_function_serves_the_first_round_and_later_ones_find_nothing() -> None:
    chat = ScriptedChat(extract=plain_facts)
    first = await said(chat, request("extraction", "Ada met Babbage."))
    later = await said(chat, request("extraction", "Ada met Babbage.", round=1))
    assert len(parse_extraction(first)[0].relations) == 1
    assert parse_extraction(later)[0] == Extraction()


async def test_calls_are_kept_by_role() -> None:
    chat = ScriptedChat()
    await said(chat)
    await said(chat, request("extraction"))
    assert [len(chat.calls), len(chat.calls_for("extraction"))] == [2, 1]


async def test_the_first_calls_fail_as_told_and_then_it_answers() -> None:
    chat = ScriptedChat("yes", fail=1)
    with pytest.raises(LLMError):
        await said(chat)
    assert await said(chat) == "yes"


async def test_calls_at_once_are_counted_even_when_they_fail() -> None:
    chat = ScriptedChat(delay=0.01, fail=2)
    await asyncio.gather(*(said(chat) for _ in range(4)), return_exceptions=True)
    assert chat.most_under_way == 4
    assert chat.behaviour.under_way == 0


async def test_a_stream_gives_the_same_words() -> None:
    pieces = [piece async for piece in ScriptedChat("Ada wrote  notes [1].\n").stream(request())]
    assert "".join(pieces) == "Ada wrote  notes [1].\n"
    assert len(pieces) == 4


async def test_a_reply_is_passed_on_as_it_is() -> None:
    reply = ChatReply("x", "other", 1, 2, 3)
    assert await ScriptedChat(reply).chat(request()) is reply


async def test_vectors_have_the_width_and_unit_length() -> None:
    vectors = await ScriptedEmbedding(64).embed(["Ada wrote notes", "", "日本語"])
    assert vectors.shape == (3, 64)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


async def test_texts_that_share_words_are_nearer() -> None:
    near, same, far = await ScriptedEmbedding().embed(["Ada wrote the notes", "the notes Ada kept", "a loom in Lyon"])
    assert near @ same > near @ far + 0.3


async def test_the_same_text_has_the_same_vector_in_another_process() -> None:
    code = (
        "import asyncio; from post_graph_rag.testing import ScriptedEmbedding as S;"
        "print(asyncio.run(S(8).embed(['Ada wrote']))[0].round(4).tolist())"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    printed = (await process.communicate())[0].decode().strip()
    assert printed == str((await ScriptedEmbedding(8).embed(["Ada wrote"]))[0].round(4).tolist())


async def test_embedding_fails_as_told_and_remembers_its_texts() -> None:
    embedding = ScriptedEmbedding(fail=1)
    with pytest.raises(EmbeddingError):
        await embedding.embed(["a"])
    await embedding.embed(["b", "c"])
    assert (embedding.requests, embedding.texts) == (2, ["a", "b", "c"])


@given(st.text())
def test_any_text_has_a_vector(text: str) -> None:
    embedding: Awaitable[np.ndarray] = ScriptedEmbedding(16).embed([text])
    assert np.isfinite(asyncio.run(embedding)).all()  # type: ignore[arg-type]


def test_plain_facts_are_read() -> None:
    found = plain_facts(
        "Acme Corp also known as Acme acquired Birch Labs from 2001 until 2005 it is said.\nNo fact here."
    )
    assert [(e.name, e.aliases) for e in found.entities] == [("Acme Corp", ("Acme",)), ("Birch Labs", ())]
    assert [(r.subject, r.predicate, r.object, r.valid_from, r.valid_to) for r in found.relations] == [
        ("Acme Corp", "acquired", "Birch Labs", "2001", "2005")
    ]


def test_a_plain_denial_is_negated() -> None:
    assert plain_facts("Acme never sued Birch.").relations == (
        ExtractedRelation(
            subject="Acme", predicate="sued", object="Birch", description="Acme never sued Birch.", negated=True
        ),
    )


def test_fresh_realm_names_differ() -> None:
    assert fresh_realm_name() != fresh_realm_name()
