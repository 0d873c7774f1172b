"""What follows when all documents are committed: it may fail, but not take the reports with it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from post_graph_rag.errors import RAGError
from post_graph_rag.records import DocumentReport

logger = logging.getLogger("post_graph_rag")


class Afterwards:
    """Steps after the last commit; each fails for itself, and what failed is logged and told beside the reports."""

    def __init__(self) -> None:
        self._errors: list[str] = []

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """One step; `name` says in words what is left undone when it fails."""
        try:
            yield
        except RAGError as error:
            self._errors.append(f"{name}: {type(error).__name__}: {error}")
            logger.warning("documents are indexed, but not: %s", self._errors[-1])

    def failed(self, name: str, errors: Iterable[str]) -> None:
        """Of a step that went on all the same: what it had to leave, and why."""
        self._errors += [f"{name}: {error}" for error in errors]

    def told(self, reports: Sequence[DocumentReport]) -> list[DocumentReport]:
        """The reports; the first carries the errors, so that each is told once."""
        if not (reports and self._errors):
            return list(reports)
        first = reports[0].model_copy(update={"errors": (*reports[0].errors, *self._errors)})
        return [first, *reports[1:]]
