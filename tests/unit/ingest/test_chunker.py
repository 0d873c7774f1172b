"""A chunker of the caller's own: what it gives becomes passages with offsets, or a typed refusal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from post_graph_rag.errors import ChunkingError
from post_graph_rag.ingest.chunker import chunks_by
from post_graph_rag.ingest.chunks import Chunk

TEXT = "One line.\n\nAnother line."


async def test_texts_are_found_where_they_stand() -> None:
    assert await chunks_by(lambda text: text.split("\n"), TEXT) == [
        Chunk("One line.", 0, 9),
        Chunk("Another line.", 11, 24),
    ]


async def test_spans_become_the_texts_they_hold_and_may_overlap() -> None:
    assert await chunks_by(lambda text: [(0, 9), (4, 24)], TEXT) == [Chunk("One line.", 0, 9), Chunk(TEXT[4:], 4, 24)]


async def test_an_async_one_and_a_generator_will_do() -> None:
    async def later(text: str) -> list[tuple[int, int]]:
        return [(0, 9)]

    def one_by_one(text: str) -> Iterator[str]:
        yield "One line."

    assert await chunks_by(later, TEXT) == await chunks_by(one_by_one, TEXT) == [Chunk("One line.", 0, 9)]


async def test_a_span_over_blanks_is_left_out() -> None:
    assert await chunks_by(lambda text: [(0, 9), (9, 11)], TEXT) == [Chunk("One line.", 0, 9)]


@pytest.mark.parametrize("spans", [[(0, 25)], [(-1, 3)], [(5, 5)], [(9, 2)]])
async def test_a_span_outside_the_text_is_refused(spans: list[tuple[int, int]]) -> None:
    with pytest.raises(ChunkingError, match="of a text of 24 characters"):
        await chunks_by(lambda text: spans, TEXT)


@pytest.mark.parametrize("given", [[(0, 1.5)], [None], [(0, 9), "Another line."], [(1, 2, 3)], [{"text": "One"}]])
async def test_anything_but_texts_or_spans_is_refused(given: list[Any]) -> None:
    with pytest.raises(ChunkingError, match="give texts, or else spans"):
        await chunks_by(lambda text: given, TEXT)


async def test_one_text_is_not_taken_for_passages_of_a_character_each() -> None:
    with pytest.raises(ChunkingError, match="gave one text"):
        await chunks_by(lambda text: text, TEXT)


@pytest.mark.parametrize("given", [[], [" "], [(9, 11)]])
async def test_no_passage_at_all_is_refused(given: list[Any]) -> None:
    with pytest.raises(ChunkingError, match="no passage"):
        await chunks_by(lambda text: given, TEXT)


def broken(text: str) -> Iterator[str]:
    yield text
    raise RuntimeError("broke off")


@pytest.mark.parametrize(
    ("chunker", "said"), [(broken, "RuntimeError: broke off"), (lambda text: None, "TypeError"), (len, "TypeError")]
)
async def test_its_failure_is_told(chunker: Any, said: str) -> None:
    with pytest.raises(ChunkingError, match=f"the chunker failed with {said}"):
        await chunks_by(chunker, TEXT)
