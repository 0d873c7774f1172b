"""Answers over a real search, written by a scripted model."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from post_graph_rag.errors import InputError, LLMError, ModelNotConfigured
from post_graph_rag.models.answer_call import NOT_IN_SOURCES
from post_graph_rag.models.protocols import ChatRequest
from post_graph_rag.models.roles import Models
from post_graph_rag.records import Message, QueryParam
from post_graph_rag.retrieve.answer import AnswerStream, answer
from post_graph_rag.retrieve.pipeline import Library, Reader
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding
from tests.integration.retrieve.conftest import reader_of

ASKED = "who bought Orion Foundry?"
NO_ANSWER = QueryParam(only_need_context=True)


class EndlessChat(ScriptedChat):
    """Streams until it is left, and notes that it was."""

    left = False

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        self.calls.append(request)
        try:
            while True:
                yield "more "
        finally:
            self.left = True


class BreakingChat(ScriptedChat):
    """Breaks after a few words."""

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        yield "It was "
        raise LLMError("the line went dead")


async def test_an_answer_lists_the_sources_it_cites(world: Reader) -> None:
    said = await answer(world, Models(ScriptedChat("Kestrel Holdings [1], not [99].")), ASKED)
    assert said.text == "Kestrel Holdings [1], not [99]."
    assert [reference.number for reference in said.references] == [1]
    assert said.references[0] in said.data.references


async def test_an_answer_that_cites_nothing_is_no_error(world: Reader) -> None:
    said = await answer(world, Models(ScriptedChat("Kestrel Holdings.")), ASKED)
    assert (said.text, said.references) == ("Kestrel Holdings.", ())


async def test_the_model_reads_the_context_and_the_users_own_words(world: Reader) -> None:
    chat = ScriptedChat("…")
    said = await answer(world, Models(chat), "And who?", QueryParam(search_query=ASKED))
    asked = chat.calls[0].messages[-1].content
    assert said.data.context in asked
    assert "And who?" in asked
    assert ASKED not in asked


async def test_the_prompt_that_is_sent_has_the_size_that_is_told(world: Reader) -> None:
    chat = ScriptedChat("…")
    param = QueryParam(max_total_tokens=700, conversation_history=(Message(role="user", content="hm " * 60),))
    said = await answer(world, Models(chat), ASKED, param)
    contents = [message.content for message in chat.calls[0].messages]
    assert said.data.tokens == sum(world.tokenizer.count(content) + 4 for content in contents) + 3 <= 700


async def test_context_alone_needs_no_model(world: Reader) -> None:
    said = await answer(world, Models(), ASKED, NO_ANSWER)
    assert said.text == ""
    assert "Kestrel Holdings" in said.data.context


async def test_a_missing_model_is_said_before_anything_is_searched(world: Reader, shelves: Library) -> None:
    assert isinstance(shelves.embedding, ScriptedEmbedding)
    with pytest.raises(ModelNotConfigured, match="synthesis"):
        await answer(world, Models(), ASKED)
    with pytest.raises(ModelNotConfigured, match="synthesis"):
        async with AnswerStream(world, Models(), ASKED):
            pass
    assert shelves.embedding.requests == 0


async def test_context_alone_wins_over_bypass(world: Reader) -> None:
    said = await answer(world, Models(), ASKED, QueryParam(mode="bypass", only_need_context=True))
    assert (said.text, said.data.context) == ("", "")


async def test_nothing_found_is_said_without_a_model(store: Database, realm: Realm) -> None:
    chat = ScriptedChat("made up")
    said = await answer(reader_of(store, realm), Models(chat), ASKED)
    assert (said.text, chat.calls) == (NOT_IN_SOURCES, [])


async def test_bypass_asks_the_model_alone(world: Reader) -> None:
    chat = ScriptedChat("From memory.")
    said = await answer(world, Models(chat), ASKED, QueryParam(mode="bypass"))
    assert said.text == "From memory."
    assert chat.calls[0].messages[-1].content == ASKED


async def test_a_failed_synthesis_carries_what_was_found(world: Reader) -> None:
    with pytest.raises(LLMError) as caught:
        await answer(world, Models(ScriptedChat(LLMError("down"))), ASKED)
    assert caught.value.retrieval.passages


async def test_an_answer_without_a_word_is_a_failure_that_carries_what_was_found(world: Reader) -> None:
    models = Models(ScriptedChat(" "))
    with pytest.raises(LLMError, match="answered nothing") as plain:
        await answer(world, models, ASKED)
    with pytest.raises(LLMError, match="answered nothing") as streamed:
        async with AnswerStream(world, models, ASKED) as stream:
            [_ async for _ in stream]
    assert plain.value.retrieval.passages == streamed.value.retrieval.passages != ()


async def test_a_stream_gives_the_same_record_as_the_plain_call(world: Reader) -> None:
    models = Models(ScriptedChat("Kestrel Holdings bought it [1]."))
    plain = await answer(world, models, ASKED)
    async with AnswerStream(world, models, ASKED) as stream:
        pieces = [piece async for piece in stream]
    assert "".join(pieces) == plain.text
    assert len(pieces) > 1
    assert stream.answer.model_dump(include={"text", "references", "data", "model"}) == plain.model_dump(
        include={"text", "references", "data", "model"}
    )


async def test_what_was_found_is_there_before_the_first_word(world: Reader) -> None:
    async with AnswerStream(world, Models(ScriptedChat("…")), ASKED) as stream:
        assert stream.data.passages


async def test_leaving_a_stream_early_ends_the_models_call(world: Reader) -> None:
    chat = EndlessChat()
    async with AnswerStream(world, Models(chat), ASKED) as stream:
        async for _ in stream:
            break
    assert chat.left
    assert stream.answer.text == "more "


async def test_a_broken_stream_carries_what_was_found_and_what_was_sent(world: Reader) -> None:
    with pytest.raises(LLMError) as caught:
        async with AnswerStream(world, Models(BreakingChat()), ASKED) as stream:
            [_ async for _ in stream]
    assert caught.value.partial == "It was "
    assert caught.value.retrieval.passages


@pytest.mark.parametrize(("param", "text"), [(NO_ANSWER, ""), (QueryParam(space="*"), NOT_IN_SOURCES)])
async def test_a_stream_without_a_model_says_what_the_plain_call_says(
    store: Database, realm: Realm, param: QueryParam, text: str
) -> None:
    async with AnswerStream(reader_of(store, realm), Models(ScriptedChat("made up")), ASKED, param) as stream:
        said = [piece async for piece in stream]
    assert ("".join(said), stream.answer.text) == (text, text)


async def test_a_stream_that_was_not_entered_says_how_it_is_used(world: Reader) -> None:
    with pytest.raises(InputError, match="async with"):
        aiter(AnswerStream(world, Models(), ASKED))
