"""At which time, and through which documents, the record is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from post_graph_rag.store.statements import ANYWHERE


@dataclass(frozen=True, slots=True)
class When:
    """A view of the record; what is None or False does not restrict.

    mark: belief time, as a timestamptz literal; None is now.
    as_of: the span of valid time asked for, as a tstzrange literal.
    observed: the window in which sources were written, as a tstzrange literal; what has no date lies outside.
    superseded: facts that were superseded are shown too. dormant: entities that nothing mentions are shown too.
    within: what is asked of documents and of predicates, as JSON.
    """

    mark: str | None = None
    as_of: str | None = None
    observed: str | None = None
    superseded: bool = False
    dormant: bool = False
    within: str | None = None

    @property
    def plain(self) -> bool:
        """Whether all that is current now is asked for, and nothing else."""
        return self == When()

    def statement(self, search: str) -> str:
        """The name of the statement that makes this search: of now, of another time, or within some documents too."""
        if self.plain:
            return f"search_{search}"
        return f"search_timed_{search}{ANYWHERE if self.within is None else ''}"

    @property
    def values(self) -> tuple[str | None, str | None, str | None, bool, bool, str | None]:
        """What statements that look at anything else take first."""
        return self.mark, self.as_of, self.observed, self.superseded, self.dormant, self.within


NOW = When()
