"""Facts that a model judges to exclude one another: it sees and chooses only what it is offered, and time decides."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, Sequence
from itertools import combinations
from typing import Any

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.sqlcount import counting
from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import ConfigurationError, InputError, LLMError, ModelNotConfigured
from post_graph_rag.ingest.judge import MOST_RIVALS
from post_graph_rag.models.offline.chat import OfflineChat
from post_graph_rag.models.protocols import ChatRequest
from post_graph_rag.models.roles import Models
from post_graph_rag.records import JudgeReport, PredicateRule
from post_graph_rag.testing import ScriptedChat, plain_facts
from tests.integration.writing.support import Place, facts_chat, faults, small_embedding
from tests.integration.writing.test_supersession import DOCUMENTS, current, opened_by, periods, span, written

NONE: dict[str, list[int]] = {"excluded": []}


@pytest.fixture
async def place(writing_dsn: str) -> AsyncIterator[Place]:
    """A realm of the test's own without a graph, which follows periods whoever closed them."""
    made = Place(writing_dsn, graph="none")
    yield made
    await made.close()


def offered(request: ChatRequest) -> list[dict[str, str]]:
    """The facts that a request offers, in order."""
    return [json.loads(line.split(". ", 1)[1]) for line in request.inputs["others"].splitlines()]


def same(*ends: str) -> Callable[[ChatRequest], dict[str, list[int]]]:
    """A model that finds all facts excluded that share predicate and these ends with the one."""

    def judge(request: ChatRequest) -> dict[str, list[int]]:
        one = json.loads(request.inputs["fact"])
        shared = ("predicate", *ends)
        alike = [all(other[end] == one[end] for end in shared) for other in offered(request)]
        return {"excluded": [n for n, found in enumerate(alike, 1) if found]}

    return judge


def judging(said: Any, **options: Any) -> ScriptedChat:
    return ScriptedChat({"auxiliary": said}, extract=plain_facts, **options)


def asked(chat: ScriptedChat) -> list[tuple[str, list[str]]]:
    """Each question so far: the fact, and what is offered beside it."""
    return [
        (sentence(json.loads(request.inputs["fact"])), [sentence(other) for other in offered(request)])
        for request in chat.calls_for("auxiliary")
    ]


def sentence(fact: dict[str, str]) -> str:
    return f"{fact['subject']} {fact['predicate']} {fact['object']}"


CHIEFS = [
    written("a", 2001, "Ada led Acme."),
    written("b", 2010, "Bob led Acme."),
    written("c", 2020, "Cyd led Acme."),
]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
async def test_the_later_of_facts_that_exclude_one_another_is_current_whatever_came_first(
    place: Place, order: Sequence[int]
) -> None:
    rag = place.engine(judging(same("object")), judge_contradictions=True)
    for n in order:
        await rag.index_document(CHIEFS[n])
    assert await periods(place) == [
        ("ada", span(None, 2010), "verdict"),
        ("bob", span(2010, 2020), "verdict"),
        ("cyd", span(2020, None), None),
    ]
    assert await faults(rag) == []


async def test_facts_that_come_together_are_judged_as_well(place: Place) -> None:
    chat = judging(same("object"))
    await place.engine(chat, judge_contradictions=True).index_documents(CHIEFS)
    assert await current(place) == {"cyd led acme"}
    # Which of them is asked about first depends on whether all came in one commit.
    chiefs = ["Ada led Acme", "Bob led Acme", "Cyd led Acme"]
    assert sorted(len(others) for _, others in asked(chat)) == [1, 2]
    assert {frozenset((one, other)) for one, others in asked(chat) for other in others} == {
        frozenset(pair) for pair in combinations(chiefs, 2)
    }


async def test_a_closing_by_verdict_names_the_model_and_what_took_the_place(place: Place) -> None:
    rag = place.engine(judging(same("object"), name="judge-7"), judge_contradictions=True)
    await rag.index_documents(CHIEFS[:2])
    (closing,) = await place.rows("""
        SELECT p.closed_by ->> 'cause', p.closed_by ->> 'reason', a.key FROM {r}.relation_period p
        JOIN {r}.relation r ON r.id = (p.closed_by -> 'relations' ->> 0)::bigint JOIN {r}.entity a ON a.id = r.subject
        WHERE upper_inf(p.recorded)""")
    assert closing == ("verdict", "judge-7", "bob")


async def test_without_the_setting_nothing_is_asked(place: Place) -> None:
    chat = judging(same("object"))
    await place.engine(chat).index_documents(CHIEFS)
    assert chat.calls_for("auxiliary") == []
    assert await current(place) == {"ada led acme", "bob led acme", "cyd led acme"}


