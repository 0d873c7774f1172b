"""Reasoning before an answer is not shown, whole or in pieces."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.models.thinking import ThinkingFilter, strip_thinking


def in_pieces(pieces: list[str]) -> str:
    shown = ThinkingFilter()
    return "".join(shown.feed(piece) for piece in pieces) + shown.finish()


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Paris.", "Paris."),
        ("<think>France?</think>\n\nParis.", "Paris."),
        ("<think>a</think><think>b</think>Paris.", "Paris."),
        ("  <Thinking>France?</Thinking> Paris.", "Paris."),
        ("France?</think>Paris.", "Paris."),
        ("<think>France", ""),
        ("<b>Paris</b>", "<b>Paris</b>"),
        ("", ""),
    ],
)
def test_the_answer_is_what_follows_the_reasoning(reply: str, answer: str) -> None:
    assert strip_thinking(reply) == answer


@given(st.sampled_from(["Paris.", "<think>France?</think>\nParis.", "<th", "<b>x</b>", "<think>a"]), st.data())
def test_pieces_show_the_same_as_the_whole(reply: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(reply)), max_size=6)))
    bounds = [0, *cuts, len(reply)]
    pieces = [reply[start:end] for start, end in itertools.pairwise(bounds)]
    assert in_pieces(pieces) == strip_thinking(reply)


def test_an_answer_without_reasoning_is_shown_at_once() -> None:
    assert ThinkingFilter().feed("Par") == "Par"
