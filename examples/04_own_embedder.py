"""An embedding model of one's own: anything with a name, a width and `embed`.

Runs on the embedded server and the offline extractor, or on your own; see common.py.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Sequence

import numpy as np
from common import settings

from post_graph_rag import GraphRAG, Models, QueryParam
from post_graph_rag.models.offline.chat import OfflineChat
from post_graph_rag.models.protocols import EmbeddingKind, Vectors

TEXTS = [
    "The kiln in hall two reaches 1,300 degrees and is fired at night.",
    "Ferry tickets to the island are sold at the harbour office.",
    "Glazed tiles are dried for three days before they go into a kiln.",
]


class TrigramEmbedding:
    """Texts are near when they share runs of three letters."""

    name = "trigrams-512"
    dimensions = 512

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        vectors = np.full((len(texts), self.dimensions), 1e-6, np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for place in range(len(text) - 2):
                row[zlib.crc32(text[place : place + 3].lower().encode()) % self.dimensions] += 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    async def close(self) -> None:
        pass


async def main() -> None:
    models = Models(OfflineChat(), TrigramEmbedding())
    async with GraphRAG(settings("trigrams"), models=models) as rag:
        for text in TEXTS:
            await rag.index_text(text)
        data = await rag.query_data("kilns and tiling", QueryParam(mode="naive", top_k=2))
        for hit in data.passages:
            print(hit.text)
        await rag.drop_realm()


if __name__ == "__main__":
    asyncio.run(main())
