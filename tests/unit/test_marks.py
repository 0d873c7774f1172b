"""Marks are moments of belief as text; places in the feed survive the way to text and back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.errors import InputError
from post_graph_rag.marks import Place, mark_of

STAMPS = st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC))
PLACES = st.one_of(
    st.builds(Place.behind, STAMPS), st.builds(Place, STAMPS, st.integers(1, 3), st.integers(1, 10**18 - 1))
)
STAMP = datetime(2026, 11, 30, 19, 30, 0, 123456, UTC)


def test_a_mark_is_iso_in_utc_with_all_six_digits() -> None:
    assert mark_of(STAMP) == "2026-11-30T19:30:00.123456Z"
    assert mark_of(STAMP.replace(microsecond=0)) == "2026-11-30T19:30:00.000000Z"


def test_a_mark_of_another_zone_is_in_utc_all_the_same() -> None:
    assert mark_of(STAMP.astimezone(timezone(timedelta(hours=5, minutes=30)))) == mark_of(STAMP)


@given(place=PLACES)
def test_a_place_is_read_back_from_its_text(place: Place) -> None:
    assert Place.read(place.text()) == place


@given(stamp=STAMPS)
def test_a_watermark_is_the_place_behind_its_moment(stamp: datetime) -> None:
    assert Place.read(mark_of(stamp)) == Place.behind(stamp)
    assert Place.read(mark_of(stamp)).known == stamp


def test_marks_sort_as_the_moments_they_are() -> None:
    moments = [STAMP + timedelta(microseconds=n) for n in (0, 1, 10, 10**6, 10**12)]
    assert sorted(map(mark_of, moments)) == [mark_of(moment) for moment in moments]


def test_inside_a_commit_what_is_known_whole_ends_before_it() -> None:
    assert Place(STAMP, 2, 7).known == STAMP - timedelta(microseconds=1)


@pytest.mark.parametrize(
    "mark",
    [
        "",
        "now",
        "2026",
        "2026-11-30",
        "2026-11-30T19:30:00Z",
        "2026-11-30T19:30:00.123456",
        "2026-11-30T19:30:00.123456+00:00",
        "2026-02-30T19:30:00.123456Z",
        "2026-11-30T25:30:00.123456Z",
        "0000-11-30T19:30:00.123456Z",
        "9999-12-31T23:59:59.999999Z",
        "2026-11-30T19:30:00.123456Z/passage/1",
        "2026-11-30T19:30:00.123456Z/entity/",
        "2026-11-30T19:30:00.123456Z/entity/-1",
        "2026-11-30T19:30:00.123456Z/entity/1\n",
        "2026-11-30T19:30:00.123456Z/entity/9999999999999999999",
        "2026-11-30T19:30:00.12345\u0666Z",
        "\x00\ud800",
    ],
)
def test_what_is_no_mark_is_refused(mark: str) -> None:
    with pytest.raises(InputError, match="is no mark"):
        Place.read(mark)
