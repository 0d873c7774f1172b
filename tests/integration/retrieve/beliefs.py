"""What a question shows, as sets that can be compared between now and a mark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from post_graph_rag.engine import GraphRAG
from post_graph_rag.records import QueryData, QueryParam

Rows: TypeAlias = frozenset[tuple[Any, ...]]
EVERYTHING = 500


@dataclass(frozen=True)
class Seen:
    """All that was found, scores and order aside."""

    passages: Rows
    relations: Rows
    entities: Rows


async def see(rag: GraphRAG, question: str, **param: Any) -> Seen:
    """What a question shows when as much is asked for as there is."""
    data = await rag.query_data(question, QueryParam(top_k=EVERYTHING, **param))
    return Seen(frozenset(_passages(data)), frozenset(_relations(data)), frozenset(_entities(data)))


def _passages(data: QueryData) -> list[tuple[Any, ...]]:
    return [
        (hit.text, hit.space, hit.observed_at, tuple((place.document, place.ordinal) for place in hit.sources))
        for hit in data.passages
    ]


def _relations(data: QueryData) -> list[tuple[Any, ...]]:
    return [
        (hit.subject, hit.predicate, hit.object, hit.negated, hit.fact, hit.periods, hit.weight, hit.confidence,
         hit.superseded, frozenset(hit.passages))
        for hit in data.relations
    ]  # fmt: skip


def _entities(data: QueryData) -> list[tuple[Any, ...]]:
    return [(hit.name, hit.type, hit.description, hit.passages) for hit in data.entities]
