"""The difference between relations as they are written and as they should be."""

from __future__ import annotations

from typing import Any

from post_graph_rag.ingest.groups import differences, fact_of, triple_of, words_of
from post_graph_rag.periods import ALWAYS, Holding, Span
from post_graph_rag.store.write import Group, Stated

EARLY, LATE = Span(1, 3), Span(5, None)


def stated(id: int, span: Span | None = None, fact: str = "A led B.", confidence: float = 1.0) -> Stated:
    return Stated(id, id * 10, span, fact, confidence)


def group(*assertions: Stated, **fields: Any) -> Group:
    usual: dict[str, Any] = {
        "space": 1, "subject": 2, "predicate": "was_led_by", "object": 3, "negated": False, "relation": None,
        "fact": None, "current": False, "pending": False, "subject_name": "Acme Corporation", "object_name": "Cora",
        "subject_key": "acme corp", "object_key": "cora", "periods": {}, "evidence": frozenset(),
    }  # fmt: skip
    return Group(**{**usual, "assertions": assertions, **fields})


def test_a_new_relation_gets_its_periods_and_its_evidence() -> None:
    changes = differences([group(stated(7, EARLY), stated(8, LATE), stated(9))])
    assert [row["current"] for row in changes.relations] == [True]
    assert {(row["starts"], row["ends"], row["dated"]) for row in changes.periods} == {
        (1, 3, True), (5, None, True), (None, None, False)
    }  # fmt: skip
    assert [(row["assertion"], row["passage"]) for row in changes.evidence] == [(7, 70), (8, 80), (9, 90)]


def test_what_is_written_already_is_left_alone() -> None:
    known = group(
        stated(7, EARLY), relation=4, fact="A led B.", current=True, periods={Holding(EARLY, True): 11}, evidence={7}
    )
    changes = differences([known])
    assert (changes.periods, changes.evidence, changes.ended_periods, changes.ended_evidence) == ([], [], [], [])


def test_a_relation_nobody_states_any_more_ends() -> None:
    lost = group(relation=4, fact="A led B.", current=True, periods={Holding(ALWAYS, False): 11}, evidence={7, 6})
    changes = differences([lost])
    assert [(row["current"], row["fact"]) for row in changes.relations] == [(False, "A led B.")]
    assert (changes.ended_periods, changes.ended_evidence) == ([11], [(4, 6), (4, 7)])


def test_a_period_that_grows_takes_the_place_of_the_old() -> None:
    grown = group(
        stated(7, EARLY), stated(8, Span(2, 9)), relation=4, fact="x", periods={Holding(EARLY, True): 11}, evidence={7}
    )
    changes = differences([grown])
    assert [(row["starts"], row["ends"]) for row in changes.periods] == [(1, 9)]
    assert changes.ended_periods == [11]


def test_the_surest_then_the_fullest_wording_is_taken() -> None:
    sure, full, vague = (
        stated(1, fact="Sure."),
        stated(2, fact="Sure and full."),
        stated(3, fact="V" * 99, confidence=0.5),
    )
    assert fact_of(group(sure, full, vague)) == fact_of(group(vague, full, sure)) == "Sure and full."


def test_a_denial_reads_as_one() -> None:
    assert triple_of(group(negated=True)).text == "Acme Corporation not was led by Cora"


def test_a_relation_is_found_by_keys_and_wording() -> None:
    assert words_of(group(stated(1, fact="Cora led it."))) == "acme corp was led by cora Cora led it."
