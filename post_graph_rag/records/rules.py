"""What people say of facts that exclude one another."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from post_graph_rag.given import Given


class PredicateRule(Given):
    """Of the facts with this predicate only one holds at a time.

    per: of one "subject" (a person lives in one place), of one "object" (a company has one chief executive), or between
        one "pair" of the two.
    exclusive: a name that several predicates share of which only one holds at a time (friend of, enemy of); None is a
        group of the predicate's own.
    """

    predicate: str = Field(min_length=1)
    per: Literal["subject", "object", "pair"]
    exclusive: str | None = None
