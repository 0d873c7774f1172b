"""Keys: one for the spellings of one name, several for several names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.names import MAX_KEY, name_key, predicate_key, predicate_words

ANY_TEXT = st.text(st.characters(exclude_categories=()), min_size=1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Acme Corp.", "Acme Corporation"),
        ("ACME, Inc.", "Acme Incorporated"),
        ("Toyota Motor Co., Ltd.", "Toyota Motor Company Limited"),
        ("Bar L.L.C.", "Bar LLC"),
        ("Johnson & Johnson", "Johnson and Johnson"),
        ("The Beatles", "beatles"),
        ("J. R. R. Tolkien", "J.R.R. Tolkien"),
        ("U.S.A.", "USA"),
        ("José  Müller", "jose muller"),
        ("Jean-Luc", "Jean Luc"),
        ("O\u2019Brien", "OBrien"),
        ("O\u00b4Brien", "OBrien"),
        ("McDonald's", "McDonalds"),
        ("Ｃａｆｅ\u0301", "café"),
        ("Ivan\u200b Petrov", "Ivan Petrov"),
    ],
)
def test_spellings_of_one_name_share_a_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Acme GmbH", "Acme Ltd"),
        ("Acme Inc.", "Acme Corp."),
        ("Acme Corp.", "Acme"),
        ("C++", "C"),
        ("C#", "C++"),
        ("Google+", "Google"),
        ("1.5", "15"),
        ("-9", "9"),
        ("$100", "100"),
        ("Mercury (planet)", "Mercury (element)"),
        ("George W. Bush", "George Bush"),
        ("हिन्दी", "हन्दा"),
        ("がく", "かく"),
        ("x" * 600, "x" * 601),
    ],
)
def test_names_of_different_things_have_different_keys(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("The The", "the"),
        ("The Who", "who"),
        ("Limited", "limited"),
        ("The Company", "company"),
        ("!!!", "!!!"),
        ("747", "747"),
        ("😀", "😀"),
        ("IT", "it"),
        (" ", " "),
        ("", ""),
        ("\x00", "\ufffd"),
    ],
)
def test_something_of_every_name_remains(name: str, key: str) -> None:
    assert name_key(name) == key


@given(ANY_TEXT)
def test_a_key_is_never_empty_never_too_long_and_can_be_stored(name: str) -> None:
    key = name_key(name)
    assert 0 < len(key) <= MAX_KEY
    assert "\x00" not in key
    assert key.encode()


@pytest.mark.parametrize(
    ("predicate", "key"),
    [
        ("owned by", "owned_by"),
        ("ownedBy", "owned_by"),
        ("OWNED_BY", "owned_by"),
        ("is owned by", "owned_by"),
        ("owns", "owns"),
        ("is a member of", "member_of"),
        ("is CEO of", "ceo_of"),
        ("was CEO of", "was_ceo_of"),
        ("is part of", "part_of"),
        ("has part", "has_part"),
        ("is in", "is_in"),
        ("is", "is"),
        ("is a", "is_a"),
        ("co-founded", "co_founded"),
        ("né à", "ne_a"),
        ("働く", "働く"),
        ("!!!", "!!!"),
    ],
)
def test_a_predicate_becomes_snake_case_in_its_own_direction(predicate: str, key: str) -> None:
    assert predicate_key(predicate) == key


@given(ANY_TEXT)
def test_a_predicate_key_is_never_empty_and_never_too_long(predicate: str) -> None:
    assert 0 < len(predicate_key(predicate)) <= MAX_KEY


@given(st.text(st.characters(categories=("L", "N", "Zs")), min_size=1, max_size=40))
def test_a_predicate_key_of_a_predicate_key_is_itself(predicate: str) -> None:
    key = predicate_key(predicate)
    assert predicate_key(key) == key


@pytest.mark.parametrize(("key", "words"), [("owned_by", "owned by"), ("_", "_"), ("働く", "働く")])
def test_a_predicate_key_reads_as_words(key: str, words: str) -> None:
    assert predicate_words(key) == words
