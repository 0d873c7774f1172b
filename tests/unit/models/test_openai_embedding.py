"""The embedding client gives unit vectors in the order of its texts, or says why it cannot."""

from __future__ import annotations

import numpy as np
import pytest

from post_graph_rag.errors import EmbeddingError
from post_graph_rag.models.endpoint import Endpoint
from post_graph_rag.models.openai_embedding import OpenAIEmbedding
from post_graph_rag.models.policy import RetryPolicy
from post_graph_rag.models.protocols import EmbeddingModel
from tests.faults import Answer, FaultServer, embeddings, error

QUICK = RetryPolicy(attempts=3, first_wait=0.01, longest_wait=0.02, deadline=5)
TWO = embeddings([3.0, 4.0], [0.0, 2.0])


def client(server: FaultServer, dimensions: int | None = None, **bounds: int) -> OpenAIEmbedding:
    model = OpenAIEmbedding("text-embedding-3-small", Endpoint(server.base_url), dimensions, QUICK, **bounds)
    return server.keep(model)


async def vectors(server: FaultServer, answer: object, dimensions: int | None = None) -> np.ndarray:
    server.answers = [Answer(answer)]
    return await client(server, dimensions).embed(["a", "b"])


def test_it_is_a_model() -> None:
    assert isinstance(OpenAIEmbedding("m", Endpoint()), EmbeddingModel)


@pytest.mark.parametrize("encoded", [True, False])
async def test_vectors_are_of_unit_length_and_in_order(server: FaultServer, encoded: bool) -> None:
    found = await vectors(server, embeddings([3.0, 4.0], [0.0, 2.0], encoded=encoded))
    assert found.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 1.0]]
    assert found.dtype == np.float32


async def test_the_width_is_known_after_the_first_answer(server: FaultServer) -> None:
    server.answers = [Answer(TWO)]
    model = client(server)
    assert model.dimensions is None
    await model.embed(["a", "b"])
    assert model.dimensions == 2


async def test_a_configured_width_is_asked_for(server: FaultServer) -> None:
    await vectors(server, TWO, dimensions=2)
    assert server.seen[0].body == {
        "model": "text-embedding-3-small",
        "input": ["a", "b"],
        "encoding_format": "base64",
        "dimensions": 2,
    }


async def test_no_text_costs_no_call(server: FaultServer) -> None:
    assert (await client(server, 8).embed([])).shape == (0, 8)
    assert server.seen == []


async def test_many_texts_go_in_bounded_requests_and_come_back_in_order(server: FaultServer) -> None:
    server.answers = [Answer(embeddings([1.0, 0.0], [0.0, 1.0]))]
    found = await client(server, most_texts=2).embed(["a", "b", "c", "d"])
    assert [seen.body["input"] for seen in server.seen] == [["a", "b"], ["c", "d"]]
    assert found.tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]]


async def test_long_texts_go_in_bounded_requests(server: FaultServer) -> None:
    server.answers = [Answer(embeddings([1.0]))]
    await client(server, most_characters=10).embed(["x" * 8, "y" * 8])
    assert len(server.seen) == 2


async def test_a_text_beyond_the_models_window_is_represented_by_its_beginning(server: FaultServer) -> None:
    server.answers = [Answer(embeddings([1.0]))]
    await client(server).embed(["one two three " * 5_000])
    assert 8_000 < len(server.seen[0].body["input"][0].split()) < 8_200


async def test_empty_texts_and_surrogates_are_sent_as_something(server: FaultServer) -> None:
    server.answers = [Answer(TWO)]
    await client(server).embed(["", "a\ud800"])
    assert server.seen[0].body["input"] == [" ", "a\ufffd"]


async def test_a_server_that_does_not_know_base64_is_asked_for_numbers(server: FaultServer) -> None:
    server.answers = [Answer(error("unsupported"), status=422), Answer(TWO)]
    await client(server).embed(["a", "b"])
    assert "encoding_format" not in server.seen[1].body


async def test_a_fault_that_heals_is_tried_again(server: FaultServer) -> None:
    server.answers = [Answer(error("busy"), status=500), Answer(embeddings([1.0])), Answer(TWO)]
    assert (await client(server).embed(["a", "b"])).shape == (2, 2)


@pytest.mark.parametrize("status", [400, 401, 404, 500])
async def test_a_fault_that_stays_is_a_typed_error(server: FaultServer, status: int) -> None:
    server.answers = [Answer(error("wrong"), status=status)]
    with pytest.raises(EmbeddingError, match=f"HTTP {status}"):
        await client(server).embed(["a"])


async def test_one_failed_request_of_several_fails_the_call(server: FaultServer) -> None:
    server.answers = [Answer(embeddings([1.0])), Answer(error("no"), status=404)]
    with pytest.raises(EmbeddingError, match="404"):
        await client(server, most_texts=1).embed(["a", "b", "c", "d", "e", "f"])


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (embeddings([1.0, 0.0], [1.0]), "unequal"),
        (embeddings([1.0, float("nan")], [1.0, 0.0]), "NaN"),
        (embeddings([1.0, float("inf")], [1.0, 0.0]), "infinity"),
        (embeddings([0.0, 0.0], [1.0, 0.0]), "zeros"),
        (embeddings([], []), "empty"),
        (embeddings([1.0, 0.0]), "2 embeddings"),
        ({"data": [{"embedding": "!!"}, {"embedding": "!!"}]}, "base64"),
        ({"data": [{"embedding": None}, {"embedding": None}]}, "base64"),
        ({"data": [{"index": 0}, {"index": 1}]}, "base64"),
        ({"data": [{"index": float("inf"), "embedding": [1.0]}] * 2}, "base64"),
        ({"data": [{"embedding": [10**400]}] * 2}, "base64"),
        ({"data": None}, "2 embeddings"),
        (["nothing"], "2 embeddings"),
    ],
)
async def test_vectors_that_cannot_be_used_are_a_typed_error(server: FaultServer, answer: object, told: str) -> None:
    with pytest.raises(EmbeddingError, match=told):
        await vectors(server, answer)


async def test_another_width_than_configured_names_the_setting(server: FaultServer) -> None:
    with pytest.raises(EmbeddingError, match="POST_GRAPH_RAG_EMBEDDING_DIMENSIONS to 2"):
        await vectors(server, TWO, dimensions=3)


async def test_a_width_that_changes_between_answers_is_refused(server: FaultServer) -> None:
    server.answers = [Answer(embeddings([1.0, 0.0])), Answer(embeddings([1.0, 0.0, 0.0]))]
    model = client(server)
    await model.embed(["a"])
    with pytest.raises(EmbeddingError, match="3 wide where 2"):
        await model.embed(["a"])


@pytest.mark.parametrize(
    ("status", "said", "outage"),
    [
        (400, "wrong", False),
        (413, "wrong", False),
        (422, "wrong", False),
        (500, "the input length exceeds the context length", False),
        (500, "wrong", True),
        (401, "wrong", True),
        (503, "wrong", True),
    ],
)
async def test_it_tells_whether_other_texts_would_have_met_the_same(
    server: FaultServer, status: int, said: str, outage: bool
) -> None:
    server.answers = [Answer(error(said), status=status)]
    with pytest.raises(EmbeddingError) as raised:
        await client(server).embed(["a"])
    assert raised.value.outage is outage
