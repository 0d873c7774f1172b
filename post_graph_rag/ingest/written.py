"""What the steps of a commit hand on to one another, and to what comes after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import filterfalse

from post_graph_rag.ingest.profiles import Profile
from post_graph_rag.records import Extraction
from post_graph_rag.store.write import Posted


@dataclass(frozen=True, slots=True)
class Written:
    """What became of passages, and what people said of entities, by id.

    structure: those that got structure, with their space; closed: whose old structure ends; reopened: held again by a
    document, whose old structure holds again; retired: held by no live document any more; linked: held by one of
    `documents`; posted: words of those that are new, and of names that people gave.
    told: entities that people merged, took apart or named, with all that such a word may move; names_gone: names that
    end with it.
    """

    structure: Mapping[int, tuple[int, Extraction]]
    closed: frozenset[int] = frozenset()
    reopened: frozenset[int] = frozenset()
    retired: frozenset[int] = frozenset()
    linked: frozenset[int] = frozenset()
    documents: frozenset[int] = frozenset()
    posted: Sequence[Posted] = ()
    told: frozenset[int] = frozenset()
    names_gone: frozenset[int] = frozenset()

    @property
    def changed(self) -> frozenset[int]:
        """Passages that say something else than before."""
        return self.closed | self.reopened | self.retired | self.structure.keys()


@dataclass(frozen=True, slots=True)
class RelationText:
    """A new relation that still needs its vector."""

    id: int
    space: int
    text: str


@dataclass(slots=True)
class Committed:
    """What a commit leaves to be done after it: vectors of changed entities and new relations.

    structured: how many passages it gave structure.
    """

    entities: list[Profile] = field(default_factory=list)
    relations: list[RelationText] = field(default_factory=list)
    structured: int = 0

    @property
    def texts(self) -> list[str]:
        """What the vectors are to be made of."""
        return [*(entity.text for entity in self.entities), *(relation.text for relation in self.relations)]

    def split(
        self, entities: Callable[[Profile], bool], relations: Callable[[RelationText], bool]
    ) -> tuple[Committed, Committed]:
        """Those vectors for which these hold, and the others."""
        return (
            Committed(list(filter(entities, self.entities)), list(filter(relations, self.relations))),
            Committed(list(filterfalse(entities, self.entities)), list(filterfalse(relations, self.relations))),
        )

    @property
    def entity_ids(self) -> list[int]:
        """Whose vectors are to be made."""
        return [one.entity for one in self.entities]

    @property
    def relation_ids(self) -> list[int]:
        """The same of relations."""
        return [one.id for one in self.relations]

    @property
    def size(self) -> int:
        """How many vectors these are."""
        return len(self.entities) + len(self.relations)
