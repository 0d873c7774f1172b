"""At which time, and through which documents, the record is looked at."""

from __future__ import annotations

from dataclasses import dataclass


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

    @property
    def values(self) -> tuple[str | None, str | None, str | None, bool, bool, str | None]:
        """What statements that look at anything else take first."""
        return self.mark, self.as_of, self.observed, self.superseded, self.dormant, self.within


NOW = When()
