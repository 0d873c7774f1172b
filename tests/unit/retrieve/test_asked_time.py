"""What the parameters of time mean to the store."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from post_graph_rag.errors import ImpossibleDate, InputError
from post_graph_rag.records import QueryParam
from post_graph_rag.retrieve.asked_time import asked_time
from post_graph_rag.store.when import When


def test_without_parameters_of_time_the_plain_present_is_meant() -> None:
    assert asked_time(QueryParam()).plain


@pytest.mark.parametrize(
    ("given", "span"),
    [
        ("2020", '["2020-01-01 00:00:00+00","2021-01-01 00:00:00+00")'),
        ("2020-05", '["2020-05-01 00:00:00+00","2020-06-01 00:00:00+00")'),
        (date(2020, 5, 17), '["2020-05-17 00:00:00+00","2020-05-18 00:00:00+00")'),
        ("44 BC", '["0044-01-01 00:00:00+00 BC","0043-01-01 00:00:00+00 BC")'),
    ],
)
def test_as_of_is_all_of_the_span_that_a_date_means(given: Any, span: str) -> None:
    assert asked_time(QueryParam(as_of=given)) == When(as_of=span)


@pytest.mark.parametrize(
    ("given", "mark"),
    [
        ("2026-11-30T19:30:00.123456Z", "2026-11-30 19:30:00.123456+00"),
        ("2026-11-30T19:30:00.000000Z", "2026-11-30 19:30:00+00"),
        ("2026-11-30T21:30:00.123456+02:00", "2026-11-30 19:30:00.123456+00"),
        (datetime(2026, 11, 30, 19, 30, tzinfo=UTC), "2026-11-30 19:30:00+00"),
        (datetime(2026, 11, 30, 21, 30, 0, 5, timezone(timedelta(hours=2))), "2026-11-30 19:30:00.000005+00"),
    ],
)
def test_a_mark_or_an_exact_instant_is_that_moment(given: Any, mark: str) -> None:
    assert asked_time(QueryParam(as_believed_at=given)) == When(mark=mark)


@pytest.mark.parametrize(
    ("given", "mark"),
    [
        ("2026-11-30T19:30:00Z", "2026-11-30 19:30:00.999999+00"),
        ("2026-11-30T19:30Z", "2026-11-30 19:30:59.999999+00"),
        (date(2026, 11, 30), "2026-11-30 23:59:59.999999+00"),
        ("2026-11", "2026-11-30 23:59:59.999999+00"),
        ("2026", "2026-12-31 23:59:59.999999+00"),
    ],
)
def test_of_a_longer_date_the_last_microsecond_is_believed_at(given: Any, mark: str) -> None:
    assert asked_time(QueryParam(as_believed_at=given)) == When(mark=mark)


@pytest.mark.parametrize(
    ("after", "before", "window"),
    [
        ("2020", None, '["2021-01-01 00:00:00+00",)'),
        (None, "2020", '(,"2020-01-01 00:00:00+00")'),
        ("2019", "2021-05", '["2020-01-01 00:00:00+00","2021-05-01 00:00:00+00")'),
    ],
)
def test_the_window_leaves_out_all_of_both_dates(after: str | None, before: str | None, window: str) -> None:
    assert asked_time(QueryParam(observed_after=after, observed_before=before)) == When(observed=window)


@pytest.mark.parametrize(("after", "before"), [("2020", "2021"), ("2020", "2020-05"), ("2021", "2020")])
def test_a_window_without_a_moment_is_refused(after: str, before: str) -> None:
    with pytest.raises(InputError, match="observed_after"):
        asked_time(QueryParam(observed_after=after, observed_before=before))


@pytest.mark.parametrize("name", ["as_of", "as_believed_at", "observed_before", "observed_after"])
@pytest.mark.parametrize("given", ["2023-02-30", "2020-13", "soon", "", "\x00", "\ud800", "9" * 400])
def test_what_cannot_be_read_as_a_date_is_refused(name: str, given: str) -> None:
    with pytest.raises(ImpossibleDate):
        asked_time(QueryParam(**{name: given}))


def test_superseded_facts_and_dormant_entities_are_asked_for_by_name() -> None:
    assert asked_time(QueryParam(include_superseded=True, include_dormant=True)) == When(superseded=True, dormant=True)
