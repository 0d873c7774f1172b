"""Arithmetic of the proleptic Gregorian calendar without limits on the year.

Years are astronomical: 0 is 1 BC. Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013.
"""

from __future__ import annotations

SECOND = 1_000_000
"""Microseconds."""
DAY = 86_400 * SECOND

_ERA_DAYS = 146_097
"""Days in 400 years."""
_EPOCH = 719_468
"""Days from 0000-03-01 to 1970-01-01."""


def days_of(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a date that exists."""
    year -= month <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * _ERA_DAYS + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - _EPOCH


def date_of(days: int) -> tuple[int, int, int]:
    """Year, month and day that lie `days` after 1970-01-01."""
    era, day_of_era = divmod(days + _EPOCH, _ERA_DAYS)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = (shifted + 2) % 12 + 1
    return era * 400 + year_of_era + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1


def days_in_month(year: int, month: int) -> int:
    """How many days a month has; `month` from 1 to 12."""
    return days_of(year + month // 12, month % 12 + 1, 1) - days_of(year, month, 1)
