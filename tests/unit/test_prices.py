"""What calls cost follows from a table of prices."""

from __future__ import annotations

import pytest

from post_graph_rag.config import Settings
from post_graph_rag.errors import ConfigurationError
from post_graph_rag.prices import Price, cost_of, price_of

TABLE = {"gpt-4o": Price(2.5, 10.0, 1.25), "gpt-4o-mini": Price(0.15, 0.6)}


@pytest.mark.parametrize("name", ["gpt-4o-mini", "gpt-4o-mini-2024-07-18", "gpt-4o-mini-20240718", "gpt-4o-mini-0718"])
def test_a_dated_name_costs_what_the_undated_one_does(name: str) -> None:
    assert price_of(TABLE, name) == TABLE["gpt-4o-mini"]


def test_a_model_whose_name_only_begins_like_another_has_no_price() -> None:
    assert price_of(TABLE, "gpt-4o-audio") is None


def test_the_price_of_the_model_that_was_asked_serves_for_an_unknown_one_that_answered() -> None:
    assert price_of(TABLE, "served-by-somebody", "gpt-4o") == TABLE["gpt-4o"]


def test_cached_tokens_are_part_of_the_prompt_and_cost_their_own_price() -> None:
    assert cost_of(TABLE["gpt-4o"], 1_000_000, 100_000, 400_000) == pytest.approx(0.6 * 2.5 + 0.4 * 1.25 + 1.0)


def test_cached_tokens_without_a_price_of_their_own_cost_as_others() -> None:
    assert cost_of(TABLE["gpt-4o-mini"], 1_000_000, 0, 400_000) == pytest.approx(0.15)


def test_a_table_is_read_from_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POST_GRAPH_RAG_PRICES", '{"m": [1, 2, 0.5], "e": [0.1]}')
    assert Settings().prices == {"m": Price(1, 2, 0.5), "e": Price(0.1)}


@pytest.mark.parametrize("table", ["{", "[1]", '{"m": [-1]}', '{"m": "dear"}'])
def test_a_table_that_is_none_is_refused_by_the_name_of_its_setting(
    table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POST_GRAPH_RAG_PRICES", table)
    with pytest.raises(ConfigurationError, match="POST_GRAPH_RAG_PRICES"):
        Settings()
