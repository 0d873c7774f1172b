"""The quality benchmark counts recall as it says."""

from __future__ import annotations

from benchmarks.quality_facts import fact_sample, question_of
from benchmarks.quality_score import goals, recall_line, table

GOLD = [frozenset({"a", "b"}), frozenset({"c"})]
RANKED = [["a", "x", "b"], ["x", "y", "z"]]


def test_recall_is_the_mean_share_of_gold_among_the_first() -> None:
    line = recall_line("some", "mix", RANKED, GOLD)
    assert (line["R@2"], line["R@5"], line["all-gold@10"]) == (0.25, 0.5, 0.5)


def test_a_mix_below_its_best_channel_misses_its_goal() -> None:
    alone = recall_line("some", "walk", [["a", "b"], ["c"]], GOLD)
    met = [goal["met"] for goal in goals([alone, recall_line("some", "mix", RANKED, GOLD)])]
    assert met == [False, False]


def test_the_table_has_a_row_a_channel() -> None:
    rows = list(table([recall_line("some", "mix", RANKED, GOLD)]))
    assert rows[1:] == [
        "| some: channel | R@2 | R@5 | R@10 | all-gold@10 |",
        "|---|---|---|---|---|",
        "| mix | 0.25 | 0.5 | 0.5 | 0.5 |",
    ]


def test_a_fact_is_asked_from_both_ends() -> None:
    fact = fact_sample()[0]
    words = fact["predicate"].replace("_", " ")
    assert fact["subject"] in question_of(fact, True)
    assert question_of(fact, False) == f"Which company {words} {fact['object']}?"
