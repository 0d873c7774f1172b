"""How facts and passages are written for a model.

What sources say is data. Each passage stands between marks that it cannot hold itself, so nothing in it can end it or
pass for a source of its own; facts and titles are put on one line and lose brackets that look like a reference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from post_graph_rag.models.prompts import fenced
from post_graph_rag.names import predicate_words
from post_graph_rag.records import PassageHit, Period, RelationHit

_TITLE = 160
_FACT = 600
_REFERENCE_LIKE = re.compile(r"\[(\s*\d[\d\s,;]*)\]")


def fact_line(relation: RelationHit, numbers: Sequence[int]) -> str:
    """One fact with its dates and the numbers of its sources; a sentence that says only "she" gets the names."""
    text = relation.fact if relation.fact.strip() else _triple(relation)
    if not (relation.subject in text and relation.object in text):
        text = f"{_triple(relation)}: {text}"
    notes = [*(["denied"] if relation.negated else []), *filter(None, map(period_words, relation.periods))]
    marks = "".join(f"[{number}]" for number in numbers)
    return " ".join(filter(None, ["-", one_line(text, _FACT), f"({'; '.join(notes)})" if notes else "", marks]))


def period_words(period: Period) -> str:
    """A period in words; nothing for one without stated dates."""
    if period.start and period.start == period.end:
        return period.start
    first = f"from {period.start}" if period.start else ""
    last = f"until {period.end}" if period.end else ""
    return " ".join(filter(None, [first, last])) if period.dated else ""


def passage_header(hit: PassageHit) -> str:
    """Where a passage stands, on one line."""
    source = hit.sources[0]
    named = dict.fromkeys(filter(None, [source.title, source.source or source.document, hit.observed_at]))
    return ", ".join(one_line(part, _TITLE) for part in named)


def passage_block(number: int, header: str, text: str) -> str:
    """A numbered passage between marks of its own."""
    return f"[{number}] {header}\n{fenced('passage', text)}"


def one_line(text: str, most: int) -> str:
    """`text` on one line of at most `most` characters, without anything that looks like a reference."""
    line = " ".join(_REFERENCE_LIKE.sub(r"(\1)", text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _triple(relation: RelationHit) -> str:
    return f"{relation.subject} {predicate_words(relation.predicate)} {relation.object}"
