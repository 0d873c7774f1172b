"""The difference between relations as they are written and as they should be."""

from __future__ import annotations

from typing import Any

from post_graph_rag.ingest.groups import Settled, differences, fact_of, triple_of, words_of
from post_graph_rag.ingest.supersession import slots_of
from post_graph_rag.periods import ALWAYS, Closing, Holding, Span, holdings
from post_graph_rag.periods import Testimony as Said
from post_graph_rag.store.write import Carrier, Group, Rule

EARLY, LATE = Span(1, 3), Span(5, None)


def stated(id: int, span: Span | None = None, *, new: bool = True) -> Carrier:
    return Carrier(id, id * 10, new, Said(span))


def group(*carried: Carrier, **fields: Any) -> Group:
    usual: dict[str, Any] = {
        "space": 1, "subject": 2, "predicate": "was_led_by", "object": 3, "negated": False, "relation": None,
        "fact": None, "current": False, "pending": False, "subject_name": "Acme Corporation", "object_name": "Cora",
        "subject_key": "acme corp", "object_key": "cora", "best": "A led B." if carried else None, "gone": (),
        "said": frozenset(one.testimony for one in carried), "periods": {}, "rules": (), "verdicts": (), "word": None,
    }  # fmt: skip
    return Group(**{**usual, "carried": carried, **fields})


def settled(one: Group, held: frozenset[Holding] | None = None) -> Settled:
    return Settled(one, 1, slots_of(one), holdings(1, one.said) if held is None else held)


def test_a_new_relation_gets_its_periods_and_its_evidence() -> None:
    changes = differences([settled(group(stated(7, EARLY), stated(8, LATE), stated(9)))])
    assert [row["current"] for row in changes.relations] == [True]
    assert {(row["starts"], row["ends"], row["dated"]) for row in changes.periods} == {
        (1, 3, True), (5, None, True), (None, None, False)
    }  # fmt: skip
    assert [(row["assertion"], row["passage"]) for row in changes.evidence] == [(7, 70), (8, 80), (9, 90)]


def test_what_is_written_already_is_left_alone() -> None:
    known = group(stated(7, EARLY, new=False), relation=4, fact="A led B.", periods={Holding(EARLY, True): 11})
    changes = differences([settled(known)])
    assert (changes.periods, changes.evidence, changes.ended_periods, changes.ended_evidence) == ([], [], [], [])


def test_a_relation_nobody_states_any_more_ends() -> None:
    lost = group(relation=4, fact="A led B.", current=True, periods={Holding(ALWAYS, False): 11}, gone=(7, 6))
    changes = differences([settled(lost)])
    assert [(row["current"], row["fact"]) for row in changes.relations] == [(False, "A led B.")]
    assert (changes.ended_periods, changes.ended_evidence) == ([11], [(4, 6), (4, 7)])


def test_a_period_that_grows_takes_the_place_of_the_old() -> None:
    grown = group(stated(7, EARLY), stated(8, Span(2, 9)), relation=4, fact="x", periods={Holding(EARLY, True): 11})
    changes = differences([settled(grown)])
    assert [(row["starts"], row["ends"]) for row in changes.periods] == [(1, 9)]
    assert changes.ended_periods == [11]


def test_a_superseded_relation_is_not_current_and_its_period_names_what_closed_it() -> None:
    closed = Holding(Span(None, 5), False, Closing("superseded", frozenset({9, 8})))
    changes = differences([settled(group(stated(7)), frozenset({closed}))])
    assert [row["current"] for row in changes.relations] == [False]
    assert [(row["cause"], row["closers"]) for row in changes.periods] == [("superseded", [8, 9])]


def test_new_evidence_brings_its_points_into_the_slots_of_the_relation() -> None:
    ruled = group(stated(7, LATE), stated(8, EARLY, new=False), relation=4, rules=(Rule("object", "was_led_by"),))
    point = {"n": 0, "slot": "object:3:was_led_by", "at": 5, "assertion": 7}
    assert differences([settled(ruled)]).points == [point]


def test_all_points_of_a_relation_are_written_anew_when_its_slots_changed() -> None:
    ruled = group(stated(7, LATE), stated(8, EARLY, new=False), relation=4, rules=(Rule("pair", "met"),))
    changes = differences([settled(ruled)], {4})
    assert [(row["slot"], row["at"]) for row in changes.points] == [("pair:2>3:met", 5), ("pair:2>3:met", 1)]
    assert changes.renewed == [4]


def test_the_wording_it_had_stays_when_nothing_states_it() -> None:
    assert fact_of(group(fact="A led B.")) == "A led B."


def test_a_denial_reads_as_one() -> None:
    assert triple_of(group(negated=True)).text == "Acme Corporation not was led by Cora"


def test_a_relation_is_found_by_keys_and_wording() -> None:
    assert words_of(group(stated(1), best="Cora led it.")) == "acme corp was led by cora Cora led it."
