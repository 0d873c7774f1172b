"""The time a question asks for, and what else it restricts, as the store takes it."""

from __future__ import annotations

from datetime import date, datetime

from post_graph_rag.errors import InputError
from post_graph_rag.moments import Moment
from post_graph_rag.records import QueryParam
from post_graph_rag.retrieve.asked_within import asked_within
from post_graph_rag.store.when import When

Given = str | date | datetime


def asked_time(param: QueryParam) -> When:
    """What the parameters of time and the filters mean.

    as_of is all of the span that its date means; as_believed_at the last microsecond of it, which of a mark, and of any
    instant with a fraction of a second, is that itself. The window begins after all of observed_after and ends before
    all of observed_before.
    Raises ImpossibleDate (an InputError) for a date that does not exist or cannot be read, InputError for a window
    without a moment in it.
    """
    return When(
        mark=None if param.as_believed_at is None else _last_moment(param.as_believed_at),
        as_of=None if param.as_of is None else _span(*Moment.parse(param.as_of).span_text()),
        observed=_window(param.observed_after, param.observed_before),
        superseded=param.include_superseded,
        dormant=param.include_dormant,
        within=asked_within(param),
    )


def _last_moment(given: Given) -> str:
    end = Moment.parse(given).end
    return Moment(end - 1, end).span_text()[0]


def _window(after: Given | None, before: Given | None) -> str | None:
    first = None if after is None else Moment.parse(after)
    last = None if before is None else Moment.parse(before)
    if first and last and first.end >= last.start:
        raise InputError(
            f"nothing can be written after {after} and before {before}: let observed_after come before observed_before"
        )
    if first is None and last is None:
        return None
    return _span(first.span_text()[1] if first else None, last.span_text()[0] if last else None)


def _span(start: str | None, end: str | None) -> str:
    """A tstzrange literal; None is an open end."""
    lower = f'["{start}"' if start else "("
    upper = f'"{end}")' if end else ")"
    return f"{lower},{upper}"
