"""Recall of ranked passages, and what is wanted of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.goals import Line, at_least

DEPTHS = (2, 5, 10)
MIX = "mix"
LEXICAL = "passage_text"
SLACK = 0.02
WANTED: Mapping[tuple[str, str], Mapping[str, float]] = {
    ("musique", MIX): {"R@2": 0.51, "R@5": 0.70, "R@10": 0.80},
    ("musique", LEXICAL): {"R@2": 0.388, "R@5": 0.490, "R@10": 0.578},
    ("hotpotqa", MIX): {"R@5": 0.84, "R@10": 0.92},
    ("peer", "in direction"): {"relation@1": 0.9, "passage": 0.9},
    ("peer", "against it"): {"relation@1": 0.9, "passage": 0.9},
}


def recall_line(set_: str, channel: str, ranked: Sequence[Sequence[str]], gold: Sequence[frozenset[str]]) -> Line:
    """Means over the questions: gold among the first k, and whether all of it is among the first ten."""
    pairs = list(zip(ranked, gold, strict=True))
    recalls = {f"R@{k}": _mean(len(wanted & set(found[:k])) / len(wanted) for found, wanted in pairs) for k in DEPTHS}
    return {
        "set": set_,
        "channel": channel,
        **recalls,
        "all-gold@10": _mean(wanted <= set(found[:10]) for found, wanted in pairs),
    }


def goals(lines: Sequence[Line]) -> Iterator[Line]:
    """What is wanted of the lines at hand, and whether they reach it."""
    for line in lines:
        for figure, least in WANTED.get((line["set"], line["channel"]), {}).items():
            yield _met(f"{line['set']} {line['channel']} {figure}", line[figure], least)
        if line["channel"] == MIX:
            yield from _beside_single_channels(line, [one for one in lines if one["set"] == line["set"]])


def table(lines: Sequence[Line]) -> Iterator[str]:
    """Lines of Markdown."""
    for set_ in dict.fromkeys(line["set"] for line in lines):
        rows = [[str(value) for value in list(line.values())[1:]] for line in lines if line["set"] == set_]
        heads = [key for line in lines if line["set"] == set_ for key in list(line)[1:]][: len(rows[0])]
        yield from ("", _row([f"{set_}: {heads[0]}", *heads[1:]]), "|---" * len(heads) + "|", *map(_row, rows))


def _beside_single_channels(mix: Line, lines: Sequence[Line]) -> Iterator[Line]:
    for figure in ("R@5", "R@10"):
        best = max((line[figure] for line in lines if line is not mix), default=0.0)
        yield _met(f"{mix['set']} mix {figure} beside its best channel", mix[figure], round(best - SLACK, 3))


def _met(goal: str, value: float, least: float) -> Line:
    return at_least(goal, value, least) | {"value": value}


def _mean(values: Iterable[Any]) -> float:
    given = list(values)
    return round(sum(given) / len(given), 3)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
