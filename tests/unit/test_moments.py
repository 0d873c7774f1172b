"""Dates mean spans; periods and dates go to the server and back without loss."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.errors import ImpossibleDate, InputError
from post_graph_rag.moments import Moment, period, period_dates
from post_graph_rag.records import Document, QueryParam

DATES = st.dates().map(date.isoformat)
PARTIAL = st.builds(lambda day, length: day[:length], DATES, st.sampled_from([4, 7, 10]))
INSTANTS = st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat)
ANCIENT = st.integers(1, 4713).map(lambda year: f"-{year:04}")


@pytest.mark.parametrize(
    ("stated", "start", "end"),
    [
        ("2020", "2020-01-01 00:00:00+00", "2021-01-01 00:00:00+00"),
        ("2020-02", "2020-02-01 00:00:00+00", "2020-03-01 00:00:00+00"),
        ("2020-12-31", "2020-12-31 00:00:00+00", "2021-01-01 00:00:00+00"),
        ("2020-05-17T10:00:00+02:00", "2020-05-17 08:00:00+00", "2020-05-17 08:00:01+00"),
        ("2020-05-17T10:00", "2020-05-17 10:00:00+00", "2020-05-17 10:01:00+00"),
        ("2020-05-17T10:00:00.25Z", "2020-05-17 10:00:00.250000+00", "2020-05-17 10:00:00.250001+00"),
        ("2020-01-01T00:30:00+01:00", "2019-12-31 23:30:00+00", "2019-12-31 23:30:01+00"),
        ("-0044-03-15", "0044-03-15 00:00:00+00 BC", "0044-03-16 00:00:00+00 BC"),
        ("44 BC", "0044-01-01 00:00:00+00 BC", "0043-01-01 00:00:00+00 BC"),
        ("44 B.C.E.", "0044-01-01 00:00:00+00 BC", "0043-01-01 00:00:00+00 BC"),
        ("1 BC", "0001-01-01 00:00:00+00 BC", "0001-01-01 00:00:00+00"),
        ("AD 44", "0044-01-01 00:00:00+00", "0045-01-01 00:00:00+00"),
        ("476", "0476-01-01 00:00:00+00", "0477-01-01 00:00:00+00"),
        ("1990s", "1990-01-01 00:00:00+00", "2000-01-01 00:00:00+00"),
        ("March 2011", "2011-03-01 00:00:00+00", "2011-04-01 00:00:00+00"),
        ("12 March 2011", "2011-03-12 00:00:00+00", "2011-03-13 00:00:00+00"),
        ("12th of Sept. 2011", "2011-09-12 00:00:00+00", "2011-09-13 00:00:00+00"),
        ("March 12, 2011", "2011-03-12 00:00:00+00", "2011-03-13 00:00:00+00"),
        ("15 March 44 BC", "0044-03-15 00:00:00+00 BC", "0044-03-16 00:00:00+00 BC"),
        ("+12020", "12020-01-01 00:00:00+00", "12021-01-01 00:00:00+00"),
        ("12020-01-01 00:00:00+00", "12020-01-01 00:00:00+00", "12020-01-01 00:00:01+00"),
        ("1850-01-01 00:53:28+00:53:28", "1850-01-01 00:00:00+00", "1850-01-01 00:00:01+00"),
    ],
)
def test_a_date_means_the_whole_span_of_its_words(stated: str, start: str, end: str) -> None:
    assert Moment.parse(stated).span_text() == (start, end)


@pytest.mark.parametrize(
    "stated",
    [
        "2020-13",
        "2020-00",
        "2021-02-29",
        "1900-02-29",
        "2020-04-31",
        "2020-01-00",
        "0000",
        "32 May 2020",
        "May 32, 2020",
        "2020-05-17T24:01",
        "2020-05-17T10:61",
        "2020-05-17T10:00 CET",
        "5000 BC",
        "400000-01-01",
        "Smarch 2011",
        "c. 1850",
        "17/05/2020",
        "44",
        "March 12",
        "-44 BC",
        "20200517",
        "yesterday",
        "",
        " ",
        "x" * 10000,
        "2020\x00",
    ],
)
def test_a_date_that_does_not_exist_or_can_be_read_in_several_ways_is_refused(stated: str) -> None:
    with pytest.raises(ImpossibleDate):
        Moment.parse(stated)


def test_a_text_too_long_for_a_date_is_refused() -> None:
    with pytest.raises(ImpossibleDate, match="too long"):
        Moment.parse("2020" + " " * 1_000_000 + "BC")


def test_a_refusal_is_an_input_error_and_a_value_error() -> None:
    assert issubclass(ImpossibleDate, InputError)
    assert issubclass(ImpossibleDate, ValueError)


def test_a_date_object_means_its_day() -> None:
    assert Moment.parse(date(2020, 1, 1)) == Moment.parse("2020-01-01")


def test_a_datetime_without_a_zone_is_utc() -> None:
    assert Moment.parse(datetime(2020, 1, 1, 12)) == Moment.parse(datetime(2020, 1, 1, 12, tzinfo=UTC))


def test_a_datetime_with_a_zone_is_that_instant() -> None:
    zoned = datetime(2020, 1, 1, 1, tzinfo=timezone(timedelta(hours=2)))
    assert Moment.parse(zoned).span_text()[0] == "2019-12-31 23:00:00+00"


def test_no_date_is_later_than_what_a_number_of_microseconds_holds() -> None:
    assert Moment.parse("+294246-12-31").end < 1 << 63
    assert period_dates(None, Moment.parse("+294246").span_text()[1]) == (None, "+294246")
    with pytest.raises(ImpossibleDate):
        Moment.parse("+294247")


@pytest.mark.parametrize("number", [2020, 2020.5, True])
def test_a_number_is_no_date(number: Any) -> None:
    with pytest.raises(ImpossibleDate, match="2020-05-17"):
        Moment.parse(number)
    with pytest.raises(InputError, match="as_of"):
        QueryParam(as_of=number)
    with pytest.raises(InputError, match="observed_at"):
        Document(text="Ada led Acme.", observed_at=number)


def test_moments_are_ordered_by_time_across_the_era() -> None:
    stated = ["2020", "-0044", "+294246", "0044-01-01", "-4713", "2019-12-31"]
    assert sorted(stated, key=Moment.parse) == ["-4713", "-0044", "0044-01-01", "2019-12-31", "2020", "+294246"]


@given(st.dates())
def test_days_are_counted_as_datetime_counts_them(day: date) -> None:
    assert Moment.parse(day).start == (day - date(1970, 1, 1)).days * 86_400_000_000


@given(st.one_of(PARTIAL, INSTANTS, ANCIENT))
def test_iso_text_reads_back_as_the_same_moment(stated: str) -> None:
    moment = Moment.parse(stated)
    assert Moment.parse(moment.iso()).start == moment.start


@given(PARTIAL)
def test_iso_text_of_a_partial_date_is_that_date(stated: str) -> None:
    assert Moment.parse(stated).iso() == stated


@given(st.one_of(PARTIAL, INSTANTS, ANCIENT))
def test_literals_read_back_as_the_same_instants(stated: str) -> None:
    moment = Moment.parse(stated)
    assert tuple(Moment.parse(text).start for text in moment.span_text()) == (moment.start, moment.end)


@pytest.mark.parametrize(
    ("valid_from", "valid_to", "expected"),
    [
        ("2001", "2005", '["2001-01-01 00:00:00+00","2006-01-01 00:00:00+00")'),
        (None, "2005", '(,"2006-01-01 00:00:00+00")'),
        ("2001", None, '["2001-01-01 00:00:00+00",)'),
        ("2001", "present", '["2001-01-01 00:00:00+00",)'),
        ("2005", "2005", '["2005-01-01 00:00:00+00","2006-01-01 00:00:00+00")'),
        ("2005-06", "2005", '["2005-06-01 00:00:00+00","2006-01-01 00:00:00+00")'),
        ("44 BC", "AD 14", '["0044-01-01 00:00:00+00 BC","0015-01-01 00:00:00+00")'),
        (None, None, None),
        ("unknown", " ", None),
    ],
)
def test_a_period_goes_through_the_whole_of_its_end(
    valid_from: str | None, valid_to: str | None, expected: str | None
) -> None:
    assert period(valid_from, valid_to) == expected


@pytest.mark.parametrize(("valid_from", "valid_to"), [("2006", "2005"), ("2005-02", "2005-01-31"), ("present", "2005")])
def test_a_period_that_ends_before_it_begins_is_refused(valid_from: str, valid_to: str) -> None:
    with pytest.raises(ImpossibleDate):
        period(valid_from, valid_to)


@pytest.mark.parametrize(
    ("lower", "upper", "dates"),
    [
        ("2001-01-01 00:00:00+00", "2006-01-01 00:00:00+00", ("2001", "2005")),
        ("2001-03-01 00:00:00+00", "2005-04-01 00:00:00+00", ("2001-03", "2005-03")),
        ("2001-03-05 00:00:00+00", "2005-04-02 00:00:00+00", ("2001-03-05", "2005-04-01")),
        ("2001-03-05 10:00:00+02", "2005-04-02 10:00:00+00", ("2001-03-05T08:00:00Z", "2005-04-02T09:59:59Z")),
        ("0044-03-15 00:00:00+00 BC", "0043-01-01 00:00:00+00 BC", ("-0044-03-15", "-0044")),
        (None, "infinity", (None, None)),
    ],
)
def test_bounds_of_a_period_read_as_the_shortest_exact_dates(
    lower: str | None, upper: str | None, dates: tuple[str | None, str | None]
) -> None:
    assert period_dates(lower, upper) == dates


@given(st.one_of(st.none(), PARTIAL, INSTANTS, ANCIENT), st.one_of(st.none(), PARTIAL, INSTANTS, ANCIENT))
def test_dates_of_a_period_make_the_same_period_again(valid_from: str | None, valid_to: str | None) -> None:
    try:
        stored = period(valid_from, valid_to)
    except ImpossibleDate:
        return
    lower, upper = stored[1:-1].replace('"', "").split(",") if stored else (None, None)
    assert period(*period_dates(lower, upper)) == stored
