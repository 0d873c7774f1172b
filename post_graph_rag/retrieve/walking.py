"""The walk: from what matches the question through the graph, ranked by personalised PageRank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from post_graph_rag.records import QueryParam
from post_graph_rag.retrieve.channels import Found, Kind
from post_graph_rag.retrieve.pagerank import personalised_pagerank
from post_graph_rag.store.database import Session
from post_graph_rag.store.search import Hits, Neighbourhood, WalkBounds, walk
from post_graph_rag.store.when import NOW, When

_ENTITIES = 8
_RELATIONS = 4
"""How many of the best entities, and of the best relations, which start at both their ends, a walk starts from."""
_PASSAGES = 20
"""How many of the best passages the walker may start anew from."""
_SEED_RRF_K = 1
"""Seeds are few and the first of them is meant most often, so that ranks count much more than in the final fusion."""
_PASSAGE_WEIGHT = 1.0
"""Weight of a passage as a starting point beside an entity's: what words and vectors find leads the walk as well.

Passages as starting points: Gutiérrez et al., From RAG to Memory (HippoRAG 2), 2025, where the weight is small. With
ranks for scores a larger one keeps the walk useful where the graph is poor (benchmarks/SWEEP.md).
"""
_DAMPING = 0.85
_TOLD = 3.0
"""Relations that a passage states, on average, from which on the walk counts fully."""
_LEAST = 0.1
"""What it counts at least."""

Ids = NDArray[np.int64]
Scores = NDArray[np.float64]
Scored = Sequence[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where a walk starts: ids with their weight."""

    entities: Scored
    relations: Scored
    passages: Scored


def counted(param: QueryParam, stated: int, passages: int) -> QueryParam:
    """With the walk's weight by how much the graph tells of the texts, unless a weight of it is asked for.

    Where passages state few relations, a walk leads from a name to whatever else mentions it, and words know better.
    stated, passages: of the whole realm, ever written: a revision adds to both, so that no history changes their ratio.
    """
    share = stated / max(passages, 1)
    if share >= _TOLD or "walk" in param.weights:
        return param
    return param.model_copy(update={"weights": {**param.weights, "walk": max(_LEAST, share / _TOLD)}})


def choose_seeds(found: Found, param: QueryParam) -> Seeds:
    """The best of what the other channels found."""
    sharp = param.model_copy(update={"rrf_k": _SEED_RRF_K})
    return Seeds(
        entities=_scored(found.best("entity", sharp, _ENTITIES)),
        relations=_scored(found.best("relation", sharp, _RELATIONS)),
        passages=_scored(found.best("passage", sharp, _PASSAGES)),
    )


def _scored(best: Scored) -> Scored:
    return [(number, score) for number, score in best if score > 0]


async def walk_from(
    session: Session, seeds: Seeds, spaces: Sequence[int], steps: int, found: Found, most: int, when: When = NOW
) -> Neighbourhood:
    """Walk through what is visible at that time and put what was reached into `found`, `most` of each kind."""
    starts = _ids(seeds.entities), _ids(seeds.relations), _ids(seeds.passages)
    area = await walk(session, *starts, spaces, WalkBounds(steps=steps), when)
    for kind, hits in rank_area(area, seeds, most).items():
        found.put(kind, "walk", hits)
    return area


def rank_area(area: Neighbourhood, seeds: Seeds, most: int) -> dict[Kind, Hits]:
    """The best entities, relations and passages of a neighbourhood: those that a walker meets most who keeps coming
    back to the seeds. A relation is met where both its ends are.
    """
    if not len(area.entities):
        return {}
    entities, passages = area.entities, np.unique(area.mentions[:, 0])
    subjects, objects = np.searchsorted(entities, area.edges[:, 1]), np.searchsorted(entities, area.edges[:, 2])
    rank = personalised_pagerank(
        np.concatenate([subjects, np.searchsorted(entities, area.mentions[:, 1])]),
        np.concatenate([objects, np.searchsorted(passages, area.mentions[:, 0]) + len(entities)]),
        _restart(entities, passages, area, seeds),
        _DAMPING,
    )
    return {
        "entity": _best(entities, rank[: len(entities)], most),
        "relation": _best(area.edges[:, 0], rank[subjects] * rank[objects], most),
        "passage": _best(passages, rank[len(entities) :], most),
    }


def _restart(entities: Ids, passages: Ids, area: Neighbourhood, seeds: Seeds) -> Scores:
    """How much each node counts as a start: seed entities, the ends of seed relations, and the seed passages."""
    weights = np.zeros(len(entities) + len(passages))
    _weigh(weights, entities, seeds.entities)
    ends = {number: sides for number, *sides in area.edges[_among(area.edges[:, 0], seeds.relations)].tolist()}
    for side in (0, 1):
        _weigh(weights, entities, [(ends[number][side], score) for number, score in seeds.relations if number in ends])
    _weigh(weights[len(entities) :], passages, seeds.passages, _PASSAGE_WEIGHT)
    return weights if weights.any() else weights + 1.0


def _weigh(weights: Scores, ids: Ids, scored: Scored, factor: float = 1.0) -> None:
    """Add the scores, relative to the best of them, at the places of their ids; ids that are not there are left out."""
    if not scored or not len(ids):
        return
    wanted, scores = np.array(_ids(scored), np.int64), np.array([score for _, score in scored])
    places = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    there = ids[places] == wanted
    np.add.at(weights, places[there], factor * scores[there] / scores.max())


def _among(ids: Ids, scored: Scored) -> NDArray[np.bool_]:
    return np.isin(ids, np.array(_ids(scored), np.int64))


def _ids(scored: Scored) -> list[int]:
    return [number for number, _ in scored]


def _best(ids: Ids, scores: Scores, most: int) -> Hits:
    first = np.lexsort((ids, -scores))[:most]
    return Hits(ids[first].tolist(), scores[first].tolist())
