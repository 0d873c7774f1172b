"""Questions whose answers are known, and how many of them are found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from post_graph_rag.given import Given
from post_graph_rag.records.asking import Mode
from post_graph_rag.records.base import Record


def _several(given: Any) -> Any:
    """One text may stand for a list of one."""
    return (given,) if isinstance(given, str) else given


Texts = Annotated[tuple[str, ...], BeforeValidator(_several)]


class EvalQuestion(Given):
    """A question of which is known what should be found.

    documents: keys or sources of the documents that hold the answer. answers: the right answer, in one or several
        wordings.
    """

    question: str
    documents: Texts = ()
    answers: Texts = ()


class EvalResult(Record):
    """What came of one question.

    ranks: of each of its documents, from 1, by the first of its passages; None where it was not found.
    exact, contained: whether the answer is a right one, or holds one, but for case, articles and punctuation; None
        where there is nothing to compare. error: why there is no result.
    """

    question: str
    ranks: Mapping[str, int | None] = Field(default_factory=dict)
    answer: str | None = None
    exact: bool | None = None
    contained: bool | None = None
    error: str | None = None


class EvalReport(Record):
    """What one mode finds.

    questions: how many were asked; failed: how many of them have no result, which counts as nothing found.
    searched: those with documents; recall: by k, which part of a question's documents is among the first k, on the
        average; complete: by k, the part of the questions of which all documents are.
    answered: those with right answers that were compared; exact, contained: the part of them that is right.
    seconds: wall time of all questions.
    """

    mode: Mode
    questions: int
    failed: int
    searched: int
    recall: Mapping[int, float] = Field(default_factory=dict)
    complete: Mapping[int, float] = Field(default_factory=dict)
    answered: int = 0
    exact: float | None = None
    contained: float | None = None
    seconds: float
    results: tuple[EvalResult, ...] = ()
