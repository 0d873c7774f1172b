"""What channels search: words, vectors, and what of them is current."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from post_graph_rag.store.database import Session
from post_graph_rag.store.rows import as_vectors

PASSAGE, NAME, RELATION = 1, 2, 3
"""Kinds of words."""
_MOST = 32767
"""The frequency of a term is a smallint."""


@dataclass(frozen=True, slots=True)
class Posted:
    """The words of one thing: how often each term stands in it."""

    kind: int
    space: int
    id: int
    terms: Mapping[str, int]


async def put_postings(session: Session, posted: Sequence[Posted], replaced: Sequence[tuple[int, int]]) -> None:
    """Write words, after taking away those of (kind, id) pairs that are replaced."""
    # No term holds a line's end; one by one they would cost the driver more than all other rows of a commit.
    await session.run(
        "put_postings",
        [item.kind for item in posted],
        [item.space for item in posted],
        [item.id for item in posted],
        [sum(item.terms.values()) for item in posted],
        ["\n".join(item.terms) for item in posted],
        ["\n".join(str(min(frequency, _MOST)) for frequency in item.terms.values()) for item in posted],
        [kind for kind, _ in replaced],
        [id for _, id in replaced],
    )


async def put_passage_vectors(
    session: Session, ids: Sequence[int], spaces: Sequence[int], vectors: Sequence[NDArray[np.float32]]
) -> None:
    """Vectors of new passages."""
    await session.run("put_passage_vectors", ids, spaces, as_vectors(vectors))


async def put_entity_vectors(
    session: Session,
    ids: Sequence[int],
    spaces: Sequence[int],
    vectors: Sequence[str],
    digests: Sequence[str],
) -> None:
    """Vectors of entities, as `as_vectors` writes them, made from profiles with these digests."""
    await session.run("put_entity_vectors", ids, spaces, vectors, digests)


async def put_relation_vectors(
    session: Session, ids: Sequence[int], spaces: Sequence[int], vectors: Sequence[str]
) -> None:
    """Vectors of relations, as `as_vectors` writes them."""
    await session.run("put_relation_vectors", ids, spaces, vectors)


@dataclass(frozen=True, slots=True)
class Findable:
    """Ids of what comes into search and of what goes."""

    passages: frozenset[int] = frozenset()
    no_passages: frozenset[int] = frozenset()
    entities: frozenset[int] = frozenset()
    no_entities: frozenset[int] = frozenset()
    relations: frozenset[int] = frozenset()
    no_relations: frozenset[int] = frozenset()
    no_names: frozenset[int] = frozenset()


async def set_current(session: Session, findable: Findable) -> None:
    """Let channels find what is current, and nothing else."""
    await session.run(
        "set_current",
        *(
            sorted(ids)
            for ids in (
                findable.passages,
                findable.no_passages,
                findable.entities,
                findable.no_entities,
                findable.relations,
                findable.no_relations,
                findable.no_names,
            )
        ),
    )
