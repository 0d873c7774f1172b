"""Facts asked in both directions: "What did A do: acquired whom?" and "Which company acquired B?"."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpus import documents
from benchmarks.stub_model import extract, sparse
from post_graph_rag import Document, GraphRAG, QueryParam
from post_graph_rag.models.protocols import EmbeddingKind
from post_graph_rag.models.roles import Models
from post_graph_rag.records import Extraction, QueryData
from post_graph_rag.testing import ScriptedChat

DOCUMENTS, FACTS, ENTITIES = 200, 10, 800
SEED, QUESTIONS, WIDTH, TOP_K = 5, 60, 256, 5
DEPTHS = (1, 5)

Fact = dict[str, Any]


class StubEmbedding:
    """The stub's hashed bags of words, in this process."""

    name = "stub"
    dimensions = WIDTH

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> NDArray[np.float32]:
        made = np.zeros((len(texts), WIDTH), np.float32)
        for row, text in zip(made, texts, strict=True):
            for place, x in sparse(text, WIDTH).items():
                row[place] = x
        return made

    async def close(self) -> None:
        """Nothing is held."""


def fact_models() -> Models:
    """The stub's reading and its vectors."""
    return Models(ScriptedChat(extract=_extraction), StubEmbedding())


def fact_documents() -> list[Document]:
    """The corpus that the peer is measured on."""
    return [Document(key=source, chunks=(text,)) for source, text in documents(DOCUMENTS, FACTS, ENTITIES)]


def fact_sample() -> list[Fact]:
    """The facts that are asked for."""
    facts = [fact for _, text in documents(DOCUMENTS, FACTS, ENTITIES) for fact in extract(text)["triples"]]
    return random.Random(SEED).sample(facts, QUESTIONS)


async def fact_lines(rag: GraphRAG, facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """A line for each direction."""
    return [await _line(rag, facts, outbound) for outbound in (True, False)]


def question_of(fact: Fact, outbound: bool) -> str:
    """What is asked for a fact, from its subject or from its object."""
    words = fact["predicate"].replace("_", " ")
    return f"What did {fact['subject']} do: {words} whom?" if outbound else f"Which company {words} {fact['object']}?"


async def _line(rag: GraphRAG, facts: Sequence[Fact], outbound: bool) -> dict[str, Any]:
    places, stated = [], 0
    for fact in facts:
        found = await rag.query_data(question_of(fact, outbound), QueryParam(top_k=TOP_K))
        places.append(next(_places(fact, found, outbound), 0))
        stated += _is_stated(fact, found)
    return {
        "set": "peer",
        "channel": "in direction" if outbound else "against it",
        **{f"relation@{k}": round(sum(0 < place <= k for place in places) / len(facts), 3) for k in DEPTHS},
        "passage": round(stated / len(facts), 3),
    }


def _places(fact: Fact, found: QueryData, outbound: bool) -> Iterator[int]:
    """Ranks of relations that answer: this predicate, of the same subject or to the same object."""
    for rank, hit in enumerate(found.relations, 1):
        same = hit.subject == fact["subject"] if outbound else hit.object == fact["object"]
        if same and hit.predicate == fact["predicate"]:
            yield rank


def _is_stated(fact: Fact, found: QueryData) -> bool:
    """Whether a passage in the context states the very fact."""
    words = f"{fact['subject']} {fact['predicate'].replace('_', ' ')} {fact['object']}"
    cited = {reference.passage for reference in found.references}
    return any(words in hit.text for hit in found.passages if hit.id in cited)


def _extraction(text: str) -> Extraction:
    said = extract(text)
    return Extraction.model_validate({"entities": said["entities"], "relations": said["triples"]})
