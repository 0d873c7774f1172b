"""Passages: bounded, exact, complete, stable."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from post_graph_rag.errors import InputError
from post_graph_rag.ingest.chunks import Chunk, chunk_text, given_chunks
from post_graph_rag.models.tokens import tokenizer_for

count = tokenizer_for().count

PIECES = st.sampled_from(
    [
        "# Heading",
        "TITLE",
        "- item",
        "| a | b |",
        "|---|---|",
        "Alice: hi!",
        "One. Two? Three!",
        "wrapped line",
        "東京は大きい。人が多い。",
        "a b c d e f g h i j k l m n",
        "ends with:",
        "x" * 50,
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "\t",
        "\u2029",
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=60).map("".join), st.lists(PIECES, max_size=60).map("\n".join))


def words(text: str) -> int:
    return len(text.split())


def paragraphs(number: int) -> list[str]:
    lengths = Random(1).choices(range(7), k=number)
    return [
        f"Town {i} is old. " + "It has many stone mills. " * length + f"{i} left." for i, length in enumerate(lengths)
    ]


def texts(chunks: list[Chunk]) -> list[str]:
    return [chunk.text for chunk in chunks]


@given(TEXTS, st.integers(8, 60), st.integers(0, 7))
@settings(max_examples=150, deadline=None)
def test_offsets_are_exact_and_every_character_that_is_not_blank_is_in_a_passage(
    text: str, tokens: int, overlap: int
) -> None:
    chunks = chunk_text(text, tokens, overlap, count)
    assert [text[chunk.start : chunk.end] for chunk in chunks] == texts(chunks)
    covered = {place for chunk in chunks for place in range(chunk.start, chunk.end)}
    assert {place for place, char in enumerate(text) if not char.isspace()} <= covered


@given(TEXTS, st.integers(8, 60), st.integers(0, 7))
@settings(max_examples=150, deadline=None)
def test_no_passage_exceeds_the_bound(text: str, tokens: int, overlap: int) -> None:
    assert all(count(chunk.text) <= tokens for chunk in chunk_text(text, tokens, overlap, count))


@given(TEXTS, st.integers(1, 30))
@settings(max_examples=100, deadline=None)
def test_no_passage_is_blank_and_without_overlap_none_meets_another(text: str, tokens: int) -> None:
    chunks = chunk_text(text, tokens, 0, len)
    assert all(chunk.text.strip() == chunk.text != "" for chunk in chunks)
    assert all(before.end <= after.start for before, after in pairwise(chunks))


@given(TEXTS, st.text(st.characters(exclude_characters="\n\r"), min_size=1), st.integers(8, 60), st.integers(0, 7))
@settings(max_examples=150, deadline=None)
def test_a_line_at_the_end_leaves_all_but_the_last_passage_as_they_were(
    text: str, line: str, tokens: int, overlap: int
) -> None:
    before = chunk_text(text, tokens, overlap, count)
    after = chunk_text(f"{text}\n{line}", tokens, overlap, count)
    kept = before[:-1]
    assert after[: len(kept)] == kept


@pytest.mark.parametrize("place", [10, 100, 150])
def test_a_changed_paragraph_in_the_middle_leaves_most_passages_as_they_were(place: int) -> None:
    old = paragraphs(200)
    new = [*old[:place], "Something quite different stands here. " * 3, *old[place + 1 :]]
    before, after = (set(texts(chunk_text("\n\n".join(parts), 200, 0, count))) for parts in (old, new))
    assert len(before & after) >= 0.8 * len(before)


def test_a_heading_stays_with_what_it_heads() -> None:
    text = "\n\n".join(f"# Chapter {i}\n\n{paragraph}" for i, paragraph in enumerate(paragraphs(40)))
    assert all(not chunk.text.splitlines()[-1].startswith("#") for chunk in chunk_text(text, 60, 0, count))


def test_a_passage_prefers_to_begin_at_a_heading() -> None:
    section = "# Town\n\n" + "\n\n".join(["A short paragraph with some eight words in it."] * 8)
    assert texts(chunk_text("\n\n".join([section] * 10), 120, 0, words)) == [section] * 10


def test_short_lines_lists_tables_and_dialogue_are_kept() -> None:
    text = "- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\nA: Hi.\nB: Yes."
    assert texts(chunk_text(text, 100, 0, count)) == [text]


def test_a_giant_line_without_blanks_is_split() -> None:
    chunks = chunk_text("abc123" * 5000, 200, 0, count)
    assert "".join(texts(chunks)) == "abc123" * 5000
    assert len(chunks) > 10


def test_a_giant_sentence_is_split_between_words() -> None:
    text = " ".join(f"word{i}" for i in range(2000))
    assert " ".join(texts(chunk_text(text, 100, 0, count))) == text


def test_sentences_are_not_cut_where_a_line_is_only_wrapped() -> None:
    text = "The first sentence is wrapped\nhere and ends now. Then comes\nanother one that is longer. And last\none."
    assert texts(chunk_text(text, 9, 0, words))[0].endswith("ends now.")


def test_overlap_repeats_whole_sentences_of_the_end() -> None:
    first, second = chunk_text("One two three. Four five six. Seven eight nine. Ten.", 9, 3, words)[:2]
    assert first.text == "One two three. Four five six. Seven eight nine."
    assert second.text == "Seven eight nine. Ten."


@pytest.mark.parametrize(("tokens", "overlap"), [(10, 10), (0, 0), (10, -1)])
def test_an_overlap_that_leaves_no_room_is_refused(tokens: int, overlap: int) -> None:
    with pytest.raises(InputError, match="overlap"):
        chunk_text("text", tokens, overlap, words)


def test_characters_are_counted_a_bounded_number_of_times() -> None:
    counted = 0

    def counting(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return count(text)

    text = "\n\n".join(paragraphs(1000))
    chunk_text(text, 400, 0, counting)
    assert counted < 4 * len(text)


def test_given_chunks_are_found_in_the_text_in_order() -> None:
    assert given_chunks("a b a b", ["a", "b a", "b"]) == [Chunk("a", 0, 1), Chunk("b a", 2, 5), Chunk("b", 6, 7)]


def test_given_chunks_may_overlap() -> None:
    assert given_chunks("one two three", ["one two", "two three"])[1] == Chunk("two three", 4, 13)


def test_a_given_chunk_that_the_text_does_not_hold_is_kept_with_an_empty_span() -> None:
    assert given_chunks("one two", ["one", "TWO"])[1] == Chunk("TWO", 3, 3)


def test_given_chunks_without_a_text_stand_one_after_the_other_and_blank_ones_are_left_out() -> None:
    assert given_chunks("", ["ab", " ", "cd"]) == [Chunk("ab", 0, 2), Chunk("cd", 3, 5)]


def test_ten_thousand_characters_of_prose_are_eight_passages_at_most() -> None:
    prose = " ".join(f"The company numbered {n} was founded in a town by the river." for n in range(170))
    assert len(chunk_text(prose[:10_000], 400, 0, count)) <= 8
