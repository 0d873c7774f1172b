"""Where in its passage the words stand that a model gave as the beginning of what states a relation."""

from __future__ import annotations

import re
from collections import Counter

from post_graph_rag.records import ExtractedRelation, Extraction

LONGEST_QUOTE = 1_000
"""Characters of a model's words that are looked for."""
LONGEST_SPAN = 1_000
_MARKS = " \t\n\"'\u201c\u201d\u2018\u2019\u00ab\u00bb.,;:\u2026"
_SENTENCE_END = re.compile(r"[.!?\u2026]+[\"'\u201d\u2019\u00bb)\]]*(?=\s|$)|[\u3002\uff01\uff1f]|(?=\n)")


def located(extraction: Extraction, text: str, repairs: Counter[str]) -> Extraction:
    """The extraction with a span for each relation whose evidence stands in the text; others count as "evidence"."""
    relations = tuple(_located(relation, text) for relation in extraction.relations)
    repairs["evidence"] += sum(bool(relation.evidence) and relation.span is None for relation in relations)
    return extraction.model_copy(update={"relations": relations})


def _located(relation: ExtractedRelation, text: str) -> ExtractedRelation:
    span = span_of(relation.evidence, text)
    return relation if span is None else relation.model_copy(update={"span": span})


def span_of(quote: str, text: str) -> tuple[int, int] | None:
    """From the first place where a quote stands to the end of its sentence, or of as much as is kept; None if nowhere.

    Blanks, case, and marks round the quote do not matter.
    """
    words = quote[:LONGEST_QUOTE].strip(_MARKS).split()
    found = re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE) if words else None
    if found is None:
        return None
    end = _SENTENCE_END.search(text, found.end())
    return found.start(), max(found.end(), min(end.end() if end else len(text), found.start() + LONGEST_SPAN))
