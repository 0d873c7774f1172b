"""Reading dates as texts write them: the words of a date, and the span of time they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping

from post_graph_rag.civil import DAY, SECOND, days_in_month, days_of
from post_graph_rag.errors import ImpossibleDate

Span = tuple[int, int]
"""[start, end) in microseconds since 1970-01-01 UTC."""

_FIRST_YEAR, _END = -4712, days_of(294_247, 1, 2) * DAY
"""What a timestamptz and a bigint of microseconds hold: years from 4713 BC to 294246, and a moment after these."""
_LONGEST = 64

_NAMES = ["january", "february", "march", "april", "may", "june"]
_NAMES += ["july", "august", "september", "october", "november", "december"]
_MONTHS = {name[:length]: number for number, name in enumerate(_NAMES, 1) for length in (3, 9)} | {"sept": 9}

_FLAGS = re.IGNORECASE | re.ASCII
_DAY_NUMBER = r"(?P<day>\d\d?)(?:st|nd|rd|th)?"
_MONTH_NAME = r"(?P<name>[a-z]{3,9})\.?,?"
_ERA = re.compile(r"(?P<lead>A\.?D\.?\s*)?(?P<body>.*?)\s*(?P<trail>B\.?C\.?(?:E\.?)?|C\.?E\.?|A\.?D\.?)?", _FLAGS)
_FORMS = (
    re.compile(
        r"(?P<sign>[-+])?(?P<year>\d{1,6})(?:-(?P<month>\d\d?)(?:-(?P<day>\d\d?)(?:[T ] *(?P<time>\d.*))?)?)?", _FLAGS
    ),
    re.compile(rf"(?:{_DAY_NUMBER} +(?:of +)?)?{_MONTH_NAME} +(?P<year>\d{{1,4}})", _FLAGS),
    re.compile(rf"{_MONTH_NAME} +{_DAY_NUMBER},? +(?P<year>\d{{1,4}})", _FLAGS),
    re.compile(r"(?P<decade>\d{3}0)'?s", _FLAGS),
)
_TIME = re.compile(
    r"(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,](?P<fraction>\d{1,9}))?)? *(?P<zone>.*)",
    _FLAGS,
)
_ZONE = re.compile(r"(?P<sign>[-+])(?P<hours>\d\d)(?::?(?P<minutes>[0-5]\d)(?::?(?P<seconds>[0-5]\d))?)?", _FLAGS)


def read_span(text: str) -> Span:
    """The span that a written date means; `post_graph_rag.moments.Moment.parse` lists the forms.

    Raises ImpossibleDate for a text that cannot be read, a day that does not exist, a year beyond the server's.
    """
    stripped = text.strip()
    if len(stripped) > _LONGEST:
        raise _refused(text, "is too long for a date")
    parts = _ERA.fullmatch(stripped)
    body, era = (parts["body"], parts["lead"] or parts["trail"] or "") if parts else ("", "")
    for form in _FORMS:
        match = form.fullmatch(body)
        if match:
            return _held(_span(match.groupdict(), era.lower(), text), text)
    raise _refused(text, "cannot be read as a date")


def date_span(year: int, month: int | None = None, day: int | None = None) -> Span:
    """The span of a year (astronomical), of a month in it, or of a day, all of which exist."""
    if month is None:
        return days_of(year, 1, 1) * DAY, days_of(year + 1, 1, 1) * DAY
    first = days_of(year, month, day or 1)
    return first * DAY, (first + (1 if day else days_in_month(year, month))) * DAY


def _span(fields: Mapping[str, str | None], era: str, text: str) -> Span:
    decade = fields.get("decade")
    if decade:
        first = int(decade)
        return date_span(first)[0], date_span(first + 9)[1]
    year, month = _year(fields, era, text), _month(fields, text)
    day_number = fields.get("day")
    day = int(day_number) if day_number else None
    if day is not None and not (month and 1 <= day <= days_in_month(year, month)):
        raise _refused(text, "names a day that does not exist")
    span = date_span(year, month, day)
    return _time_span(span[0], fields["time"] or "", text) if fields.get("time") else span


def _held(span: Span, text: str) -> Span:
    if span[1] > _END:
        raise _refused(text, "names a year after 294246")
    return span


def _year(fields: Mapping[str, str | None], era: str, text: str) -> int:
    digits, sign = fields["year"] or "", fields.get("sign") or ""
    if (sign and era) or (not sign and not era and (len(digits) < 3 or (len(digits) > 4 and not fields.get("month")))):
        raise _refused(text, "has a year that can be read in several ways")
    year = 1 - int(digits) if sign == "-" or era.startswith("b") else int(digits)
    if int(digits) == 0 or year < _FIRST_YEAR:
        raise _refused(text, "names a year 0 or one before 4713 BC")
    return year


def _month(fields: Mapping[str, str | None], text: str) -> int | None:
    name, number = fields.get("name"), fields.get("month")
    if name is None and number is None:
        return None
    month = int(number) if number else _MONTHS.get((name or "").lower(), 0)
    if not 1 <= month <= 12:
        raise _refused(text, "names a month that does not exist")
    return month


def _time_span(midnight: int, time: str, text: str) -> Span:
    match = _TIME.fullmatch(time)
    if not match:
        raise _refused(text, "names a time of day that does not exist")
    seconds = int(match["hour"]) * 3600 + int(match["minute"]) * 60 + int(match["second"] or 0)
    start = midnight + (seconds - _offset(match["zone"], text)) * SECOND
    if match["fraction"]:
        start += int(match["fraction"].ljust(6, "0")[:6])
        return start, start + 1
    return start, start + (SECOND if match["second"] else 60 * SECOND)


def _offset(zone: str, text: str) -> int:
    """Seconds east of Greenwich; without a zone 0."""
    match = _ZONE.fullmatch(zone)
    if not match and zone not in ("", "Z", "z"):
        raise _refused(text, "has a time zone that is no offset such as +02:00")
    if not match:
        return 0
    seconds = int(match["hours"]) * 3600 + int(match["minutes"] or 0) * 60 + int(match["seconds"] or 0)
    return -seconds if match["sign"] == "-" else seconds


def _refused(text: str, why: str) -> ImpossibleDate:
    return ImpossibleDate(f"{text[:_LONGEST]!r} {why}; give ISO, partial dates allowed: 2020-05.")
