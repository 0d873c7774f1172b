"""The walk: from what matches the question through the graph, ranked by personalised PageRank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from post_graph_rag.records import QueryParam
from post_graph_rag.retrieve.channels import Found
from post_graph_rag.retrieve.pagerank import personalised_pagerank
from post_graph_rag.store.database import Session
from post_graph_rag.store.search import Hits, Neighbourhood, WalkBounds, walk

_SEEDS = 8
"""How many of the best entities, and how many of the best relations, a walk starts from."""
_PASSAGES = 20
"""How many of the best passages the walker may start anew from."""
_PASSAGE_WEIGHT = 0.05
"""Weight of a passage as a starting point beside an entity's: many passages are near, few entities are meant.

Source: Gutiérrez et al., From RAG to Memory (HippoRAG 2), 2025.
"""

Ids = NDArray[np.int64]
Scored = Sequence[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where a walk starts: ids with their weight."""

    entities: Scored
    relations: Scored
    passages: Scored


def choose_seeds(found: Found, param: QueryParam) -> Seeds:
    """The best of what the other channels found."""
    return Seeds(
        entities=found.best("entity", param, _SEEDS),
        relations=found.best("relation", param, _SEEDS),
        passages=found.best("passage", param, _PASSAGES),
    )


async def walk_from(session: Session, seeds: Seeds, spaces: Sequence[int], steps: int, found: Found, most: int) -> None:
    """Walk and put what was reached into `found`, `most` of each kind."""
    bounds = WalkBounds(steps=steps)
    area = await walk(session, _ids(seeds.entities), _ids(seeds.relations), _ids(seeds.passages), spaces, bounds)
    entities, relations, passages = rank_area(area, seeds)
    found.put("entity", "walk", _best(entities, most))
    found.put("relation", "walk", _best(relations, most))
    found.put("passage", "walk", _best(passages, most))


def rank_area(area: Neighbourhood, seeds: Seeds) -> tuple[dict[int, float], dict[int, float], dict[int, float]]:
    """Scores of the entities, relations and passages of a neighbourhood: how often a walker who keeps coming back to
    the seeds meets them; a relation is met where both its ends are.
    """
    if not area.entities:
        return {}, {}, {}
    entities = np.unique(np.array(area.entities, np.int64))
    passages = np.unique(np.array(area.passages, np.int64))
    subjects, objects = _places(entities, area.subjects), _places(entities, area.objects)
    mentioned, mentioning = _places(entities, area.mentioned), _places(passages, area.passages) + len(entities)
    rank = personalised_pagerank(
        np.concatenate([subjects, mentioned]),
        np.concatenate([objects, mentioning]),
        _restart(entities, passages, area, seeds),
    )
    return (
        dict(zip(entities.tolist(), rank[: len(entities)].tolist(), strict=True)),
        dict(zip(area.relations, (rank[subjects] * rank[objects]).tolist(), strict=True)),
        dict(zip(passages.tolist(), rank[len(entities) :].tolist(), strict=True)),
    )


def _restart(entities: Ids, passages: Ids, area: Neighbourhood, seeds: Seeds) -> NDArray[np.float64]:
    """How much each node counts as a start: seed entities, the ends of seed relations, a little the seed passages."""
    weights = np.zeros(len(entities) + len(passages))
    _weigh(weights, entities, seeds.entities, 1.0)
    ends = {
        number: (subject, object_)
        for number, subject, object_ in zip(area.relations, area.subjects, area.objects, strict=True)
    }
    for side in (0, 1):
        _weigh(weights, entities, [(ends[n][side], score) for n, score in seeds.relations if n in ends], 0.5)
    _weigh(weights[len(entities) :], passages, seeds.passages, _PASSAGE_WEIGHT)
    return weights if weights.any() else weights + 1.0


def _weigh(weights: NDArray[np.float64], ids: Ids, scored: Scored, factor: float) -> None:
    """Add the scores, relative to the best of them, at the places of their ids; ids that are not there are left out."""
    if not scored or not len(ids):
        return
    wanted = np.array([number for number, _ in scored], np.int64)
    scores = np.array([score for _, score in scored])
    places = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    there = ids[places] == wanted
    np.add.at(weights, places[there], factor * scores[there] / scores.max())


def _places(ids: Ids, wanted: Sequence[int]) -> NDArray[np.intp]:
    return np.searchsorted(ids, np.array(wanted, np.int64))


def _ids(scored: Scored) -> list[int]:
    return [number for number, _ in scored]


def _best(scores: Mapping[int, float], most: int) -> Hits:
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:most]
    return Hits([number for number, _ in ranked], [score for _, score in ranked])
