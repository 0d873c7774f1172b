"""How much of what is known to answer questions is found, and how many answers are right."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from statistics import fmean
from typing import Final

from post_graph_rag.errors import InputError
from post_graph_rag.records import Answer, EvalQuestion, EvalReport, EvalResult, Mode, Outcome, QueryData

DEPTHS: Final = (2, 5, 10)
"""How many documents are looked at."""
_CITATION = re.compile(r"\[\d[\d\s,;]*\]")
_ARTICLE = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def texts_of(asked: Sequence[EvalQuestion]) -> list[str]:
    """What is asked. Raises InputError for anything else than such questions."""
    if isinstance(asked, str) or not all(isinstance(one, EvalQuestion) for one in asked):
        raise InputError("questions must be a list of EvalQuestion: make each with EvalQuestion(question=…)")
    return [one.question for one in asked]


def report(
    mode: Mode, asked: Sequence[EvalQuestion], found: Sequence[Outcome[QueryData] | Outcome[Answer]], seconds: float
) -> EvalReport:
    """What one mode made of the questions, in their order."""
    results = tuple(map(judged, asked, found))
    sought = [result for one, result in zip(asked, results, strict=True) if one.documents]
    answers = [result for result in results if result.exact is not None]
    return EvalReport(
        mode=mode,
        questions=len(asked),
        failed=sum(result.error is not None for result in results),
        searched=len(sought),
        recall={k: fmean(_share(result, k) for result in sought) for k in DEPTHS if sought},
        complete={k: fmean(_share(result, k) == 1 for result in sought) for k in DEPTHS if sought},
        answered=len(answers),
        exact=fmean(bool(result.exact) for result in answers) if answers else None,
        contained=fmean(bool(result.contained) for result in answers) if answers else None,
        seconds=seconds,
        results=results,
    )


def judged(asked: EvalQuestion, found: Outcome[QueryData] | Outcome[Answer]) -> EvalResult:
    """What came of one question, beside what was expected."""
    result = found.result
    if result is None:
        nothing = dict.fromkeys(asked.documents)
        return EvalResult(question=asked.question, ranks=nothing, error=f"{type(found.error).__name__}: {found.error}")
    text = result.text if isinstance(result, Answer) else None
    data = result.data if isinstance(result, Answer) else result
    compared = text is not None and bool(asked.answers)
    return EvalResult(
        question=asked.question,
        ranks=ranks(asked.documents, data),
        answer=text,
        exact=is_exact(text or "", asked.answers) if compared else None,
        contained=is_contained(text or "", asked.answers) if compared else None,
    )


def ranks(documents: Sequence[str], data: QueryData) -> dict[str, int | None]:
    """At which place each document comes, by the first of its passages, documents counted once."""
    places: dict[str, int] = {}
    seen: dict[str, int] = {}
    for source in (source for hit in data.passages for source in hit.sources):
        place = seen.setdefault(source.document, len(seen) + 1)
        for name in filter(None, (source.document, source.source)):
            places.setdefault(name, place)
    return {name: places.get(name) for name in documents}


def is_exact(text: str, answers: Sequence[str]) -> bool:
    """Whether the text is one of the answers, but for case, articles, punctuation and citations."""
    return _plain(text) in map(_plain, answers)


def is_contained(text: str, answers: Sequence[str]) -> bool:
    """Whether the text holds one of the answers as a run of whole words."""
    words = f" {_plain(text)} "
    return any(f" {answer} " in words for answer in map(_plain, answers) if answer)


def _plain(text: str) -> str:
    """As answers are compared. Source: Rajpurkar et al., SQuAD, EMNLP 2016 (the evaluation script)."""
    bare = _CITATION.sub(" ", text).casefold().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLE.sub(" ", bare).split())


def _share(result: EvalResult, k: int) -> float:
    return fmean(rank is not None and rank <= k for rank in result.ranks.values())