async def test_asked_for_once_what_is_there_is_judged_and_reported(place: Place) -> None:
    rag = place.engine(judging(same("object")))
    await rag.index_documents(CHIEFS)
    assert await rag.judge_contradictions() == JudgeReport(asked=2, calls=2, verdicts=3, exclusive=3)
    assert await rag.judge_contradictions() == JudgeReport()
    assert await current(place) == {"cyd led acme"}


async def test_a_pair_that_was_judged_is_not_asked_about_again(place: Place) -> None:
    chat = judging(NONE)
    rag = place.engine(chat, judge_contradictions=True)
    await rag.index_documents(CHIEFS[:2])
    await rag.index_document(CHIEFS[2])
    assert asked(chat)[1:] == [("Cyd led Acme", ["Ada led Acme", "Bob led Acme"])]


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DOCUMENTS, st.randoms(use_true_random=False))
async def test_any_order_of_arrival_is_judged_to_the_same_open_periods(
    place: Place, said: list[tuple[int | None, list[str]]], chance: random.Random
) -> None:
    documents = [written(f"d{n}", year, *lines) for n, (year, lines) in enumerate(said)]
    mixed = [[item] for item in chance.sample(documents, len(documents))]
    async with place.engine(judging(same("object")), judge_contradictions=True) as rag:
        assert await opened_by(place, rag, mixed) == await opened_by(place, rag, [documents])


# ---------------------------------------------------------------- what is offered


async def test_only_facts_of_the_same_subject_or_object_are_offered(place: Place) -> None:
    chat = judging(NONE)
    rag = place.engine(chat)
    await rag.index_document(
        written("a", 2001, "Ada led Acme.", "Bob sued Acme.", "Ada met Cyd.", "Acme hired Dan.", "Eve led Birch.")
    )
    await rag.judge_contradictions()
    pairs = {frozenset((one, other)) for one, others in asked(chat) for other in others}
    assert pairs == {frozenset(("Ada led Acme", "Bob sued Acme")), frozenset(("Ada led Acme", "Ada met Cyd"))}


async def test_facts_that_do_not_overlap_in_time_are_not_offered(place: Place) -> None:
    chat = judging(NONE)
    rag = place.engine(chat)
    await rag.index_document(
        written("a", 2024, "Ada led Acme from 2001 until 2005.", "Bob led Acme from 2006 until 2009.")
    )
    assert (await rag.judge_contradictions()).asked == 0
    await rag.index_document(written("b", 2024, "Cyd led Acme from 2005 until 2007."))
    await rag.judge_contradictions()
    assert asked(chat) == [("Cyd led Acme", ["Ada led Acme", "Bob led Acme"])]


async def test_the_dates_that_sources_state_are_shown(place: Place) -> None:
    chat = judging(NONE)
    rag = place.engine(chat)
    await rag.index_document(written("a", 2024, "Ada led Acme from 2001 until 2005.", "Bob led Acme."))
    await rag.judge_contradictions()
    (request,) = chat.calls_for("auxiliary")
    assert json.loads(request.inputs["fact"])["dates"] == "from 2001 until 2005"
    assert [other["dates"] for other in offered(request)] == ["not stated"]


async def test_the_dates_shown_do_not_depend_on_what_closed_a_fact(place: Place) -> None:
    chat = judging(same("object"))
    rag = place.engine(chat, judge_contradictions=True)
    await rag.index_document(written("a", 2024, "Ada led Acme from 2001 until 2015."))
    await rag.index_document(written("b", 2024, "Bob led Acme since 2010."))
    await rag.index_document(written("c", 2024, "Cyd led Acme since 2005."))
    assert [other["dates"] for other in offered(chat.calls_for("auxiliary")[-1])] == [
        "from 2001 until 2015",
        "from 2010",
    ]


async def test_denials_are_neither_asked_about_nor_offered(place: Place) -> None:
    rag = place.engine(judging(NONE))
    await rag.index_document(written("a", 2001, "Ada never led Acme.", "Bob led Acme."))
    assert (await rag.judge_contradictions()).asked == 0


async def test_facts_that_a_rule_keeps_apart_are_not_offered(place: Place) -> None:
    chat = judging(NONE)
    rag = place.engine(chat, create=True)
    await rag.initialize()
    await rag.set_rules([PredicateRule(predicate=name, per="object", exclusive="head") for name in ("led", "ran")])
    await rag.index_document(written("a", None, "Ada led Acme.", "Bob ran Acme.", "Ada led Birch."))
    await rag.judge_contradictions()
    assert asked(chat) == [("Ada led Acme", ["Ada led Birch"])]


