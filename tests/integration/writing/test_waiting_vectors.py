"""Where vectors have an index, those that come wait beside it: they are found at once, and nothing of them is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from post_graph_rag import GraphRAG, QueryParam
from post_graph_rag.store import optimize as module
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import open_realm
from tests.integration.writing.conftest import Workers
from tests.integration.writing.support import Place, differences, document, faults
from tests.integration.writing.test_concurrency import DOCUMENTS, alone, deadlocks

KINDS = ("passage", "entity", "relation")
WAITING = "SELECT count(*) FROM {r}.%s_vector_1 WHERE current AND tail"
SETTLED = "SELECT array_agg((id, xmin::text) ORDER BY id) FROM {r}.%s_vector_1 WHERE current AND NOT tail"
HISTORY = ("Acme Corp hired Cora Doe.", "Birch Labs sued Dale Co.")


async def put_in(place: Place) -> int:
    """Build the realm's indexes where they are not there, and put all that waits into them; returns how much."""
    database = Database(place.dsn)
    report = await module.optimize(database, await open_realm(database, place.realm), 0)
    await database.close()
    return report.merged


async def count(place: Place, query: str) -> Mapping[str, Any]:
    return {kind: (await place.rows(query % kind))[0][0] for kind in KINDS}


@pytest.fixture
async def rag(place: Place) -> GraphRAG:
    """A realm with two facts, whose vectors are in an index."""
    made = place.engine()
    await made.index_document(document("a", *HISTORY))
    await put_in(place)
    return made


async def found(rag: GraphRAG, question: str) -> dict[str, dict[str, float]]:
    """What is nearest to a question by vectors, and how near."""
    data = await rag.query_data(question, QueryParam(mode="mix"))
    hits = (
        *((hit.text, hit.channels) for hit in data.passages),
        *((hit.name, hit.channels) for hit in data.entities),
        *((hit.fact, hit.channels) for hit in data.relations),
    )
    near: dict[str, dict[str, float]] = {f"{kind}_vector": {} for kind in KINDS}
    for what, channels in hits:
        for place in channels:
            near.get(place.channel, {})[what] = round(place.score, 5)
    return near


async def test_without_an_index_nothing_waits(place: Place) -> None:
    await place.engine().index_document(document("a", *HISTORY))
    assert await count(place, WAITING) == {"passage": 0, "entity": 0, "relation": 0}


async def test_what_is_new_waits_and_what_is_in_the_index_is_let_be(place: Place, rag: GraphRAG) -> None:
    before = await count(place, SETTLED)
    await rag.index_document(document("b", "Elm Works hired Fay Gray."))
    assert await count(place, WAITING) == {"passage": 1, "entity": 2, "relation": 1}
    assert await count(place, SETTLED) == before


async def test_what_comes_back_waits(place: Place, rag: GraphRAG) -> None:
    await rag.delete_document("a")
    assert await count(place, WAITING) == {"passage": 0, "entity": 0, "relation": 0}
    await rag.index_document(document("a", *HISTORY))
    assert await count(place, WAITING) == {"passage": 2, "entity": 4, "relation": 2}


async def test_what_is_replaced_waits(place: Place, rag: GraphRAG) -> None:
    await rag.index_document(document("b", "Acme Corp: a maker of lamps"))
    await rag.rename_entity("Dale Co", "Dale Company")
    assert (await count(place, WAITING))["entity"] == 1


async def test_what_waits_is_found_and_so_it_is_when_it_is_in_the_index(place: Place, rag: GraphRAG) -> None:
    await rag.delete_document("a")
    await rag.index_documents([document("b", "Elm Works hired Fay Gray."), document("a", *HISTORY)])
    waiting = await found(rag, "Who did Elm Works hire?")
    assert waiting["passage_vector"].keys() == {*HISTORY, "Elm Works hired Fay Gray."}
    assert await put_in(place) == 3 + 6 + 3
    assert await found(rag, "Who did Elm Works hire?") == waiting


@pytest.mark.parametrize("document_lines", [6, 1], ids=["much", "little"])
async def test_a_call_that_leaves_much_waiting_puts_it_in(
    place: Place, rag: GraphRAG, monkeypatch: pytest.MonkeyPatch, document_lines: int
) -> None:
    monkeypatch.setattr("post_graph_rag.store.tail._LONG", 3)
    monkeypatch.setattr(module, "MUCH", 5)
    lines = [f"Elm Works hired Fay{n} Gray." for n in range(document_lines)]
    await rag.index_documents([document("b", *lines), document("c", "Holm Co hired Ines Jay and Kay Low.")])
    assert all(waiting <= 3 for waiting in (await count(place, WAITING)).values())


async def test_processes_that_write_while_others_put_in_lose_nothing(place: Place, workers: Workers) -> None:
    await place.engine().index_document(document("first", "Acme Corp hired Cora Doe."))
    await put_in(place)
    plan = {"dsn": place.dsn, "realm": place.realm, "documents": DOCUMENTS[:12], "seconds": 6}
    before = await deadlocks(place.dsn)
    plans = [{**plan, "seed": seed, "forget": seed % 2 == 0} for seed in range(4)]
    writing = asyncio.create_task(asyncio.to_thread(workers.run, plans))
    merged = 0
    while not writing.done():
        merged += await put_in(place)
    assert (await writing, await deadlocks(place.dsn)) == ([0] * 4, before)
    assert merged > 0
    await place.engine().complete_pending()
    assert differences(await place.content(), await alone(place, Place(place.dsn))) == {}
    assert await faults(place.engine()) == []
