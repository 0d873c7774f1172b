"""How facts tell their dates, and what closed them."""

from __future__ import annotations

import pytest

from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.tokens import tokenizer_for
from post_graph_rag.records import Cause, Closing, Period, QueryData, QueryParam
from post_graph_rag.retrieve.room import Room
from post_graph_rag.retrieve.wording import fact_line, period_words, undated_note
from tests.unit.retrieve.making import a_fact, found, write_context


def closed(cause: Cause, reason: str = "", *, dated: bool = True, retracted: bool = False) -> Period:
    closing = Closing(cause=cause, relations=(7,), reason=reason)
    return Period(start="2001" if dated else None, end="2009", dated=dated, closed_by=closing, retracted=retracted)


@pytest.mark.parametrize(
    ("period", "words"),
    [
        (closed("superseded"), "from 2001 until 2009, superseded"),
        (closed("denied"), "from 2001 until 2009, denied later"),
        (closed("verdict", "some-model"), "from 2001 until 2009, superseded, says a model: some-model"),
        (closed("override", "She left."), "from 2001 until 2009, closed by a person: She left."),
        (closed("override", retracted=True), "from 2001 until 2009, retracted by a person"),
        (closed("superseded", dated=False), "until 2009, superseded"),
        (Period(end="2009"), ""),
    ],
)
def test_a_closed_period_says_what_closed_it(period: Period, words: str) -> None:
    assert period_words(period) == words


def test_a_reason_cannot_pass_for_a_reference() -> None:
    assert period_words(closed("override", "see [1]\nand [2]")).endswith("a person: see (1) and (2)")


def test_a_fact_without_dates_says_so_when_dates_are_asked_for() -> None:
    fact = a_fact(1, "Ada works at Acme", periods=[Period()])
    assert fact_line(fact, (1,), dates_asked=True) == "- Ada works at Acme (undated) [1]"
    assert fact_line(fact, (1,)) == "- Ada works at Acme [1]"


def test_a_dated_fact_is_not_called_undated() -> None:
    fact = a_fact(1, "Ada works at Acme", periods=[Period(start="2001", dated=True)])
    assert fact_line(fact, (), dates_asked=True) == "- Ada works at Acme (from 2001)"


def test_facts_without_dates_are_counted_once() -> None:
    dated, undated = Period(start="2001", dated=True), Period()
    facts = [
        a_fact(1, "a", periods=[undated]),
        a_fact(2, "b", periods=[dated, undated]),
        a_fact(3, "c", periods=[undated]),
    ]
    assert undated_note(facts) == "facts without stated dates match every date that is asked for: 2"
    assert undated_note(facts[1:2]) == ""


def written(data: QueryData, as_of: str | None) -> QueryData:
    room = Room.measure("who?", QueryParam(as_of=as_of), tokenizer_for("gpt-4o"), Prompts())
    return write_context(room, data)


def test_a_question_about_a_date_notes_the_facts_that_state_none() -> None:
    data = found(facts=[a_fact(1, "Ada works at Acme", periods=[Period()])])
    assert written(data, "2005").notes == ("facts without stated dates match every date that is asked for: 1",)
    assert "(undated)" in written(data, "2005").context
    assert written(data, None).notes == ()
    assert "undated" not in written(data, None).context
