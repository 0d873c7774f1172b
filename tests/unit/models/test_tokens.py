"""Tokens are counted offline, and a cut text never counts more than it was cut to."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.models.tokens import tokenizer_for


def test_counts_as_the_model_does() -> None:
    assert tokenizer_for("gpt-4o").count("The quick brown fox jumps over the lazy dog.") == 10


@pytest.mark.parametrize("name", ["gpt-4o-2024-08-06", "openai/gpt-4o-mini", "gpt-4.1", "gpt-5-nano", "o3-mini"])
def test_dated_and_prefixed_names_count_as_their_family(name: str) -> None:
    text = "日本語のテキスト"
    assert tokenizer_for(name).count(text) == tokenizer_for("gpt-4o").count(text)


def test_gpt_4_is_not_taken_for_gpt_4o() -> None:
    text = "日本語のテキスト"
    assert tokenizer_for("gpt-4-0613").count(text) > tokenizer_for("gpt-4o").count(text)


def test_an_unknown_model_is_counted_with_a_quarter_on_top() -> None:
    text = "word " * 100
    assert tokenizer_for("someones-model").count(text) == -(-tokenizer_for(None).count(text) * 5 // 4)


def test_special_tokens_are_plain_text() -> None:
    assert tokenizer_for(None).count("<|endoftext|>") > 1


def test_empty_text_counts_nothing_and_cuts_to_nothing() -> None:
    assert (tokenizer_for(None).count(""), tokenizer_for(None).cut("", 5), tokenizer_for(None).cut("abc", 0)) == (
        0,
        "",
        "",
    )


def test_text_of_millions_of_characters_is_counted() -> None:
    assert tokenizer_for(None).count("one two " * 300_000) == pytest.approx(600_000, rel=0.01)


def test_a_long_line_without_blanks_is_cut() -> None:
    assert 0 < len(tokenizer_for(None).cut("x" * 1_500_000, 100)) < 1_000


def test_counting_a_page_is_quick() -> None:
    tokenizer, page = tokenizer_for(None), "The quick brown fox jumps over the lazy dog. " * 60
    tokenizer.count(page)
    started = time.perf_counter()
    for _ in range(20):
        tokenizer.count(page)
    assert (time.perf_counter() - started) / 20 < 0.02


@given(st.text(max_size=400), st.integers(0, 60), st.sampled_from([None, "gpt-4", "other"]))
def test_a_cut_is_a_beginning_of_the_text_and_fits(text: str, tokens: int, model: str | None) -> None:
    tokenizer = tokenizer_for(model)
    kept = tokenizer.cut(text, tokens)
    assert text.startswith(kept)
    assert tokenizer.count(kept) <= tokens


@given(st.text(max_size=400))
def test_text_that_fits_is_not_cut(text: str) -> None:
    tokenizer = tokenizer_for(None)
    assert tokenizer.cut(text, tokenizer.count(text)) == text
