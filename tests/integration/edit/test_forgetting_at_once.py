"""Documents deleted and erased by some processes while others write them: no deadlock, and nothing half gone."""

from __future__ import annotations

import asyncio

from tests.integration.edit.forgetting import where_it_stands
from tests.integration.writing.conftest import Workers
from tests.integration.writing.support import Place, differences, document, faults
from tests.integration.writing.test_concurrency import DOCUMENTS, alone, deadlocks

SECONDS = 8


async def test_processes_that_forget_and_write_the_same_documents_leave_what_one_writer_leaves(
    place: Place, workers: Workers
) -> None:
    await place.engine().index_document(document("first", "Acme Corp hired Cora Doe."))
    plan = {"dsn": place.dsn, "realm": place.realm, "documents": DOCUMENTS[:12], "seconds": SECONDS}
    before = await deadlocks(place.dsn)
    plans = [{**plan, "seed": seed, "forget": seed % 2 == 0} for seed in range(6)]
    assert await asyncio.to_thread(workers.run, plans) == [0] * 6
    assert await deadlocks(place.dsn) == before
    await place.engine().complete_pending()
    assert differences(await place.content(), await alone(place, Place(place.dsn))) == {}
    assert await faults(place.engine()) == []


async def test_a_document_erased_while_it_is_read_comes_whole_or_not_at_all(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Zyxquark sold Elm Oil.", "Acme Corp hired Cora Doe."))
    writer = place.engine()
    await asyncio.gather(
        writer.index_document(document("a", "Zyxquark sold Elm Oil.", "Dale Co sued Elm Oil."), reindex=True),
        rag.erase_document("a"),
    )
    found = await place.content()
    there = {row[1] for row in found["passages"]}
    assert there in (set(), {"Zyxquark sold Elm Oil.", "Dale Co sued Elm Oil."})
    assert await faults(rag) == []
    if there:
        await rag.erase_document("a")
    assert await where_it_stands(place, "zyxquark") == set()
