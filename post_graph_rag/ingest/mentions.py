"""Names that a text may hold, found without a model: so that an extractor can be told which of them are known."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from post_graph_rag.names import name_key

_JOINED_BY = "of|de|von|and"


def mentioned_keys(text: str) -> list[str]:
    """Keys of names a text may hold, those that stand in it most often first, then by where they first stand.

    Names are runs of up to four words whose first letter is a capital, in any script that has capitals; in the others,
    runs of words.
    """
    counted = Counter(name_key(name) for name in _names().findall(text))
    return [key for key, _ in counted.most_common()]


@cache
def _names() -> re.Pattern[str]:
    capital = rf"(?<!\w)[^\W\d_{_small_letters()}][\w'&.-]*"
    return re.compile(rf"{capital}(?: (?:(?:{_JOINED_BY}) )?{capital}){{0,3}}")


@cache
def _small_letters() -> str:
    """All of them as ranges of a character class."""
    letters = [code for code in range(0x1F000) if chr(code).islower()]
    starts = [code for code in letters if not chr(code - 1).islower()]
    ends = [code for code in letters if not chr(code + 1).islower()]
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))
