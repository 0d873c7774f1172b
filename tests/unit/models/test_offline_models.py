"""The offline models quote the sources, say when they cannot, and need no network."""

from __future__ import annotations

import asyncio
import sys

import numpy as np
import pytest

from post_graph_rag.errors import ConfigurationError, LLMError
from post_graph_rag.models.answer_call import NOT_IN_SOURCES, answer_request, bypass_request
from post_graph_rag.models.extraction_call import extraction_request
from post_graph_rag.models.offline import embedding as embedding_module
from post_graph_rag.models.offline.answer import extractive_answer
from post_graph_rag.models.offline.chat import OfflineChat
from post_graph_rag.models.offline.embedding import OfflineEmbedding
from post_graph_rag.models.parsing import parse_extraction
from post_graph_rag.models.prompts import fenced
from post_graph_rag.models.protocols import ChatModel, ChatRequest, EmbeddingModel
from post_graph_rag.records import DocumentContext, Extraction, Message

# ---------------------------------------------------------------- answers


def passage(number: int, text: str) -> str:
    return f"[{number}] Title, file.md\n{fenced('passage', text)}"


CONTEXT = "\n".join(
    [
        "Facts:",
        "- Quill & Co was founded by Maria Tern. [1]",
        "- Quill & Co bought the Osprey Press. (from 1998) [2][3]",
        "",
        "Passages:",
        passage(1, "# Quill\n\nQuill & Co makes pens. Maria Tern was born in Gannet Bay. It rains there often."),
        passage(2, "The Osprey Press printed maps until it was bought. Its rival was the Heron House [7]."),
    ]
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who founded Quill & Co?", "Quill & Co was founded by Maria Tern [1]."),
        ("When was the Osprey Press bought?", "Quill & Co bought the Osprey Press. (from 1998) [2][3]."),
        ("Where was Maria Tern born?", "Maria Tern was born in Gannet Bay [1]."),
    ],
)
def test_the_statement_that_matches_best_comes_first_with_its_sources(question: str, answer: str) -> None:
    assert extractive_answer(question, CONTEXT).startswith(answer)


def test_a_chain_over_two_statements_is_followed() -> None:
    answer = extractive_answer("Where was the founder of Quill & Co born?", CONTEXT)
    assert "founded by Maria Tern [1]" in answer
    assert "born in Gannet Bay [1]" in answer


@pytest.mark.parametrize(
    "question", ["Who runs Albatross Ltd?", "What is the capital of Mongolia?", "How much does lunch cost?", "???", ""]
)
def test_what_the_sources_do_not_speak_of_is_said_to_be_missing(question: str) -> None:
    assert extractive_answer(question, CONTEXT) == NOT_IN_SOURCES


@pytest.mark.parametrize("context", ["", "Facts:", "no format at all"])
def test_no_sources_hold_no_answer(context: str) -> None:
    assert extractive_answer("Who founded Quill & Co?", context) == NOT_IN_SOURCES


def test_brackets_that_a_source_writes_do_not_pass_for_references() -> None:
    answer = extractive_answer("Who was the rival of the Osprey Press?", CONTEXT)
    assert "Heron House (7) [2]." in answer
    assert "[7]" not in answer


def test_the_same_statement_is_not_quoted_twice() -> None:
    context = "\n".join([CONTEXT, passage(4, "Quill & Co was founded by Maria Tern.")])
    assert extractive_answer("Who founded Quill & Co?", context).count("founded by") == 1


# ---------------------------------------------------------------- chat


def test_they_are_models() -> None:
    assert isinstance(OfflineChat(), ChatModel)
    assert isinstance(OfflineEmbedding(), EmbeddingModel)


async def test_an_answer_request_is_answered_from_its_pieces() -> None:
    reply = await OfflineChat().chat(answer_request("Who founded Quill & Co?", CONTEXT))
    assert reply.text.startswith("Quill & Co was founded by Maria Tern [1].")
    assert reply.model.startswith("offline")


async def test_a_stream_gives_the_same_answer() -> None:
    request = answer_request("Who founded Quill & Co?", CONTEXT)
    pieces = [piece async for piece in OfflineChat().stream(request)]
    assert "".join(pieces) == (await OfflineChat().chat(request)).text
    assert len(pieces) > 3


async def test_without_sources_it_says_that_there_is_no_model() -> None:
    assert "POST_GRAPH_RAG_MODEL" in (await OfflineChat().chat(bypass_request("Hello?"))).text


async def test_an_extraction_is_sent_in_the_form_the_parser_reads() -> None:
    pytest.importorskip("spacy")
    request = extraction_request("Maria Tern founded Quill Press in 1990.", DocumentContext(title="Quill Press"))
    extraction, repairs = parse_extraction((await OfflineChat().chat(request)).text)
    assert {"Maria Tern", "Quill Press"} <= {entity.name for entity in extraction.entities}
    assert not repairs


async def test_later_rounds_find_nothing_more() -> None:
    request = extraction_request("Maria Tern founded Quill Press.", DocumentContext(), round=1, previous=Extraction())
    assert parse_extraction((await OfflineChat().chat(request)).text)[0] == Extraction()


async def test_a_role_that_takes_a_model_is_refused() -> None:
    with pytest.raises(LLMError, match="POST_GRAPH_RAG_MODEL"):
        await OfflineChat().chat(ChatRequest("community", (Message(role="user", content="x"),)))


# ---------------------------------------------------------------- embedding


async def test_vectors_are_of_unit_length_for_any_text() -> None:
    pytest.importorskip("wordllama")
    vectors = await OfflineEmbedding().embed(["a lens maker", "", "  ", "日本語", "a\ud800\x00b", "long " * 9_000])
    assert vectors.shape == (6, 256)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


async def test_vectors_come_in_the_order_of_the_texts_and_near_in_meaning() -> None:
    pytest.importorskip("wordllama")
    long, king, queen = await OfflineEmbedding().embed(["a tax form " * 20, "the king", "the queen"])
    assert king @ queen > king @ long + 0.2


async def test_several_threads_may_embed_at_once() -> None:
    pytest.importorskip("wordllama")
    model = OfflineEmbedding()
    texts = [[f"text {i}", "word " * i] for i in range(12)]
    together = await asyncio.gather(*(model.embed(pair) for pair in texts))
    alone = [await model.embed(pair) for pair in texts]
    assert np.allclose(together, alone, atol=1e-6)


async def test_no_texts_load_nothing() -> None:
    assert (await OfflineEmbedding().embed([])).shape == (0, 256)


async def test_without_its_package_it_says_which_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    embedding_module._model.cache_clear()
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(ConfigurationError, match="extra `local`"):
        await OfflineEmbedding().embed(["a"])
