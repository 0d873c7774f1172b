"""What the command line takes when nothing is named, and that it says so."""

from __future__ import annotations

import pytest

from post_graph_rag.config import Settings
from post_graph_rag.serve.connect import with_models, with_server


def test_without_a_dsn_the_embedded_server_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    assert with_server(Settings()).embedded


def test_a_dsn_that_is_given_stays() -> None:
    assert not with_server(Settings(dsn="postgresql://here")).embedded


def test_without_a_model_the_offline_models_are_taken() -> None:
    assert with_models(Settings()).offline


@pytest.mark.parametrize("name", ["model", "embedding_model", "synthesis_model", "base_url", "api_key"])
def test_whatever_is_said_of_models_keeps_the_offline_ones_away(name: str) -> None:
    assert not with_models(Settings(**{name: "something"})).offline
