"""Which words of a question may be names spelt otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.folding import fold
from post_graph_rag.records import QueryParam
from post_graph_rag.retrieve.misspelt import doubtful_words
from post_graph_rag.retrieve.question import read_question


def words(text: str) -> list[str]:
    return [word.term for word in doubtful_words(text)]


def test_words_written_as_names_come_first() -> None:
    assert words("bridges that Jonh built") == ["jonh", "bridge", "built"]


@pytest.mark.parametrize(
    "text",
    [
        "what is it that they have",
        "INV-2024/07",
        "a1b2c3d4",
        "x.y_z@example",
        "cat dog",
        "東京都にある塔",
        "กรุงเทพมหานคร",
    ],
)
def test_grammar_numbers_identifiers_short_words_and_scripts_without_blanks_are_not_doubted(text: str) -> None:
    assert words(text) == []


def test_a_capital_at_the_beginning_of_a_sentence_says_nothing() -> None:
    assert [(word.term, word.named) for word in doubtful_words("Explain Acmee. Compare Betaa")] == [
        ("acmee", True), ("betaa", True), ("explain", False), ("compare", False)
    ]  # fmt: skip


def test_a_keyword_begins_no_sentence() -> None:
    assert [word.named for word in doubtful_words("Acmee", is_sentence=False)] == [True]


@pytest.mark.parametrize(
    ("word", "letter"), [("jonhson", "z"), ("москвы", "я"), ("λάρισσα", "ω"), ("القاهره", "ة"), ("दिल्लि", "ी")]
)
def test_letters_of_a_slip_are_of_the_words_own_alphabet(word: str, letter: str) -> None:
    assert fold(letter) in doubtful_words(word)[0].letters


def test_at_most_eight_words_of_a_question_are_doubted() -> None:
    assert (
        len(read_question("Word" + " Word".join("abcdefghijklmnop"), QueryParam(subqueries=("Another one",))).doubtful)
        == 8
    )


@given(st.text(max_size=200))
def test_any_text_gives_words_that_are_short_and_have_letters(text: str) -> None:
    assert all(4 <= len(word.term) <= 24 and word.letters for word in doubtful_words(text))
