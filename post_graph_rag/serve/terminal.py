"""Texts as a terminal may print them: what would move its cursor, change its state or forge a line is escaped."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_KEPT_IN_TEXT = "\n\t"


def shown(name: str) -> str:
    """A name or message, on one line."""
    return _CONTROL.sub(_escaped, name)


def shown_text(text: str) -> str:
    """A text of several lines."""
    return _CONTROL.sub(lambda match: match[0] if match[0] in _KEPT_IN_TEXT else _escaped(match), text)


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()
