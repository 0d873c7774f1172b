"""Terms: the same for the same word wherever it stands, in any script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.terms import MAX_TERM, term_counts, terms

SURROGATES_TOO = st.text(st.characters(exclude_categories=()), max_size=80)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GPT-4o", ["gpt-4o", "gpt", "4o"]),
        ("state-of-the-art", ["state-of-the-art", "state", "of", "the", "art"]),
        ("snake_case_name", ["snake_case_name", "snake", "case", "name"]),
        ("camelCaseName", ["camelcasename", "camel", "case", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("v1.2.3", ["v1.2.3", "v1", "2", "3"]),
        ("a.doe@example.com", ["a.doe@example.com", "a", "doe", "example", "com"]),
        ("https://example.com/x?y=1", ["https://example.com/x?y=1", "http", "example", "com", "x", "y", "1"]),
        ("AT&T", ["at&t", "at", "t"]),
        ("__init__", ["init"]),
        ("C++ C# C", ["c++", "c", "c#", "c", "c"]),
    ],
)
def test_what_is_joined_gives_the_whole_and_its_parts(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_a_uuid_is_found_as_a_whole() -> None:
    assert "550e8400-e29b-41d4-a716-446655440000" in terms("id 550E8400-E29B-41D4-A716-446655440000.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("Köln", "koln"),
        ("Øresund", "oresund"),
        ("Ёлка", "ЕЛКА"),
        ("İstanbul", "istanbul"),
        ("ﬁne", "FINE"),
        ("e\u0301tat", "état"),
        ("Smith's", "smith"),
        ("Smith\u2019s", "smith"),
        ("rivers", "river"),
        ("U.S.A.", "USA"),
        ("co\u2010op", "co-op"),
        ("1,000,000", "1000000"),
        ("٣٤", "34"),
        ("ＡＢＣ", "abc"),
        ("soft\u00adhyphen", "softhyphen"),
        ("O\u2019Brien", "O'Brien"),
    ],
)
def test_two_spellings_of_one_word_are_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京都に行く", ["東京", "京都", "都に", "に行", "行く"]),
        ("山", ["山"]),
        ("한국어", ["한국", "국어"]),
        ("GPT4について", ["gpt4", "につ", "つい", "いて"]),
        ("กำลัง", ["กํา", "าลั", "ลัง"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("Москва и мир", ["москва", "и", "мир"]),
        ("القاهرة", ["القاهرة"]),
        ("😀 party", ["😀", "party"]),
    ],
)
def test_every_script_gives_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize("word", ["gas", "James", "Texas", "news", "bus", "class", "this", "Paris"])
def test_a_word_that_ends_in_s_is_the_same_term_in_text_and_question(word: str) -> None:
    assert terms(f"The {word}, then.")[1] == terms(word.lower())[0]


def test_news_is_not_the_plural_of_new() -> None:
    assert terms("news new") == ["news", "new"]


def test_marks_alone_are_one_term_so_that_such_a_name_can_be_found() -> None:
    assert terms(" !!! ") == ["!!!"]


@pytest.mark.parametrize("text", ["", "  \n", "\x00", "\ud800"])
def test_blank_text_has_no_terms(text: str) -> None:
    assert terms(text) == []


@pytest.mark.parametrize("marks", ["&", "|", "!", ":", "*", "(", '"', "'", "\\", "$$", "-", ";"])
def test_marks_of_query_languages_do_not_hide_the_word_beside_them(marks: str) -> None:
    assert terms(f"{marks}word{marks} end")[0] == "word"


def test_long_terms_that_begin_alike_stay_apart() -> None:
    first, second = terms("x" * 100), terms("x" * 101)
    assert first != second
    assert len(first[0]) == MAX_TERM


def test_counts_say_how_often_each_term_occurs() -> None:
    assert term_counts("one two One") == {"one": 2, "two": 1}


@given(SURROGATES_TOO)
def test_terms_are_short_and_can_be_stored(text: str) -> None:
    assert all(0 < len(term) <= MAX_TERM and "\x00" not in term and term.encode() for term in terms(text))


@given(st.text(st.characters(categories=("L", "N")), min_size=1, max_size=20))
def test_every_word_gives_terms_and_the_same_ones_in_a_sentence(word: str) -> None:
    assert [*terms(word), "end"] == terms(f"{word}, end")


@given(st.text())
def test_no_term_holds_the_end_of_a_line(text: str) -> None:
    assert not any("\n" in term for term in terms(text))
