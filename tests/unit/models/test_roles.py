"""Settings name the models; what is missing is refused by the name of its setting."""

from __future__ import annotations

from typing import Any, cast

import pytest

from post_graph_rag.config import Settings
from post_graph_rag.errors import ConfigurationError, InputError, ModelNotConfigured
from post_graph_rag.models.roles import Models, models_from_settings
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding


def names(**settings: Any) -> dict[str, str]:
    return dict(models_from_settings(Settings(**settings)).names)


def test_offline_models_say_so_in_their_names() -> None:
    assert all(name.startswith("offline") for name in names(offline=True).values())
    assert set(names(offline=True)) == {"extraction", "community", "auxiliary", "synthesis", "embedding"}


def test_offline_is_taken_at_its_word_when_a_key_is_there() -> None:
    assert names(offline=True, api_key="sk-x", model="m")["synthesis"].startswith("offline")


def test_a_role_without_its_own_model_takes_the_common_one() -> None:
    assert names(api_key="k", model="big", extraction_model="small", embedding_model="e") == {
        "extraction": "small",
        "community": "big",
        "auxiliary": "big",
        "synthesis": "big",
        "embedding": "e",
    }


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("POST_GRAPH_RAG_MODEL", "m")
    monkeypatch.setenv("POST_GRAPH_RAG_EMBEDDING_MODEL", "e")
    assert names()["extraction"] == "m"


def test_a_local_server_needs_no_key() -> None:
    assert names(base_url="http://127.0.0.1:1/v1", model="m", embedding_model="e")["synthesis"] == "m"


def test_nothing_configured_is_refused_with_both_ways_out() -> None:
    with pytest.raises(ModelNotConfigured, match=r"POST_GRAPH_RAG_MODEL.*offline=True"):
        names()


@pytest.mark.parametrize("reachable", [{"api_key": "sk-secret-1"}, {"base_url": "http://127.0.0.1:1/v1"}])
def test_a_key_or_an_endpoint_without_a_model_names_the_setting(reachable: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="POST_GRAPH_RAG_MODEL") as raised:
        names(**reachable)
    assert "sk-secret-1" not in str(raised.value)
    assert not isinstance(raised.value, ModelNotConfigured)


def test_a_chat_model_alone_can_answer_and_the_missing_embedding_model_names_the_setting() -> None:
    models = models_from_settings(Settings(api_key="k", model="m"))
    assert models.chat("synthesis").name == "m"
    with pytest.raises(ModelNotConfigured, match="POST_GRAPH_RAG_EMBEDDING_MODEL"):
        _ = models.embedding


def test_models_without_an_endpoint_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        names(model="m", embedding_model="e")


def test_only_an_embedding_model_is_enough_to_search() -> None:
    models = models_from_settings(Settings(api_key="k", embedding_model="e", embedding_dimensions=8))
    assert models.embedding.dimensions == 8
    with pytest.raises(ModelNotConfigured, match=r"synthesis.*POST_GRAPH_RAG_MODEL"):
        models.chat("synthesis")


def test_own_models_serve_all_roles_or_the_named_ones() -> None:
    chat = ScriptedChat(name="own")
    assert Models(chat).chat("community").name == "own"
    assert dict(Models({"extraction": chat}, ScriptedEmbedding()).names) == {
        "extraction": "own",
        "embedding": "scripted-embedding",
    }


def test_a_missing_embedding_model_of_ones_own_is_refused_when_it_is_needed() -> None:
    with pytest.raises(ModelNotConfigured, match="POST_GRAPH_RAG_EMBEDDING_MODEL"):
        _ = Models(ScriptedChat()).embedding


async def test_closing_closes_each_of_them() -> None:
    chat, embedding = ScriptedChat(), ScriptedEmbedding()
    await Models(chat, embedding).close()
    assert chat.closed
    assert embedding.closed


@pytest.mark.parametrize("given", [{"concurrency": 0}, {"concurrency": {"extraction": 0}}, {"concurrency": "8"}])
def test_a_concurrency_that_lets_no_call_begin_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="concurrency must be a whole number from 1 on"):
        Models(ScriptedChat(), **given)


@pytest.mark.parametrize("given", [{"chat": {"extracton": ScriptedChat()}}, {"concurrency": {"extracton": 2}}])
def test_a_role_that_there_is_not_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="there is no role 'extracton'; there are extraction"):
        Models(**given)


@pytest.mark.parametrize("given", [{"chat": "gpt-4o"}, {"chat": {"extraction": 7}}, {"embedding": "a-name"}])
def test_a_name_in_place_of_a_model_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="takes names"):
        Models(**given)


def test_an_embedding_model_that_does_not_say_its_width_is_refused() -> None:
    class Widthless:
        name = "widthless"

        async def embed(self, texts: Any, kind: Any = "passage") -> Any: ...

    with pytest.raises(InputError, match="name, dimensions, embed and close"):
        Models(embedding=cast(Any, Widthless()))
