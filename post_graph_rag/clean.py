"""What PostgreSQL cannot hold, replaced one for one so that offsets stay true, and the hash of a text as given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b, sha256
from math import isfinite
from typing import Any

from pydantic import JsonValue

from post_graph_rag.errors import InputError

EVERY_SPACE = "*"
"""Names no space: in a question it stands for all of them."""
_MAX_SPACE = 200
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_MAX_DEPTH = 200
_MAX_BITS = 13_200
"""Of an integer: Python writes no more than 4,300 digits."""


def clean_text(text: str) -> tuple[str, int]:
    """`text` with each NUL and each lone surrogate as U+FFFD, and how many there were. The length stays."""
    return _UNSTORABLE.subn("\ufffd", text)


def clean_space(name: str) -> str:
    """A space's name as it is stored. Raises InputError for one that no space can have."""
    cleaned = clean_text(name)[0].strip()
    if not 1 <= len(cleaned) <= _MAX_SPACE or cleaned == EVERY_SPACE:
        raise InputError(f"a space's name has 1 to {_MAX_SPACE} characters, not all blank, and is not {EVERY_SPACE!r}")
    return cleaned


def clean_key(key: str) -> str | None:
    """A document's key, or a text that serves as one, as it is stored; None where nothing is left of it."""
    return clean_text(key)[0].strip() or None


def key_digest(key: str) -> bytes:
    """What a document is found by: keys may be longer than an index row."""
    return sha256(key.encode("utf-8", "surrogatepass")).digest()


def document_mark(space: str, digest: bytes) -> bytes:
    """16 bytes that stand for a document by its space and the digest of its key, where no row of it need be there."""
    return sha256(space.encode() + b"\0" + digest).digest()[:16]


def question_mark(question: str) -> bytes:
    """16 bytes that stand for a question."""
    return text_hash(question)[:16]


def clean_json(value: Any) -> tuple[JsonValue, int]:
    """A JSON value with all its strings and keys cleaned, tuples as lists, and how many characters were replaced.

    Raises InputError for what JSON does not know: NaN, infinities, keys that are no text, other types, and for
    nesting deeper than 200.
    """
    return _clean(value, _MAX_DEPTH)


def text_hash(text: str) -> bytes:
    """32 bytes that stand for exactly this text, as it was given: before any cleaning."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).digest()


def _clean(value: Any, depth: int) -> tuple[JsonValue, int]:
    if depth == 0:
        raise InputError(f"Metadata is nested deeper than {_MAX_DEPTH} levels; flatten it.")
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        return _clean_mapping(value, depth - 1)
    if isinstance(value, (list, tuple)):
        items = [_clean(item, depth - 1) for item in value]
        return [item for item, _ in items], sum(count for _, count in items)
    return _scalar(value), 0


def _clean_mapping(value: Mapping[Any, Any], depth: int) -> tuple[JsonValue, int]:
    cleaned: dict[str, JsonValue] = {}
    replaced = 0
    for key, item in value.items():
        if not isinstance(key, str):
            raise InputError(f"Metadata keys must be text, not {type(key).__name__}.")
        name, in_key = clean_text(key)
        cleaned[name], in_item = _clean(item, depth)
        replaced += in_key + in_item
    return cleaned, replaced


def _scalar(value: Any) -> JsonValue:
    if isinstance(value, float) and not isfinite(value):
        raise InputError("Metadata holds NaN or an infinity, which JSON cannot; use null or text.")
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise InputError("Metadata holds a number of more than 4,000 digits; give it as text.")
    if value is None or isinstance(value, (bool, int, float)):
        return value
    raise InputError(f"Metadata holds a {type(value).__name__}, which JSON does not know; give it as text.")
