"""Moments: the spans of time that dates mean, past the limits of datetime, and periods between two of them.

Spans are kept in microseconds since 1970-01-01 UTC (proleptic Gregorian) and cross the driver as text. Years before
our era are written as texts write them: "-0044" and "44 BC" are one year, and there is no year 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from post_graph_rag.civil import DAY, SECOND, date_of, days_in_month
from post_graph_rag.datetexts import date_span, read_span
from post_graph_rag.errors import ImpossibleDate

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNKNOWN = frozenset(("", "-", "?", "n/a", "na", "none", "null", "unknown", "unspecified", "not stated"))
_STILL = frozenset(("present", "now", "today", "current", "currently", "ongoing", "to date"))
_INFINITE = frozenset((None, "", "infinity", "-infinity"))


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """The span [start, end) that a date means, in microseconds since 1970-01-01 UTC; ordered by start, then end."""

    start: int
    end: int

    @classmethod
    def parse(cls, value: str | date | datetime) -> Moment:
        """Read a date.

        value: ISO of any precision ("2020", "2020-05", "2020-05-17T10:00:00+02:00"; without a zone it is UTC), a year
            with BC, BCE, AD or CE, a decade ("1990s"), English month names ("March 2011", "12 March 2011"), what
            PostgreSQL prints for a timestamptz, or a date or datetime object.
        Raises ImpossibleDate (an InputError and a ValueError) for anything else and for days that do not exist.
        """
        if isinstance(value, datetime):
            aware = value if value.tzinfo else value.replace(tzinfo=UTC)
            start = (aware - _EPOCH) // timedelta(microseconds=1)
            return cls(start, start + 1)
        if isinstance(value, date):
            return cls(*date_span(value.year, value.month, value.day))
        if not isinstance(value, str):
            raise ImpossibleDate(
                f"{value!r} is no date: give a text such as '2020' or '2020-05-17', a date or a datetime."
            )
        return cls(*read_span(value))

    def span_text(self) -> tuple[str, str]:
        """Start and end as timestamptz literals in UTC: '0044-03-15 00:00:00+00 BC'."""
        return _literal(self.start), _literal(self.end)

    def iso(self) -> str:
        """The ISO date or instant, as short as exact; of a span that no single ISO date means, its start."""
        civil = date_of(self.start // DAY)
        for precision in (1, 2, 3):
            if date_span(*civil[:precision]) == (self.start, self.end):
                return _date(*civil[:precision])
        return _instant(self.start)


@lru_cache(maxsize=1 << 12)  # the same dates are read by gates, rows and all passages that state them
def period(valid_from: str | None, valid_to: str | None) -> str | None:
    """The stretch between two stated dates as a tstzrange literal; the end is meant inclusively ("2005": through 2005).

    None, blank, "unknown" and the like are open ends, for `valid_to` also "present" and the like; None if both are.
    Raises ImpossibleDate for a date that cannot be read and for an end before the start.
    """
    first, last = _stated(valid_from, _UNKNOWN), _stated(valid_to, _UNKNOWN | _STILL)
    if first is None and last is None:
        return None
    if first and last and first.start >= last.end:
        raise ImpossibleDate(f"A period cannot begin with {valid_from!r} and end with {valid_to!r}.")
    lower = f'["{_literal(first.start)}"' if first else "("
    upper = f'"{_literal(last.end)}")' if last else ")"
    return f"{lower},{upper}"


def period_dates(lower: str | None, upper: str | None) -> tuple[str | None, str | None]:
    """The bounds of a tstzrange, as PostgreSQL prints them, as ISO dates as short as exact; the end inclusive.

    "2001-01-01 00:00:00+00" and "2006-01-01 00:00:00+00" read "2001" and "2005"; None and infinities are open ends.
    """
    start = None if lower is None or lower in _INFINITE else _first_date(Moment.parse(lower).start)
    end = None if upper is None or upper in _INFINITE else _last_date(Moment.parse(upper).start)
    return start, end


def _stated(text: str | None, open_words: frozenset[str]) -> Moment | None:
    return None if text is None or text.strip().lower() in open_words else Moment.parse(text)


def _first_date(start: int) -> str:
    """The shortest date whose span starts here."""
    days, rest = divmod(start, DAY)
    if rest:
        return _instant(start)
    year, month, day = date_of(days)
    if day > 1:
        return _date(year, month, day)
    return _date(year, month) if month > 1 else _date(year)


def _last_date(end: int) -> str:
    """The shortest date whose span ends here."""
    if end % DAY:
        return _instant(end - (1 if end % SECOND else SECOND), exact=end % SECOND != 0)
    year, month, day = date_of(end // DAY - 1)
    if day < days_in_month(year, month):
        return _date(year, month, day)
    return _date(year, month) if month < 12 else _date(year)


def _date(year: int, *parts: int) -> str:
    sign, number = ("-", 1 - year) if year < 1 else ("+" if year > 9999 else "", year)
    return "-".join([f"{sign}{number:04}", *(f"{part:02}" for part in parts)])


def _instant(moment: int, exact: bool = False) -> str:
    days, rest = divmod(moment, DAY)
    return f"{_date(*date_of(days))}T{_clock(rest, exact)}Z"


def _literal(moment: int) -> str:
    days, rest = divmod(moment, DAY)
    year, month, day = date_of(days)
    era, number = (" BC", 1 - year) if year < 1 else ("", year)
    return f"{number:04}-{month:02}-{day:02} {_clock(rest)}+00{era}"


def _clock(rest: int, exact: bool = False) -> str:
    seconds, fraction = divmod(rest, SECOND)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{clock}.{fraction:06}" if fraction or exact else clock
