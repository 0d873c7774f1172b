"""The vectors of what was found, to compare them with one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from post_graph_rag.store.database import Session

Embedded = Literal["passage", "relation"]
Embeddings = Mapping[Embedded, Mapping[int, NDArray[np.float32]]]


async def embeddings(session: Session, passages: Sequence[int], relations: Sequence[int]) -> Embeddings:
    """The vectors of passages and relations, by kind and id; what has none yet is not in it."""
    found: dict[Embedded, dict[int, NDArray[np.float32]]] = {"passage": {}, "relation": {}}
    for row in await session.rows("search_embeddings", passages, relations):
        found[row["kind"]][row["id"]] = np.array(row["embedding"], np.float32)
    return found
