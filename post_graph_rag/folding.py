"""One canonical form of letters, for terms and for keys: what a reader takes for the same is the same."""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b

# Accents of Latin, Greek and Cyrillic, Hebrew points, Arabic vowel signs. Marks of other scripts are vowels: they stay.
_ACCENTS = re.compile(
    r"[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff]+"
)
_INVISIBLE = re.compile(r"[\x00\u00ad\u200c\u200d\u2060\ufeff\ufe00-\ufe0f\ud800-\udfff]+")
# Letters that no decomposition takes apart; after casefold.
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t"}
)
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_HASH_BYTES = 16


def visible(text: str) -> str:
    """NFKC form without characters that nobody sees and no database stores: joiners, soft hyphens, NUL, surrogates."""
    if text.isascii():
        return text.replace("\x00", "")
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))


def fold(text: str) -> str:
    """Casefolded text without accents, with plain digits; `text` is taken as `visible` gives it."""
    if text.isascii():
        return text.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold())).translate(_PLAIN)
    return _OTHER_DIGIT.sub(_plain_digit, unicodedata.normalize("NFC", bare))


def _plain_digit(digit: re.Match[str]) -> str:
    return str(unicodedata.decimal(digit[0]))


def shorten(text: str, limit: int) -> str:
    """`text` itself up to `limit` characters, else its beginning and a hash of the whole, exactly `limit` long."""
    if len(text) <= limit:
        return text
    digest = blake2b(text.encode(), digest_size=_HASH_BYTES).hexdigest()
    return f"{text[: limit - len(digest) - 1]}~{digest}"
