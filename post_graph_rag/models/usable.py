"""Vectors of anybody's model, checked before they are used."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from post_graph_rag.errors import EmbeddingError
from post_graph_rag.models.protocols import Vectors


def usable(answer: object, count: int, model: str) -> Vectors:
    """What a model of anybody's answered for `count` texts, as it must be: (count, width), float32, no zeros.

    Raises EmbeddingError for anything else.
    """
    try:
        matrix = np.asarray(answer, dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise EmbeddingError(f"The embedding model {model!r} answered with something that is no array.") from error
    if matrix.ndim != 2 or len(matrix) != count:
        raise EmbeddingError(
            f"The embedding model {model!r} answered {count} texts with an array of shape {matrix.shape}: it must give "
            "one vector for each."
        )
    check_numbers(matrix, model)
    return matrix


def check_numbers(matrix: NDArray[Any], model: str) -> None:
    """Raise EmbeddingError for vectors that cannot be compared: NaN, infinity, zeros only."""
    if not np.isfinite(matrix).all():
        raise EmbeddingError(
            f"The embedding model {model!r} answered with NaN or infinity; its vectors cannot be used."
        )
    if not matrix.any(axis=1).all():
        raise EmbeddingError(f"The embedding model {model!r} answered with a vector of zeros; it cannot be searched.")
