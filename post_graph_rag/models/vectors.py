"""Vectors as endpoints send them, checked and brought to unit length."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from post_graph_rag.errors import EmbeddingError
from post_graph_rag.models.policy import ReplyError
from post_graph_rag.models.protocols import Vectors
from post_graph_rag.models.usable import check_numbers


def decoded(data: Any, count: int) -> list[Vectors]:
    """The vectors of an embeddings reply in the order of the texts, from base64 or lists of numbers.

    Raises ReplyError when it does not hold `count` of them.
    """
    items = data.get("data") if isinstance(data, Mapping) else None
    if not isinstance(items, list) or len(items) != count:
        raise ReplyError(f"it does not hold {count} embeddings")
    try:
        ordered = sorted(items, key=lambda item: int(item.get("index") or 0))
        return [_vector(item["embedding"]) for item in ordered]
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, binascii.Error) as error:
        raise ReplyError("its embeddings are neither lists of numbers nor base64") from error


def checked(vectors: Sequence[Vectors], *, model: str, dimensions: int | None) -> Vectors:
    """All vectors in one array, each of unit length.

    dimensions: the width they must have; None takes the first one's.

    Raises EmbeddingError for unequal or other widths, NaN or infinity, and vectors of zeros only.
    """
    widths = {len(vector) for vector in vectors}
    if len(widths) != 1:
        raise EmbeddingError(f"The embedding model {model!r} answered with vectors of unequal widths {sorted(widths)}.")
    _check_width(widths.pop(), dimensions, model)
    matrix = np.stack([np.asarray(vector, dtype=np.float64) for vector in vectors])
    check_numbers(matrix, model)
    unit: Vectors = (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _check_width(width: int, dimensions: int | None, model: str) -> None:
    if width == 0:
        raise EmbeddingError(f"The embedding model {model!r} answered with empty vectors.")
    if dimensions is not None and width != dimensions:
        raise EmbeddingError(
            f"The embedding model {model!r} answered with vectors {width} wide where {dimensions} was expected: set "
            f"POST_GRAPH_RAG_EMBEDDING_DIMENSIONS to {width}, or use a model or server that takes `dimensions`."
        )


def _vector(value: Any) -> Vectors:
    if isinstance(value, str):
        return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4")
    return np.asarray(value, dtype=np.float32).reshape(len(value))
