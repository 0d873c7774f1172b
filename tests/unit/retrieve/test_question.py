"""A question as the channels need it."""

from __future__ import annotations

from typing import Any

import pytest

from post_graph_rag.errors import InputError
from post_graph_rag.names import name_key
from post_graph_rag.records import QueryParam
from post_graph_rag.retrieve.question import read_question


def test_unstorable_characters_are_replaced() -> None:
    assert read_question(" a\x00b\ud800 ", QueryParam()).asked == "a\ufffdb\ufffd"


@pytest.mark.parametrize("asked", ["", "  \n"])
def test_a_blank_question_is_refused(asked: str) -> None:
    with pytest.raises(InputError):
        read_question(asked, QueryParam())


def test_equal_texts_are_embedded_once() -> None:
    assert read_question("who?", QueryParam(subqueries=("who?", "why?", " "))).embedded == ("who?", "why?")


def test_keywords_go_to_their_own_channels() -> None:
    asked = read_question("who?", QueryParam(hl_keywords=("sale",), ll_keywords=("Ada", "Acme")))
    assert asked.embedded == ("who?", "Ada, Acme", "sale")
    assert asked.queries(("passage_vector", "entity_vector", "relation_vector")) == [
        ("passage_vector", 0),
        ("entity_vector", 0),
        ("entity_vector", 1),
        ("relation_vector", 0),
        ("relation_vector", 2),
    ]


def test_a_name_of_several_words_in_the_question_gives_its_key() -> None:
    assert name_key("Johnson & Johnson") in read_question("who runs Johnson & Johnson today?", QueryParam()).name_keys


def test_a_long_question_stays_bounded() -> None:
    asked = read_question(" ".join(f"w{number}" for number in range(10_000)), QueryParam())
    assert len(asked.terms) == 64
    assert len(asked.name_keys) < 400


@pytest.mark.parametrize("asked", ["Who leads Acme?", "tell us of the Who", "who is in the us?", "May Acme do it?"])
@pytest.mark.parametrize("word", ["who", "us", "may", "it"])
def test_words_of_grammar_are_no_names(asked: str, word: str) -> None:
    written_as_name = (asked, word) == ("tell us of the Who", "who")
    assert (word in read_question(asked, QueryParam()).name_keys) == written_as_name


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        ("Is the US large?", "us"),
        ("US exports?", "us"),
        ("The Who, who are they?", "who"),
        ('What is "It" about?', "it"),
    ],
)
def test_a_word_of_grammar_that_is_written_as_a_name_is_one(asked: str, key: str) -> None:
    assert key in read_question(asked, QueryParam()).name_keys


def test_a_keyword_is_taken_as_it_is_written() -> None:
    assert "who" in read_question("which band?", QueryParam(ll_keywords=("Who",))).name_keys


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        ("Is it Acme's?", "acme"),
        ("the Adams\u2019 house", "adams"),
        ("an Acme-owned firm", "acme"),
        ("Acme/Borealis talks", "borealis"),
        ("who made The Good, the Bad and the Ugly?", "good the bad and the ugly"),
        ("Coca-Cola", "coca cola"),
        ("models of Open AI", "openai"),
        ("models of OpenAI", "open ai"),
    ],
)
def test_a_name_is_read_in_whatever_it_is_bound_up_with(asked: str, key: str) -> None:
    assert key in read_question(asked, QueryParam()).name_keys


def test_parts_of_a_hyphened_word_in_small_letters_are_no_names() -> None:
    assert "art" not in read_question("state-of-the-art", QueryParam()).name_keys


@pytest.mark.parametrize(
    ("asked", "searched"),
    [
        ("Who is the head of Acme?", ["head", "acme"]),
        ("songs of The Who", ["song", "who"]),
        ("what is it?", ["what", "is", "it"]),
    ],
)
def test_words_of_grammar_are_searched_with_where_they_are_a_name_or_all_there_is(
    asked: str, searched: list[str]
) -> None:
    assert read_question(asked, QueryParam()).terms == searched


@pytest.mark.parametrize("given", [{"rrf_k": 10**400}, {"weights": {"walk": 1e308}}, {"min_score": float("nan")}])
def test_numbers_that_no_score_can_be_made_of_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="QueryParam cannot be made"):
        QueryParam(**given)