async def test_a_fact_is_offered_beside_twenty_others_at_most_the_same_predicate_first(place: Place) -> None:
    chat = judging(NONE)
    rag = place.engine(chat)
    lines = [f"Ann{chr(97 + n)} met Acme." for n in range(26)]
    await rag.index_document(written("a", 2001, *lines, "Zoe led Acme."))
    await rag.judge_contradictions()
    before = len(asked(chat))
    await rag.index_document(written("b", 2002, "Yan led Acme."))
    await rag.judge_contradictions()
    ((fact, others),) = asked(chat)[before:]
    assert (fact, len(others)) == ("Yan led Acme", MOST_RIVALS)
    assert others[:2] == ["Zoe led Acme", "Anna met Acme"]


async def test_fifty_facts_that_have_nothing_to_do_with_one_another_are_left_alone(place: Place) -> None:
    chat = judging(lambda request: {"excluded": list(range(1, 100))})
    rag = place.engine(chat, judge_contradictions=True)
    names = [f"{chr(65 + n // 10)}{chr(97 + n % 10)}" for n in range(50)]
    await rag.index_document(written("a", 2001, *(f"{name}son led {name}corp." for name in names)))
    assert chat.calls_for("auxiliary") == []
    assert len(await current(place)) == 50


# ---------------------------------------------------------------- what is chosen


async def test_numbers_that_were_not_offered_are_ignored_and_counted(place: Place) -> None:
    rag = place.engine(judging({"excluded": [0, 7, -1]}))
    await rag.index_documents(CHIEFS[:2])
    assert await rag.judge_contradictions() == JudgeReport(asked=1, calls=1, verdicts=1, ignored=3)
    assert await current(place) == {"ada led acme", "bob led acme"}


async def test_a_fact_that_is_not_chosen_stays_beside_the_one(place: Place) -> None:
    rag = place.engine(judging({"excluded": [2]}))
    await rag.index_documents(
        [written("a", 2001, "Ada led Acme.", "Ada led Birch."), written("b", 2005, "Ada led Cedar.")]
    )
    await rag.judge_contradictions()
    assert await current(place) == {"ada led birch", "ada led cedar"}


# ---------------------------------------------------------------- what fails


@pytest.mark.parametrize("said", [LLMError("gone"), "I would rather not say."], ids=["fails", "prose"])
async def test_what_fails_is_told_and_made_up_by_the_next_call(place: Place, said: Any) -> None:
    chat = judging([said, {"excluded": [1]}])
    rag = place.engine(chat, judge_contradictions=True)
    reports = await rag.index_documents(CHIEFS[:2])
    assert [len(report.errors) for report in reports] == [1, 0]
    assert reports[0].errors[0].startswith("judge contradictions: LLMError")
    await rag.index_documents(CHIEFS[:2])
    assert await current(place) == {"bob led acme"}


async def test_one_that_fails_does_not_take_the_others_with_it(place: Place) -> None:
    def judge(request: ChatRequest) -> Any:
        return LLMError("gone") if "Acme" in request.inputs["fact"] else {"excluded": [1]}

    rag = place.engine(judging(judge))
    await rag.index_documents([*CHIEFS[:2], written("d", 2001, "Dan led Birch."), written("e", 2005, "Eve led Birch.")])
    report = await rag.judge_contradictions()
    assert (report.asked, report.exclusive, report.errors) == (2, 1, ("LLMError: gone",))
    assert await current(place) == {"ada led acme", "bob led acme", "eve led birch"}


async def test_a_model_that_cannot_be_had_is_given_up_after_one_batch(place: Place) -> None:
    chat = judging(LLMError("gone"))
    rag = place.engine(chat)
    lines = [f"Ann{a}{b} led Corp{a}{b}. Bob{a}{b} led Corp{a}{b}." for a in "abcdefgh" for b in "abcdefgh"]
    await rag.index_document(written("a", 2001, *(line for pair in lines for line in pair.split(". "))))
    report = await rag.judge_contradictions()
    assert report.errors == ("LLMError: gone",)
    assert report.calls <= 32


async def test_the_same_question_costs_nothing_again(place: Place) -> None:
    rag = place.engine(judging(NONE))
    await rag.index_documents(CHIEFS[:2])
    first = await rag.judge_contradictions()
    # as if the process had ended between the reply and the commit of what it says
    await place.rows("DELETE FROM {r}.verdict")
    await place.rows("UPDATE {r}.clock SET judged = NULL")
    again = await rag.judge_contradictions()
    assert (first.calls, again.asked, again.calls, again.verdicts) == (1, 1, 0, 1)


