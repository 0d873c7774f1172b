"""Which channels each mode uses; what a mode does not use is not computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from post_graph_rag.errors import NoCommunities
from post_graph_rag.records import Mode
from post_graph_rag.store.search import VectorChannel, WordChannel


@dataclass(frozen=True, slots=True)
class Plan:
    """What is searched by vectors and by words, and whether a walk starts from what these found."""

    vectors: tuple[VectorChannel, ...]
    words: tuple[WordChannel, ...] = ()
    walk: bool = False

    @property
    def uses_keywords(self) -> bool:
        """Whether anything is searched that keywords are for, entities or relations."""
        return not {"entity_vector", "relation_vector"}.isdisjoint(self.vectors)


_PLANS: Mapping[Mode, Plan] = {
    "mix": Plan(
        vectors=("passage_vector", "entity_vector", "relation_vector"),
        words=("passage_text", "entity_name", "relation_text"),
        walk=True,
    ),
    "local": Plan(vectors=("entity_vector",), words=("entity_name",), walk=True),
    "naive": Plan(vectors=("passage_vector",)),
}


def plan_for(mode: Mode) -> Plan | None:
    """The channels of a mode; None for bypass, which searches nothing.

    Raises NoCommunities for the modes that answer from community reports.
    """
    if mode in ("global", "hybrid"):
        raise NoCommunities()
    return _PLANS.get(mode)
