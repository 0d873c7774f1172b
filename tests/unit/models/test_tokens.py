"""Tokens are counted offline, and a cut text never counts more than it was cut to."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.errors import ConfigurationError
from post_graph_rag.models.tokens import GivenTokenizer, tokenizer_for


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
    assert tokenizer_for("someones-model").count(text) == -(-tokenizer_for("gpt-4").count(text) * 5 // 4)


@pytest.mark.parametrize(
    "text",
    [
        "Ada Lane has led Acme since 2019; before that she worked for Birch Labs.",
        "東京タワーは港区にある高い塔です。",
        "彼女は2019年から会社を率いている。",
        "Ада Лейн руководит компанией с 2019 года.",
        "अदा लेन ने कंपनी की स्थापना की।",
        "تقود آدا الشركة منذ عام 2019.",
        "for (int i = 0; i < n; ++i) { total += values[i]; }",
    ],
)
def test_an_unknown_model_is_counted_no_lower_than_any_known_one(text: str) -> None:
    unknown = tokenizer_for("someones-model").count(text)
    assert unknown >= max(tokenizer_for(name).count(text) for name in ("gpt-4", "gpt-4o"))


class Letters:
    """Counts characters; answers as it is told to where something is told."""

    def __init__(self, counted: object = None, kept: object = None) -> None:
        self._counted, self._kept = counted, kept

    def count(self, text: str) -> Any:
        return len(text) if self._counted is None else self._counted

    def cut(self, text: str, tokens: int) -> Any:
        return text[: max(tokens, 0)] if self._kept is None else self._kept

    def __eq__(self, other: object) -> bool:  # an object with this and no hash of its own cannot be a key
        return self is other


def test_a_tokenizer_of_anybodys_counts_and_cuts() -> None:
    given = GivenTokenizer(Letters())
    assert (given.count("abc"), given.cut("abc", 2), given.cut("abc", -1)) == (3, "ab", "")


@pytest.mark.parametrize("counted", ["3", 2.5, -1])
def test_what_is_no_count_is_refused(counted: object) -> None:
    with pytest.raises(ConfigurationError, match="counted"):
        GivenTokenizer(Letters(counted)).count("abc")


@pytest.mark.parametrize("kept", ["xyz", "abc", 7])
def test_what_is_no_cut_is_refused(kept: object) -> None:
    with pytest.raises(ConfigurationError, match="cut"):
        GivenTokenizer(Letters(kept=kept)).cut("abc", 2)


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
