"""How rows cross to the server: as JSON, arrays and texts, so that no codec is needed on a caller's connection."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic_core import to_json

Rows = Sequence[Mapping[str, Any]]
"""Rows on their way to the server."""


def as_json(value: Any) -> str:
    """JSON text; bytes become hex as bytea reads it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_bytea)


def _bytea(value: object) -> str:
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    raise TypeError(f"{type(value).__name__} does not cross to the server")


def as_vectors(vectors: Iterable[NDArray[np.float32]]) -> list[str]:
    """Vectors as pgvector reads them, exact to the last bit; a driver takes texts twice as fast as numbers."""
    return [to_json(vector.tolist()).decode() for vector in vectors]
