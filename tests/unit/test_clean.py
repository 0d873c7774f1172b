"""What the server cannot hold is replaced one for one and counted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.clean import clean_json, clean_text, text_hash
from post_graph_rag.errors import InputError

ANY_TEXT = st.text(st.characters(exclude_categories=()))


def test_nul_and_lone_surrogates_become_replacement_characters_and_are_counted() -> None:
    assert clean_text("a\x00b\ud800c\udfff") == ("a\ufffdb\ufffdc\ufffd", 3)


@given(ANY_TEXT)
def test_cleaned_text_has_the_same_length_and_can_be_encoded(text: str) -> None:
    cleaned, replaced = clean_text(text)
    assert len(cleaned) == len(text)
    assert cleaned.encode().count(b"\x00") == 0
    assert replaced == sum(before != after for before, after in zip(text, cleaned, strict=True))


def test_json_is_cleaned_in_keys_and_at_every_depth() -> None:
    assert clean_json({"a\x00": ["\ud800", {"b": ("c\x00", 1, None, True, 1.5)}]}) == (
        {"a\ufffd": ["\ufffd", {"b": ["c\ufffd", 1, None, True, 1.5]}]},
        3,
    )


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1: "a"}, {"a": {1}}, b"bytes", nested(100_000)])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="Metadata"):
        clean_json({"metadata": value})


def test_the_hash_is_of_the_text_as_given() -> None:
    assert text_hash("a\x00") != text_hash("a\ufffd")
    assert text_hash("a\ud800") != text_hash("a\udfff")


@given(ANY_TEXT)
def test_a_hash_has_32_bytes_and_is_the_same_each_time(text: str) -> None:
    assert len(text_hash(text)) == 32
    assert text_hash(text) == text_hash(text)
