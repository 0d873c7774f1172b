"""An extractor of the caller's own: a function that finds the entities and relations of a passage."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from pydantic_core import to_jsonable_python

from post_graph_rag.calling import Outcome, tried
from post_graph_rag.clean import clean_text
from post_graph_rag.errors import ExtractionError, InputError
from post_graph_rag.models.limits import Slots
from post_graph_rag.models.parsing import parse_extraction
from post_graph_rag.models.protocols import ChatReply
from post_graph_rag.records import DocumentContext, Extraction

ExtractionMode: TypeAlias = Literal["replace", "merge"]
OwnFindings: TypeAlias = Extraction | Mapping[str, Any] | Sequence[Any] | str | None
ExtractionFn: TypeAlias = Callable[[str, DocumentContext], OwnFindings | Awaitable[OwnFindings]]
"""Given a passage and what is known of its document; sync (called in a thread) or async.

Gives an Extraction, a mapping with "entities" and "relations", triples (subject, predicate, object), or a text that a
model wrote. In whatever form, it is read as a model's reply is.
"""


_WANTED = "Extraction, mapping with entities and relations, or list of triples (subject, predicate, object)"


class Callback:
    """The caller's function, so many calls at once.

    mode: "replace": in place of a model; "merge": beside what the extraction model finds.
    version: what it finds is kept under this, and not asked for again until it changes; None: nothing is kept.
    most: calls under way at once.
    Raises InputError for something that cannot be called, and for another mode.
    """

    def __init__(self, function: ExtractionFn, mode: ExtractionMode, version: str | None, most: int) -> None:
        if not callable(function):
            raise InputError("extraction_fn must be a function of a passage's text and its context")
        if mode not in get_args(ExtractionMode):
            raise InputError(f"extraction_mode is {mode!r}: it is one of {get_args(ExtractionMode)}")
        self._function = function
        self._slots = Slots(most)
        self.replaces = mode == "replace"
        self.keeps = version is not None
        self.name = _name(function, version)

    async def reply(self, text: str, context: DocumentContext) -> ChatReply:
        """What it finds, written as a model's reply. Raises ExtractionError when it fails, or gives something else."""
        async with self._slots.here():
            given = await tried(self._function, text, context)
            # Written apart, since a generator runs, and may fail, only then.
            written = given if given.error is not None else await tried(_written, given.value)
        if written.error is not None:
            raise ExtractionError(_failure(given, written)) from written.error
        return ChatReply(clean_text(written.value)[0], self.name)


def read(text: str) -> tuple[Extraction, Counter[str]]:
    """What stands in such a reply, as `parse_extraction` reads it. Raises ExtractionError where nothing does."""
    try:
        return parse_extraction(text)
    except ExtractionError as error:
        raise ExtractionError(f"extraction_fn gave {len(text)} characters that are no {_WANTED}") from error


def _name(function: Any, version: str | None) -> str:
    """What it goes by in the record."""
    kind = function if hasattr(function, "__qualname__") else type(function)
    return clean_text(f"{kind.__module__}.{kind.__qualname__}{f' {version}' if version else ''}")[0]


def _written(found: Any) -> str:
    """What it gave, as a model would write it. Raises ValueError for what cannot be written, and its own errors."""
    if isinstance(found, str) and found.strip():
        return found
    plain = to_jsonable_python(found or {}, fallback=_number)
    triples = isinstance(plain, list) and all(isinstance(item, list) for item in plain)
    return json.dumps({"relations": plain} if triples else plain, ensure_ascii=False)


def _failure(given: Outcome, written: Outcome) -> str:
    """What went wrong with the function, or with writing down what it gave."""
    if isinstance(written.error, ValueError) and given.error is None:
        return f"extraction_fn gave {type(given.value).__name__} that is no {_WANTED}"
    return f"extraction_fn failed with {written.said}"


def _number(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise ValueError(f"{type(value).__name__} is no value that can be written down")
