"""A chunker of the caller's own: a function that cuts a text into passages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from operator import index
from typing import Any, TypeAlias

from post_graph_rag.calling import tried
from post_graph_rag.clean import clean_text
from post_graph_rag.errors import ChunkingError
from post_graph_rag.ingest.chunks import Chunk, given_chunks

Cut: TypeAlias = Iterable[str | tuple[int, int]]
Chunker: TypeAlias = Callable[[str], Cut | Awaitable[Cut]]
"""Given a text, the passages in their order: as texts that stand in it, or as spans (from, to) in characters.

Sync (called in a thread) or async. Passages may overlap, and may leave out what is not to be found.
"""


async def chunks_by(chunker: Chunker, text: str) -> list[Chunk]:
    """Passages of a text as a chunker of the caller's cuts them, none blank.

    A passage that does not stand in the text word for word gets the empty span where the one before ended.
    Raises ChunkingError when it fails, gives something else, a span outside the text, or no passage.
    """
    outcome = await tried(chunker, text)
    # Listed apart, since a generator runs, and may fail, only then.
    listed = outcome if outcome.error is not None else await tried(list, outcome.value)
    if isinstance(outcome.value, str):
        raise ChunkingError("the chunker gave one text: give a list of texts, or of spans (from, to)")
    if listed.error is not None:
        raise ChunkingError(f"the chunker failed with {listed.said}") from listed.error
    chunks = _located(text, listed.value)
    if not chunks:
        raise ChunkingError("the chunker gave no passage of a text that is not blank")
    return chunks


def _located(text: str, cut: Sequence[Any]) -> list[Chunk]:
    if all(isinstance(piece, str) for piece in cut):
        return given_chunks(text, [clean_text(piece)[0] for piece in cut])
    chunks = [_span(text, piece) for piece in cut]
    return [chunk for chunk in chunks if chunk.text.strip()]


def _span(text: str, piece: Any) -> Chunk:
    try:
        start, end = map(index, piece)
    except (TypeError, ValueError) as error:
        raise ChunkingError(
            f"the chunker gave {str(piece)[:100]!r} among its passages: give texts, or else spans (from, to)"
        ) from error
    if not 0 <= start < end <= len(text):
        raise ChunkingError(f"the chunker gave the span {start} to {end} of a text of {len(text)} characters")
    return Chunk(text[start:end], start, end)
