"""What came of many questions that were asked together."""

from __future__ import annotations

from typing import Generic, TypeVar

from pydantic import ConfigDict, field_serializer

from post_graph_rag.errors import RAGError
from post_graph_rag.records.base import Record

T = TypeVar("T")


class Outcome(Record, Generic[T]):
    """What came of one of several questions: its result, or the error that it alone has failed with."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    question: str
    result: T | None = None
    error: RAGError | None = None

    @field_serializer("error", when_used="unless-none")
    def _in_words(self, error: RAGError) -> str:
        return f"{type(error).__name__}: {error}"
