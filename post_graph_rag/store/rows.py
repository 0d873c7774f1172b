"""How rows cross to the server: as JSON text and flat arrays, so that no codec is needed on a caller's connection."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = Sequence[Mapping[str, Any]]
"""Rows on their way to the server."""


def as_json(value: Any) -> str:
    """JSON text; bytes become hex as bytea reads it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_bytea)


def _bytea(value: object) -> str:
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    raise TypeError(f"{type(value).__name__} does not cross to the server")


def flat(vectors: Sequence[NDArray[np.float32]]) -> list[float]:
    """All numbers of the vectors, one after the other, as a float4 array is sent."""
    return np.concatenate(vectors).tolist() if vectors else []
