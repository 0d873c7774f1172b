"""How facts and passages are written for a model.

What sources say is data. Each passage stands between marks that it cannot hold itself, so nothing in it can end it or
pass for a source of its own; facts and titles are put on one line and lose brackets that look like a reference.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from post_graph_rag.models.prompts import fenced
from post_graph_rag.names import predicate_words
from post_graph_rag.records import Cause, PassageHit, Period, RelationHit

_TITLE = 160
_FACT = 600
_REASON = 160
_CLOSED: Mapping[Cause, str] = {
    "superseded": "superseded",
    "denied": "denied later",
    "verdict": "superseded, says a model",
    "override": "closed by a person",
}
_RETRACTED = "retracted by a person"
_REFERENCE_LIKE = re.compile(r"\[(\s*\d[\d\s,;]*)\]")


def fact_line(relation: RelationHit, numbers: Sequence[int], *, dates_asked: bool = False) -> str:
    """One fact with its dates and the numbers of its sources; a sentence that says only "she" gets the names.

    dates_asked: facts of some date were asked for, so one that states none says so.
    """
    text = relation.fact if relation.fact.strip() else _triple(relation)
    if not (relation.subject in text and relation.object in text):
        text = f"{_triple(relation)}: {text}"
    told = [period_words(period, dates_asked=dates_asked) for period in relation.periods]
    notes = [*(["denied"] if relation.negated else []), *filter(None, told)]
    marks = "".join(f"[{number}]" for number in numbers)
    return " ".join(filter(None, ["-", one_line(text, _FACT), f"({'; '.join(notes)})" if notes else "", marks]))


def period_words(period: Period, *, dates_asked: bool = False) -> str:
    """A period in words, and what closed it.

    A period without stated dates has none to tell, unless something closed it; with dates_asked it is called undated.
    """
    undated = "undated" if dates_asked and not period.dated else ""
    told = _dates(period) if period.dated or period.closed_by else ""
    return ", ".join(filter(None, [undated, told, _closing_words(period)]))


def undated_note(relations: Sequence[RelationHit]) -> str:
    """How many of the facts match any date that is asked for, since nobody dates them; empty when all are dated."""
    count = sum(not any(period.dated for period in relation.periods) for relation in relations)
    return f"facts without stated dates match every date that is asked for: {count}" if count else ""


def _dates(period: Period) -> str:
    if period.start and period.start == period.end:
        return period.start
    first = f"from {period.start}" if period.start else ""
    last = f"until {period.end}" if period.end else ""
    return " ".join(filter(None, [first, last]))


def _closing_words(period: Period) -> str:
    if period.closed_by is None:
        return _RETRACTED if period.retracted else ""
    words = _RETRACTED if period.retracted else _CLOSED[period.closed_by.cause]
    reason = one_line(period.closed_by.reason, _REASON)
    return f"{words}: {reason}" if reason else words


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
