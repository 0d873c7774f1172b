"""What is put before texts when they are embedded: part of what is asked, of what is stored, and of what must fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from post_graph_rag.config import Settings
from post_graph_rag.errors import ConfigurationError
from post_graph_rag.models.embedder import Embedder
from post_graph_rag.models.fit import check_prefixes
from post_graph_rag.models.protocols import Vectors
from post_graph_rag.models.replies import vector_key
from post_graph_rag.models.roles import Models
from post_graph_rag.opening import Opening
from post_graph_rag.records import RealmInfo
from post_graph_rag.testing import ScriptedEmbedding

WIDTH = 4
REALM = RealmInfo(
    name="one",
    schema_name="pgr_one",
    graph_name=None,
    embedding_model="e5",
    dimensions=WIDTH,
    generation=1,
    query_prefix="query: ",
    passage_prefix="passage: ",
)
AT = {"base_url": "http://127.0.0.1:1/v1", "embedding_model": "e5"}


class Store:
    """Keeps vectors in memory."""

    def __init__(self) -> None:
        self.kept: dict[bytes, Vectors] = {}
        self.texts: list[str] = []

    async def find_vectors(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        return {key: self.kept[key] for key in keys if key in self.kept}

    async def keep_vectors(self, keys: Mapping[bytes, str], vectors: Vectors, call: Any) -> None:
        self.kept.update(zip(keys, vectors, strict=True))
        self.texts += keys.values()

    async def note(self, calls: Any) -> None:
        pass


async def embed(model: ScriptedEmbedding, store: Store, prefix: str) -> None:
    await Embedder(model, store, WIDTH, prefix).embed(["Acme"], keep=True)  # type: ignore[arg-type]


async def test_a_passage_is_embedded_with_its_prefix() -> None:
    model = ScriptedEmbedding(WIDTH)
    await embed(model, Store(), "passage: ")
    assert model.texts == ["passage: Acme"]


async def test_a_vector_is_stored_by_what_was_asked_and_erased_by_the_passages_own_text() -> None:
    model, store = ScriptedEmbedding(WIDTH), Store()
    await embed(model, store, "passage: ")
    assert list(store.kept) == [vector_key(model.name, WIDTH, "passage: Acme")]
    assert store.texts == ["Acme"]


async def test_a_vector_that_is_stored_under_another_prefix_is_not_used() -> None:
    model, store = ScriptedEmbedding(WIDTH), Store()
    for prefix in ("passage: ", "", "passage: "):
        await embed(model, store, prefix)
    assert model.texts == ["passage: Acme", "Acme"]


@pytest.mark.parametrize("said", [(None, None), ("query: ", None), ("query: ", "passage: ")])
def test_prefixes_that_are_not_said_or_are_the_realms_fit(said: tuple[str | None, str | None]) -> None:
    assert check_prefixes(REALM, *said) is None  # refused, it raises


@pytest.mark.parametrize(
    ("said", "setting"),
    [(("", None), "embedding_query_prefix is ''"), ((None, "text: "), "embedding_passage_prefix is 'text: '")],
)
def test_other_prefixes_are_refused_by_name(said: tuple[str | None, str | None], setting: str) -> None:
    with pytest.raises(ConfigurationError, match=setting):
        check_prefixes(REALM, *said)


def test_a_prefix_that_no_database_holds_is_refused_as_a_setting() -> None:
    with pytest.raises(ConfigurationError, match="embedding_query_prefix"):
        Settings(embedding_query_prefix="a\0b")


def test_a_variable_keeps_the_blank_at_the_end_of_a_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POST_GRAPH_RAG_EMBEDDING_PASSAGE_PREFIX", "passage: ")
    assert Settings().embedding_passage_prefix == "passage: "


def test_prefixes_of_the_settings_are_for_the_settings_own_model() -> None:
    settings = Settings(**AT, embedding_query_prefix="query: ", embedding_passage_prefix="passage: ")
    opening = Opening(settings, None, None)
    own, _ = opening.other_embedding(None, 2, (None, "text: "))
    assert (own.embedding_query_prefix, own.embedding_passage_prefix) == ("query: ", "text: ")
    other, _ = opening.other_embedding("bge", None, (None, "text: "))
    assert (other.embedding_query_prefix, other.embedding_passage_prefix) == (None, "text: ")


def test_another_model_or_width_is_made_at_the_settings_endpoint() -> None:
    opening = Opening(Settings(**AT, embedding_dimensions=8), None, None)
    _, models = opening.other_embedding("bge", None, (None, None))
    assert (models.embedding.name, models.embedding.dimensions) == ("bge", None)
    _, models = opening.other_embedding(None, 16, (None, None))
    assert (models.embedding.name, models.embedding.dimensions) == ("e5", 16)


def test_a_model_that_is_given_takes_the_place_of_one_that_is_configured() -> None:
    mine = ScriptedEmbedding(WIDTH, name="mine")
    for settings in (Settings(**AT), Settings()):
        _, models = Opening(settings, None, None).other_embedding(mine, None, (None, None))
        assert models.embedding.name == "mine"


@pytest.mark.parametrize(
    ("opening", "model", "dimensions", "why"),
    [
        (Opening(Settings(), None, Models(embedding=ScriptedEmbedding(WIDTH))), "bge", None, "given its models"),
        (Opening(Settings(), None, None), ScriptedEmbedding(WIDTH), 8, "gives 4 dimensions, not 8"),
        (Opening(Settings(offline=True), None, None), "bge", None, "offline=True"),
    ],
)
def test_a_model_that_cannot_be_had_is_refused(opening: Opening, model: Any, dimensions: int, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        opening.other_embedding(model, dimensions, (None, None))
