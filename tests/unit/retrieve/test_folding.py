"""Passages that say the same are folded; those that differ in what matters are not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.retrieve.folding import folded

LONG = "The board of Kestrel Holdings met in Trieste on Monday and agreed to buy the old foundry from its owners."


def test_equal_texts_are_one_whatever_their_case_and_spacing() -> None:
    assert folded([LONG, "Another text.", LONG.upper().replace(" ", "\n ")], 1.0) == {0: (2,), 1: ()}


def test_texts_that_nearly_agree_are_one_from_the_share_on() -> None:
    texts = [LONG, LONG.replace("Monday", "Tuesday")]
    assert (folded(texts, 0.6), folded(texts, 0.9)) == ({0: (1,)}, {0: (), 1: ()})


def test_texts_with_other_numbers_are_never_one() -> None:
    assert folded([f"{LONG} Invoice 17.", f"{LONG} Invoice 18."], 0.5) == {0: (), 1: ()}


@pytest.mark.parametrize(
    ("one", "other"),
    [("wrote C++", "wrote C"), ("< 5", "> 5"), ("by -5 %", "by 5 %"), ("5 €", "5 $"), ("☑ paid", "☐ paid"), ("में", "मे")],
)
def test_texts_with_other_signs_are_never_one(one: str, other: str) -> None:
    assert folded([f"{LONG} {one}", f"{LONG} {other}"], 0.5) == {0: (), 1: ()}


@pytest.mark.parametrize(
    ("one", "other"), [("- end.", "* end!"), ("| a |", "a"), ("cafe\u0301", "café"), ("１７", "17")]
)
def test_texts_that_are_only_set_otherwise_are_one(one: str, other: str) -> None:
    assert folded([f"{LONG} {one}", f"{LONG} {other}"], 1.0) == {0: (1,)}


def test_the_order_of_words_counts() -> None:
    assert folded(["Ada sold Bo the old car", "Bo sold Ada the old car"], 0.9) == {0: (), 1: ()}


def test_scripts_without_blanks_are_compared_by_characters() -> None:
    text = "東京タワーは港区にある高い塔です"
    assert folded([text, text + "。", "大阪城は中央区にある古い城です"], 0.9) == {0: (1,), 2: ()}


def test_texts_without_words_are_one_only_when_equal() -> None:
    assert folded(["!!!", "???", "!!!"], 0.5) == {0: (2,), 1: ()}


@given(st.integers(0, 2**32), st.sampled_from([0.3, 0.55, 0.7, 0.9, 1.0]))
def test_what_is_folded_agrees_with_comparing_every_pair(seed: int, least: float) -> None:
    draw = random.Random(seed)
    texts = [" ".join(draw.choices("abcd", k=draw.randint(1, 8))) for _ in range(12)]
    runs = [{tuple(words[i : i + 3]) for i in range(max(1, len(words) - 2))} for words in map(str.split, texts)]
    stays: list[int] = []
    for place, run in enumerate(runs):
        if not any(len(runs[one] & run) >= least * len(runs[one] | run) - 1e-9 for one in stays):
            stays.append(place)
    assert list(folded(texts, least)) == stays


def test_what_is_said_of_something_else_is_something_else() -> None:
    assert folded([LONG, LONG, LONG], 1.0, ["monday", "tuesday", "monday"]) == {0: (2,), 1: ()}
