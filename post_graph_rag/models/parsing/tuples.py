"""Replies in the tuple format of the GraphRAG prompt family: ("entity"<|>NAME<|>TYPE<|>DESCRIPTION)##…

Written down in microsoft/graphrag's extraction prompt and taken over by nano-graphrag and LightRAG.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest

# Models drop the first bracket of a delimiter, number the records, and write curly quotes.
DELIMITER = re.compile(r"<?\|(?:#\|)?>")
START = re.compile(
    r"(\()?[ \t]{0,8}[\"“”'`]?(entity|relationship|relation)[\"“”'`]?[ \t]{0,8}(?=<?\|(?:#\|)?>)", re.IGNORECASE
)
JSON = re.compile(r"\s*(?:```\w*\s*)?[{\[]")
END = re.compile(r"<\|complete\|>", re.IGNORECASE)
CLOSING = re.compile(r"\)[ \t]*(?=##|\n|$|```)")
LINE_END = re.compile(r"##|\n|$")
QUOTES = "\"“”'`"


@dataclass(frozen=True, slots=True)
class TupleRecord:
    """One record: "entity" or "relation", and its fields without quotes."""

    kind: str
    fields: tuple[str, ...]


def is_tuple_reply(text: str) -> bool:
    """Whether the reply is in this format, be it an empty one; JSON that quotes it is not."""
    if JSON.match(text):
        return False
    return START.search(text) is not None or END.search(text) is not None


def tuple_records(text: str, repairs: Counter[str]) -> list[TupleRecord]:
    """The whole records of a reply; counts "truncated" for those that break off."""
    text = END.sub("\n", text)
    starts = list(START.finditer(text))
    records = []
    for start, following in zip_longest(starts, starts[1:]):
        end = following.start() if following else len(text)
        body = _body(text[start.end() : end], parenthesised=bool(start.group(1)))
        if body is None:
            repairs["truncated"] += 1
        else:
            records.append(TupleRecord("entity" if start.group(2).lower() == "entity" else "relation", _fields(body)))
    return records


def _body(text: str, *, parenthesised: bool) -> str | None:
    closing = (CLOSING if parenthesised else LINE_END).search(text)
    return text[: closing.start()] if closing else None


def _fields(body: str) -> tuple[str, ...]:
    return tuple(field.strip().strip(QUOTES).strip() for field in DELIMITER.split(body)[1:])
