"""A budget ends an indexing call in time, and the next call goes on where it ended."""

from __future__ import annotations

from typing import Any

import pytest

from post_graph_rag.config import Settings
from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import BudgetExceeded, ConfigurationError
from post_graph_rag.models.protocols import ChatReply
from post_graph_rag.models.roles import Models
from post_graph_rag.testing import ScriptedChat
from tests.integration.writing.support import Place, differences, document, facts_chat, faults, small_embedding

TOLD = ChatReply("{}", "mini-2024-07-18", prompt_tokens=1000, output_tokens=100)
DOCUMENTS = [document(f"d{n}", f"Acme{n} Corp hired Cora{n} Doe.", f"Acme{n} Corp sued Dell{n} Inc.") for n in range(6)]


def one_at_a_time(place: Place, chat: ScriptedChat, most: int = 1, **settings: Any) -> GraphRAG:
    """An engine whose models are asked once at a time."""
    held = Settings(dsn=place.dsn, realm=place.realm, gleaning_passes=0, **settings)
    place.engines.append(made := GraphRAG(held, models=Models(chat, small_embedding(), concurrency=most)))
    return made


async def test_a_spent_budget_ends_the_call_and_keeps_what_was_finished(place: Place) -> None:
    rag = one_at_a_time(place, ScriptedChat({"extraction": TOLD}, delay=0.02))
    with pytest.raises(BudgetExceeded, match="go on") as caught:
        await rag.index_documents(DOCUMENTS, budget_tokens=5000)
    status = [report.status for report in caught.value.reports]
    assert set(status) == {"new", "failed"}
    assert (await rag.realm_stats()).documents == status.count("new")


async def test_no_call_begins_once_the_budget_is_spent(place: Place) -> None:
    chat = ScriptedChat({"extraction": TOLD}, delay=0.01)
    with pytest.raises(BudgetExceeded):
        await one_at_a_time(place, chat, 2).index_documents(DOCUMENTS, budget_tokens=3300)
    # three spend it, and a fourth may be under way beside the third
    assert len(chat.calls) <= 4


async def test_what_was_under_way_is_paid_once(place: Place) -> None:
    first, second = facts_chat(delay=0.02), facts_chat()
    with pytest.raises(BudgetExceeded):
        await one_at_a_time(place, first, 4).index_documents(DOCUMENTS, budget_tokens=2000)
    rag = place.engine(second)
    await rag.index_documents(DOCUMENTS)
    assert len(first.calls) + len(second.calls) == 12
    assert await faults(rag) == []


async def test_going_on_leads_to_what_one_call_would_have_made(place: Place) -> None:
    chat, calls = facts_chat(), 0
    for _ in range(40):
        try:
            await one_at_a_time(place, chat, budget_tokens=3000).index_documents(DOCUMENTS)
            break
        except BudgetExceeded:
            calls += 1
    other = Place(place.dsn)
    await other.engine().index_documents(DOCUMENTS)
    assert calls > 1
    assert differences(await place.content(), await other.content()) == {}
    await other.close()


async def test_a_budget_in_money_counts_by_the_prices(place: Place) -> None:
    chat = ScriptedChat({"extraction": TOLD}, name="mini")
    prices = {"mini": (1000.0, 0.0), "scripted-embedding": (0.0,)}
    with pytest.raises(BudgetExceeded):
        await one_at_a_time(place, chat, prices=prices).index_documents(DOCUMENTS, budget_cost=2.5)
    assert len(chat.calls) == 3


async def test_a_budget_in_money_without_prices_is_refused_before_anything_is_paid(place: Place) -> None:
    chat = facts_chat()
    with pytest.raises(ConfigurationError, match="scripted, scripted-embedding"):
        await place.engine(chat).index_documents(DOCUMENTS, budget_cost=1.0)
    assert chat.calls == []


async def test_what_costs_nothing_is_indexed_without_a_budget(place: Place) -> None:
    await place.engine().index_documents(DOCUMENTS)
    reports = await place.engine().index_documents(DOCUMENTS, budget_tokens=1)
    assert {report.status for report in reports} == {"unchanged"}


@pytest.mark.parametrize("decides", [{"judge_contradictions": True}, {"resolve": "model"}])
async def test_a_budget_in_money_needs_the_price_of_the_model_that_decides(place: Place, decides: Any) -> None:
    chats: Any = {"extraction": facts_chat(), "auxiliary": ScriptedChat(name="judge")}
    held = Settings(dsn=place.dsn, realm=place.realm, prices={"chat": (1,), "scripted-embedding": (0,)}, **decides)
    place.engines.append(rag := GraphRAG(held, models=Models(chats, small_embedding())))
    with pytest.raises(ConfigurationError, match="judge"):
        await rag.index_documents(DOCUMENTS, budget_cost=1.0)
