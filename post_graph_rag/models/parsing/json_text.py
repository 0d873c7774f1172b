"""Finding JSON in what a model wrote: between prose, in fences, broken off or broken in the middle."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

OPENING = re.compile(r"[{\[]")
TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]', re.DOTALL)
BAD_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|)')
# A string, or a comma that nothing follows; an open string runs to the end, so that the text is read once.
LAST_COMMA = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*(?:"|\Z))|,(?=\s*[}\]])', re.DOTALL)
CLOSERS = {"{": "}", "[": "]"}
# Each failure may read the text to its end; this many make even a hostile reply cheap.
MOST_FAILURES = 200

decoder = json.JSONDecoder(strict=False)


def json_values(text: str, repairs: Counter[str]) -> list[Any]:
    """All JSON values (objects and arrays) in `text`, in order; of a broken one, what is whole before the break.

    An empty one behind a broken object is a part of that, and no answer that there is nothing.

    repairs: counts "fenced", "prose", "escapes", "commas" and "truncated".
    """
    text = _mend_commas(_mend_escapes(text, repairs), repairs)
    values: list[Any] = []
    outside: list[str] = []
    position = failures = 0
    broken = False
    while failures < MOST_FAILURES and (opening := OPENING.search(text, position)):
        outside.append(text[position : opening.start()])
        value, position, whole = _decode(text, opening.start())
        failures += not whole
        broken = broken or (not whole and opening.group() == "{")
        if value or (value is not None and not broken):
            values.append(value)
            repairs["truncated"] += not whole
    outside.append(text[position:])
    _count_wrapping("".join(outside), values, repairs)
    return values


def _decode(text: str, start: int) -> tuple[Any, int, bool]:
    """The value at `start` or its whole part, where to read on, and whether it was whole."""
    try:
        value, end = decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return _whole_part(text[start : error.pos]), max(error.pos, start + 1), False
    except (RecursionError, ValueError):  # nested without end, or a number of thousands of digits
        return None, start + 1, False
    return value, end, True


def _whole_part(broken: str) -> Any:
    """What can be kept of a value that breaks off: everything up to the last whole member of a list."""
    stack: list[str] = []
    kept, open_then = 0, ""
    for token in TOKEN.finditer(broken):
        mark = token.group()
        if mark in CLOSERS:
            stack.append(mark)
            continue
        if mark in "}]" and (not stack or CLOSERS[stack.pop()] != mark):
            break
        if stack and stack[-1] == "[":
            kept, open_then = token.end(), "".join(stack)
    return _close(broken[:kept], open_then)


def _close(text: str, open_then: str) -> Any:
    closed = text + "".join(CLOSERS[mark] for mark in reversed(open_then))
    try:
        return decoder.decode(closed) if text else None
    except (RecursionError, ValueError):
        return None


def _mend_escapes(text: str, repairs: Counter[str]) -> str:
    """Double the backslashes that begin no JSON escape, as in "\\alpha"."""
    if "\\" not in text:
        return text
    mended = BAD_ESCAPE.sub(lambda found: found.group() if found.group(1) else "\\\\", text)
    repairs["escapes"] += mended != text
    return mended


def _mend_commas(text: str, repairs: Counter[str]) -> str:
    """Leave out commas behind the last member of a list or an object."""
    mended = LAST_COMMA.sub(lambda found: found[1] or "", text)
    repairs["commas"] += mended != text
    return mended


def _count_wrapping(outside: str, values: list[Any], repairs: Counter[str]) -> None:
    if not values:
        return
    bare = re.sub(r"```\w*", "", outside)
    repairs["fenced"] += bare != outside
    repairs["prose"] += bool(re.search(r"\w", bare))
