"""Each role takes its own settings first, then the general ones, from arguments and from variables."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr

from post_graph_rag.config import Settings
from post_graph_rag.errors import ConfigurationError
from post_graph_rag.role_settings import RoleSettings

ROLES = ("extraction", "community", "auxiliary", "synthesis")
GENERAL: dict[str, Any] = {
    "model": "m",
    "base_url": "http://general/v1",
    "api_key": "k",
    "temperature": 0.3,
    "max_output_tokens": 700,
    "concurrency": 5,
    "fallbacks": ("x", "y"),
    "context_window": 9_000,
}
INHERITED = RoleSettings("m", "http://general/v1", SecretStr("k"), 0.3, 700, 5, ("x", "y"), 9_000)
OWN = {
    "MODEL": "own",
    "BASE_URL": "http://own/v1",
    "API_KEY": "own-key",
    "TEMPERATURE": "0.9",
    "MAX_TOKENS": "50",
    "CONCURRENCY": "2",
    "FALLBACKS": "one, two,",
    "CONTEXT_WINDOW": "4000",
}
OWNED = RoleSettings("own", "http://own/v1", SecretStr("own-key"), 0.9, 50, 2, ("one", "two"), 4_000)


@pytest.mark.parametrize("role", ROLES)
def test_a_role_without_settings_of_its_own_has_the_general_ones(role: Any) -> None:
    assert Settings(**GENERAL).role(role) == INHERITED


@pytest.mark.parametrize("role", ROLES)
def test_a_role_has_what_its_variables_say(role: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for field, value in OWN.items():
        monkeypatch.setenv(f"POST_GRAPH_RAG_{role.upper()}_{field}", value)
    assert Settings(**GENERAL).role(role) == OWNED


@pytest.mark.parametrize("role", ROLES)
def test_a_role_has_what_its_arguments_say(role: Any) -> None:
    own = {f"{role}_{field.lower()}": value for field, value in OWN.items()}
    assert Settings(**GENERAL, **own).role(role) == OWNED


def test_what_one_role_has_another_has_not() -> None:
    settings = Settings(**GENERAL, extraction_temperature=1, extraction_fallbacks=("z",))
    assert settings.role("synthesis") == INHERITED


def test_general_settings_come_from_variables_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POST_GRAPH_RAG_FALLBACKS", "x,y")
    monkeypatch.setenv("POST_GRAPH_RAG_MAX_OUTPUT_TOKENS", "60")
    held = Settings(model="m").role("extraction")
    assert (held.fallbacks, held.max_tokens) == (("x", "y"), 60)


def test_community_takes_what_it_lacks_from_auxiliary() -> None:
    held = Settings(**GENERAL, auxiliary_model="aux", auxiliary_base_url="http://aux/v1").role("community")
    assert (held.model, held.base_url) == ("aux", "http://aux/v1")


def test_no_fallbacks_can_be_said_of_one_role() -> None:
    assert Settings(**GENERAL, extraction_fallbacks=()).role("extraction").fallbacks == ()


def test_embedding_takes_neither_model_nor_fallbacks_from_the_general_settings() -> None:
    held = Settings(**GENERAL).role("embedding")
    assert (held.model, held.fallbacks, held.base_url, held.concurrency) == (None, (), "http://general/v1", 5)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("extraction_temperature", 3),
        ("community_max_tokens", 0),
        ("synthesis_concurrency", 0),
        ("auxiliary_base_url", ""),
        ("attempts", 0),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_variable(setting: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=f"{setting}: .*POST_GRAPH_RAG_{setting.upper()}"):
        Settings(**{setting: value})


def test_what_a_variable_says_wrongly_is_refused_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POST_GRAPH_RAG_EXTRACTION_CONCURRENCY", "many")
    with pytest.raises(ConfigurationError, match="POST_GRAPH_RAG_EXTRACTION_CONCURRENCY"):
        Settings()


def test_fallbacks_of_an_embedding_model_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="embedding_fallbacks is not known"):
        Settings(embedding_fallbacks=("e2",))


def test_a_key_is_not_shown() -> None:
    settings = Settings(extraction_api_key="sk-own-secret", extraction_base_url="http://u:sk-own-secret@h/v1")
    assert "sk-own-secret" not in f"{settings!r} {settings} {settings.role('extraction')}"


@pytest.mark.parametrize(
    ("given", "said"),
    [({}, False), ({"temperature": 1}, False), ({"community_base_url": "http://h/v1"}, True), ({"model": "m"}, True)],
)
def test_it_is_known_whether_anything_is_said_of_models(given: dict[str, Any], said: bool) -> None:
    assert Settings(**given).says_of_models is said


@pytest.mark.parametrize("name", ["POST_GRAPH_RAG_BASE_URL", "OPENAI_BASE_URL"])
def test_an_argument_goes_before_its_variable(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "http://variable/v1")
    assert (Settings(base_url="http://argument/v1").base_url, Settings().base_url) == (
        "http://argument/v1",
        "http://variable/v1",
    )


def test_variables_of_other_programs_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BASE_URL", "API_KEY", "MODEL", "EXTRACTION_API_KEY"):
        monkeypatch.setenv(name, "another's")
    assert not Settings().says_of_models