async def test_a_reply_is_kept_with_the_names_it_was_shown_and_without_further_words(place: Place) -> None:
    rag = place.engine(judging('Ada led Acme, so: {"excluded": [1]}'))
    await rag.index_documents(CHIEFS[:2])
    await rag.judge_contradictions()
    rows = await place.rows("SELECT text, names FROM {r}.reply WHERE role = 'auxiliary'")
    assert rows == [('{"excluded": [1]}', ["Ada", "Acme", "Bob"])]


@pytest.mark.parametrize("what", ["document", "entity"])
async def test_what_is_erased_takes_verdicts_and_replies_with_it(place: Place, what: str) -> None:
    rag = place.engine(judging(same("object")), judge_contradictions=True)
    await rag.index_documents(CHIEFS[:2])
    await (rag.erase_document("b") if what == "document" else rag.erase_entity("Bob"))
    assert await place.rows("SELECT one FROM {r}.verdict") == []
    assert await place.rows("SELECT names FROM {r}.reply WHERE role = 'auxiliary'") == []
    assert await periods(place) == [("ada", span(None, None), None)]
    assert await faults(rag) == []


async def test_two_that_judge_at_once_leave_one_verdict_on_a_pair(place: Place) -> None:
    one = place.engine(judging(same("object"), delay=0.05))
    other = place.engine(judging(same("object"), delay=0.05))
    await one.index_documents(CHIEFS)
    reports = await asyncio.gather(one.judge_contradictions(), other.judge_contradictions())
    assert sum(report.verdicts for report in reports) == 3
    assert await current(place) == {"cyd led acme"}
    assert await faults(one) == []


async def test_at_most_as_many_calls_run_at_once_as_the_model_allows(place: Place) -> None:
    chat = judging(NONE, delay=0.01)
    models = Models(chat, small_embedding(), concurrency=2)
    rag = GraphRAG(place.engine().settings, models=models)
    place.engines.append(rag)
    await rag.index_document(written("a", 2001, *(f"{name} led Acme." for name in ("Ada", "Bob", "Cyd", "Dan", "Eve"))))
    chat.behaviour.most_under_way = 0
    await rag.judge_contradictions()
    assert chat.most_under_way == 2


# ---------------------------------------------------------------- who may ask


async def test_offline_models_are_refused_before_anything_is_indexed(place: Place) -> None:
    rag = place.engine(OfflineChat(), judge_contradictions=True)
    with pytest.raises(ConfigurationError, match="POST_GRAPH_RAG_AUXILIARY_MODEL"):
        await rag.index_documents(CHIEFS)


async def test_without_an_auxiliary_model_judging_is_refused(place: Place) -> None:
    rag = GraphRAG(place.engine().settings, models=Models({"extraction": facts_chat()}, small_embedding()))
    place.engines.append(rag)
    await rag.index_documents(CHIEFS[:1])
    with pytest.raises(ModelNotConfigured, match="auxiliary"):
        await rag.judge_contradictions()


async def test_in_a_callers_transaction_nothing_is_judged_and_the_next_call_makes_up_for_it(place: Place) -> None:
    chat = judging(same("object"))
    rag = place.engine(chat, judge_contradictions=True)
    await rag.index_document(CHIEFS[0])
    connection = await asyncpg.connect(place.dsn)
    async with connection.transaction():
        lent = GraphRAG(
            rag.settings.model_copy(update={"dsn": None}), connection=connection, models=Models(chat, small_embedding())
        )
        await lent.index_document(CHIEFS[1])
        with pytest.raises(InputError, match="commit"):
            await lent.judge_contradictions()
    await connection.close()
    assert chat.calls_for("auxiliary") == []
    await rag.index_document(CHIEFS[0])
    assert await current(place) == {"bob led acme"}


async def test_a_batch_costs_the_same_statements_for_few_and_many_facts(place: Place) -> None:
    costs = []
    for facts in (3, 9):
        other = Place(place.dsn)
        rag = other.engine(judging(same("object")))
        await rag.index_document(written("a", 2001, *(f"Ann{chr(97 + n)} led Acme." for n in range(facts))))
        with counting() as count:
            report = await rag.judge_contradictions()
        assert report.calls == facts - 1
        costs.append(count.statements)  # replies that wait for one another are stored together
        await other.close()
    assert costs[0] == costs[1]
