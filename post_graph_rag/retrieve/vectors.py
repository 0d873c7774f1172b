"""The vectors of a question: made in one request, or beforehand together with those of other questions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np

from post_graph_rag.clean import question_mark
from post_graph_rag.errors import EmbeddingError, WidthMismatch
from post_graph_rag.models.protocols import EmbeddingModel, Vectors
from post_graph_rag.models.tally import tallied
from post_graph_rag.records import RealmInfo
from post_graph_rag.retrieve.failing import failures_noted
from post_graph_rag.retrieve.question import Question
from post_graph_rag.store.usage import Call, milliseconds_since

BATCH: Final = 64
"""Texts of one request, where those of many questions are asked for together."""

Known: TypeAlias = Mapping[str, "Vectors | EmbeddingError"]
"""By text, as it is embedded: its vector, or why there is none."""
Note: TypeAlias = Callable[[Call], None]


async def question_vectors(
    model: EmbeddingModel, realm: RealmInfo, asked: Question, known: Known, note: Note
) -> Vectors:
    """A vector for each of the `embedded` texts, those that are not known in one request.

    Raises EmbeddingError, WidthMismatch when they are not of the realm's width.
    """
    texts = [realm.query_prefix + text for text in asked.embedded]
    missing = [text for text in texts if text not in known]
    made = await _made(model, missing, note, question_mark(asked.asked)) if missing else ()
    fresh = dict(zip(missing, made, strict=True))
    found = [fresh[text] if text in fresh else _vector(known[text]) for text in texts]
    return _fitting(np.stack(found), len(texts), realm)


async def made_together(model: EmbeddingModel, texts: Sequence[str], note: Note) -> Known:
    """The vectors of the texts of many questions, in few requests.

    Of a request that fails since the model cannot be had, its error stands for each text; of any other that fails
    there is nothing, so each text is asked for again by the question it belongs to.
    """
    once = list(dict.fromkeys(texts))
    parts = [once[start : start + BATCH] for start in range(0, len(once), BATCH)]
    made = await asyncio.gather(*(_tried(model, part, note) for part in parts))
    return {text: vector for known in made for text, vector in known.items()}


async def _tried(model: EmbeddingModel, texts: Sequence[str], note: Note) -> Known:
    try:
        return dict(zip(texts, await _made(model, texts, note), strict=True))
    except EmbeddingError as error:
        return dict.fromkeys(texts, error) if error.outage else {}


async def _made(model: EmbeddingModel, texts: Sequence[str], note: Note, question: bytes | None = None) -> Vectors:
    with failures_noted(note, "embedding", model.name, question) as started, tallied() as tally:
        vectors = await model.embed(texts, "query")
    note(Call("embedding", model.name, milliseconds_since(started), tally.tokens, question=question))
    return vectors


def _vector(known: Vectors | EmbeddingError) -> Vectors:
    if isinstance(known, EmbeddingError):
        raise known
    return known


def _fitting(vectors: Vectors, count: int, realm: RealmInfo) -> Vectors:
    if vectors.shape != (count, realm.dimensions):
        raise WidthMismatch(
            f"the embedding model gives {vectors.shape[-1]} dimensions, realm {realm.name!r} holds {realm.dimensions}"
            f" of {realm.embedding_model!r}: use that model, or another realm"
        )
    return np.asarray(vectors, np.float32)
