"""What real models said and made of the data folder's texts, replayed: extractions of GPT-3.5, vectors of MiniLM."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from post_graph_rag.models.protocols import EmbeddingKind
from post_graph_rag.records import Extraction

DEFAULT_DATA = Path(__file__).parents[2] / "shared" / "data"
TRIPLES = "openie_gpt35.jsonl"


@dataclass(frozen=True, slots=True)
class StoredEmbedding:
    """Vectors by text, as they lie in a file; a text that is not there gets one that is like no other."""

    places: Mapping[str, int]
    vectors: NDArray[np.float16]
    name: str = "minilm-stored"

    @property
    def dimensions(self) -> int:
        return int(self.vectors.shape[1])

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> NDArray[np.float32]:
        made = np.stack([self.vector(text) for text in texts])
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)

    async def close(self) -> None:
        """Nothing is held."""

    def vector(self, text: str) -> NDArray[np.float32]:
        if text in self.places:
            return np.asarray(self.vectors[self.places[text]], dtype=np.float32)
        seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
        return np.random.default_rng(seed).standard_normal(self.dimensions, dtype=np.float32)


def stored_embedding(data: Path) -> StoredEmbedding:
    """The vectors of data/minilm-*: passages, questions, names of entities and triples among them."""
    texts = json.loads((data / "minilm-texts.json").read_text(encoding="utf-8"))
    return StoredEmbedding({text: n for n, text in enumerate(texts)}, np.load(data / "minilm-vectors.npy"))


def said_of(folder: Path) -> dict[int, Extraction]:
    """What was extracted from the passages of a folder, by the passage's number."""
    return {found["id"]: extraction(found) for found in lines(folder / TRIPLES)}


def extraction(found: Mapping[str, Any]) -> Extraction:
    """A recorded extraction; triples that are none are left out."""
    whole = [triple for triple in found["triples"] if len(triple) == 3 and all(triple)]
    parts = ("subject", "predicate", "object")
    return Extraction.model_validate(
        {
            "entities": [{"name": name} for name in found["entities"]],
            "relations": [dict(zip(parts, map(str, triple), strict=True)) for triple in whole],
        }
    )


def names_of(said: Iterable[Extraction]) -> set[str]:
    """All names of entities and of ends of relations."""
    return {
        name
        for one in said
        for name in (*(e.name for e in one.entities), *(end for r in one.relations for end in (r.subject, r.object)))
    }


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())
