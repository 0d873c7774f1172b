"""Batches of texts of many documents: what a bad text, an outage and a closed embedder mean for the others."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from post_graph_rag.errors import EmbeddingError, WidthMismatch
from post_graph_rag.models.embedder import BATCH, Embedder
from post_graph_rag.models.endpoint import Endpoint
from post_graph_rag.models.openai_embedding import OpenAIEmbedding
from post_graph_rag.models.policy import RetryPolicy
from post_graph_rag.models.protocols import EmbeddingKind, Vectors
from post_graph_rag.store.usage import Call
from tests.faults import Answer, FaultServer, error

WIDTH = 4


class Store:
    """Keeps vectors in memory."""

    def __init__(self) -> None:
        self.kept: dict[bytes, Vectors] = {}
        self.noted: list[Call] = []

    async def find_vectors(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        return {key: self.kept[key] for key in keys if key in self.kept}

    async def keep_vectors(self, keys: Mapping[bytes, str], vectors: Vectors, call: Call) -> None:
        self.kept.update(zip(keys, vectors, strict=True))

    async def note(self, calls: Sequence[Call]) -> None:
        self.noted = [*self.noted, *calls]


class Model:
    """Refuses requests that hold a text of `bad`; the first `works` of them, if that is given, are answered."""

    name = "model"

    def __init__(self, *bad: str, error: EmbeddingError | None = None, works: int | None = None) -> None:
        self.bad = set(bad)
        self.error = error or EmbeddingError("too long")
        self.works = works
        self.requests: list[list[str]] = []
        self.asked = asyncio.Event()
        self.hold = asyncio.Event()
        self.hold.set()

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        self.requests.append(list(texts))
        self.asked.set()
        await self.hold.wait()
        if self.bad & set(texts) or (self.works is not None and len(self.requests) > self.works):
            raise self.error
        return np.array([[len(text), 1, 0, 0] for text in texts], dtype=np.float32)


def embedder(model: Model, store: Store | None = None) -> Embedder:
    return Embedder(model, store or Store(), WIDTH)  # type: ignore[arg-type]


def texts_of(count: int) -> list[str]:
    return [f"text {n}" for n in range(count)]


@pytest.mark.parametrize("bad", [("text 0",), ("text 77",), ("text 40", "text 41"), ("text 127",)])
async def test_only_the_bad_texts_of_a_batch_fail(bad: tuple[str, ...]) -> None:
    texts = texts_of(BATCH)
    outcomes = await embedder(Model(*bad)).try_each(texts, keep=True)
    failed = [text for text, outcome in zip(texts, outcomes, strict=True) if isinstance(outcome, EmbeddingError)]
    assert failed == list(bad)


async def test_a_bad_text_fails_its_own_document_and_no_other() -> None:
    shared = embedder(Model("bad"))
    documents = [["good", "fine"], ["well", "bad"], ["nice"]]
    done = await asyncio.gather(*[shared.embed(texts, keep=True) for texts in documents], return_exceptions=True)
    assert [isinstance(one, EmbeddingError) for one in done] == [False, True, False]


async def test_vectors_made_beside_a_bad_text_are_kept() -> None:
    store = Store()
    await embedder(Model("text 3"), store).try_each(texts_of(8), keep=True)
    assert len(store.kept) == 7


async def test_a_model_that_answers_nothing_is_asked_three_times_a_batch() -> None:
    model = Model(works=0)
    outcomes = await embedder(model).try_each(texts_of(BATCH), keep=False)
    assert [len(request) for request in model.requests] == [BATCH, BATCH // 2, BATCH // 2]
    assert all(isinstance(outcome, EmbeddingError) for outcome in outcomes)


async def test_a_model_that_stops_answering_is_not_asked_for_every_text() -> None:
    model = Model("text 0", "text 1", works=2)
    await embedder(model).try_each(texts_of(BATCH), keep=False)
    assert len(model.requests) < 20


@pytest.mark.parametrize("told", [WidthMismatch("5"), EmbeddingError("no network")], ids=["width", "outage"])
async def test_what_no_text_is_to_blame_for_is_asked_once(told: EmbeddingError) -> None:
    told.outage = True
    model = Model(error=told, works=0)
    await embedder(model).try_each(texts_of(8), keep=False)
    assert len(model.requests) == 1


async def test_closing_ends_requests_under_way() -> None:
    model = Model()
    model.hold.clear()
    shared = embedder(model)
    waiting = asyncio.create_task(shared.embed(["text"], keep=True))
    await model.asked.wait()
    await shared.close()
    await asyncio.wait([waiting])
    assert waiting.cancelled()
    assert [task for task in asyncio.all_tasks() if "_vectors" in repr(task)] == []


async def test_closing_forgets_what_was_not_sent_yet() -> None:
    model = Model()
    shared = embedder(model)
    waiting = asyncio.create_task(shared.embed(["text"], keep=True))
    await asyncio.sleep(0)
    await shared.close()
    await asyncio.sleep(0.01)
    assert waiting.cancelled()
    assert model.requests == []


async def test_an_endpoint_that_fails_for_good_is_asked_as_often_as_is_set_whatever_the_batch(
    server: FaultServer,
) -> None:
    server.answers = [Answer(error("broken"), status=500)]
    policy = RetryPolicy(attempts=3, first_wait=0.01, longest_wait=0.02, deadline=5)
    model = server.keep(OpenAIEmbedding("model", Endpoint(server.base_url), WIDTH, policy))
    outcomes = await Embedder(model, Store(), WIDTH).try_each(texts_of(BATCH), keep=False)  # type: ignore[arg-type]
    assert all(isinstance(outcome, EmbeddingError) for outcome in outcomes)
    assert len(server.seen) == 3


async def test_what_was_begun_is_not_asked_for_again() -> None:
    model = Model("bad")
    shared = embedder(model)
    shared.begin(["good", "bad"])
    shared.begin(["good", "more"])
    outcomes = await shared.try_each(["good", "bad", "more"], keep=False)
    assert [isinstance(outcome, EmbeddingError) for outcome in outcomes] == [False, True, False]
    assert model.requests.count(["good", "bad"]) == 1
    assert ["more"] in model.requests
    assert len(model.requests) == 4


async def test_what_was_begun_is_wanted_once_and_closing_ends_it() -> None:
    model = Model()
    model.hold.clear()
    shared = embedder(model)
    shared.begin(["text"])
    await model.asked.wait()
    await shared.close()
    assert [task for task in asyncio.all_tasks() if "_vectors" in repr(task)] == []


async def test_requests_that_failed_have_their_lines_in_the_ledger() -> None:
    store = Store()
    await embedder(Model("bad"), store).try_each(["good", "bad"], keep=False)
    assert [call.failed for call in store.noted] == [True, False, True]
