"""Deleted documents hold no more, and neither does what rested on nothing else."""

from __future__ import annotations

import pytest

from benchmarks.sqlcount import counting
from post_graph_rag import QueryParam
from post_graph_rag.errors import DocumentNotFound, InputError
from tests.integration.edit.forgetting import lent, unconfigured
from tests.integration.writing.support import Place, differences, document, facts_chat, faults, small_embedding

FACT = "Acme Corp acquired Birch Labs."
ONLY_HERE = ("Acme Corp, a maker of pumps, hired Cora Doe.", "Acme Corp acquired Dale Works since 2001.")


async def test_what_only_a_deleted_document_says_is_found_no_more(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FACT), document("b", "Cedar Inc hired Cora Doe.")])
    report = await rag.delete_document("a")
    assert (report.keys, report.passages, report.relations, report.entities) == (("a",), 1, 1, 2)
    assert await place.relations() == {("cedar inc", "hired", "cora doe")}
    assert await faults(rag) == []


async def test_after_a_deletion_a_realm_holds_what_one_holds_that_never_had_the_document(place: Place) -> None:
    rag, other = place.engine(), Place(place.dsn)
    kept = [
        document("b", FACT, "Acme Corp hired Cora Doe."),
        document("c", "Acme also known as Acme Corp sued Dale Co."),
    ]
    gone = document("a", FACT, *ONLY_HERE, "Birch Labs also known as Cora Doe sold Elm Oil.")
    await rag.index_documents([kept[0], gone, kept[1]])
    await rag.delete_document("a")
    await other.engine().index_documents(kept)
    await other.close()
    assert differences(await place.content(), await other.content()) == {}
    assert await faults(rag) == []


async def test_what_a_deleted_document_said_is_still_believed_of_the_time_before(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    before = await rag.watermark()
    report = await rag.delete_document("a")
    then = await rag.query_data("What did Acme Corp acquire?", QueryParam(as_believed_at=before))
    now = await rag.query_data("What did Acme Corp acquire?", QueryParam(as_believed_at=report.at))
    assert [hit.fact for hit in then.relations] == [FACT]
    assert (now.relations, now.passages) == ((), ())


async def test_a_document_indexed_again_is_new_and_asks_no_model_about_its_passages(place: Place) -> None:
    chat, embedding = facts_chat(), small_embedding()
    rag = place.engine(chat, embedding)
    await rag.index_document(document("a", FACT, *ONLY_HERE))
    before = await place.content()
    await rag.delete_document("a")
    asked = len(chat.calls)
    report = await rag.index_document(document("a", FACT, *ONLY_HERE))
    assert (report.status, report.model_calls, len(chat.calls)) == ("new", 0, asked)
    assert differences(await place.content(), before) == {}
    assert await faults(rag) == []


async def test_a_passage_that_another_document_holds_keeps_what_it_says(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FACT), document("b", FACT)])
    report = await rag.delete_document("a")
    assert (report.passages, report.relations) == (0, 0)
    assert await place.relations() == {("acme corp", "acquired", "birch labs")}
    assert await faults(rag) == []


async def test_of_several_documents_all_are_deleted_or_none(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FACT), document("b", *ONLY_HERE)])
    with pytest.raises(DocumentNotFound, match="'c'"):
        await rag.delete_documents(["a", "c", "b"])
    assert len((await place.content())["documents"]) == 2
    await rag.delete_documents(["a", "b"])
    assert (await place.content())["documents"] == frozenset()
    assert await faults(rag) == []


@pytest.mark.parametrize("key", ["never there", "deleted", "elsewhere"])
async def test_a_document_that_is_not_there_cannot_be_deleted(place: Place, key: str) -> None:
    rag = place.engine()
    await rag.index_documents([document("deleted", FACT), document("elsewhere", FACT, space="other")])
    await rag.delete_document("deleted")
    with pytest.raises(DocumentNotFound):
        await rag.delete_document(key)


@pytest.mark.parametrize("keys", [[], ["", "a"], "a"])
async def test_keys_that_name_no_document_are_refused(place: Place, keys: list[str]) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    with pytest.raises(InputError):
        await rag.delete_documents(keys)


async def test_a_document_is_deleted_in_its_own_space_only(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FACT), document("a", FACT, space="other")])
    await rag.delete_document("a", space="other")
    assert {(row[0], row[1]) for row in (await place.content())["documents"]} == {("default", "a")}


async def test_without_an_embedding_model_vectors_of_what_is_described_otherwise_wait(place: Place) -> None:
    await place.engine().index_documents([document("a", FACT), document("b", *ONLY_HERE)])
    bare = unconfigured(place)
    report = await bare.delete_document("a")
    assert report.pending_vectors == 1
    assert "No model is configured" in report.errors[0]
    rag = place.engine()
    assert (await rag.complete_pending()).vectors_completed == 1
    assert await faults(rag) == []


async def test_a_deletion_sends_as_many_statements_for_many_facts_as_for_one(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("warm", FACT))
    await rag.delete_document("warm")
    lines = [f"Acme{n % 7} Corp acquired Birch{n} Labs." for n in range(60)]
    await rag.index_documents([document("few", "Elm Oil hired Cora Doe."), document("many", *lines)])
    with counting() as few:
        await rag.delete_document("few")
    with counting() as many:
        await rag.delete_document("many")
    assert few.statements == many.statements
    assert many.statements <= 30


async def test_inside_a_callers_transaction_a_deletion_is_undone_with_it(place: Place) -> None:
    await place.engine().index_documents([document("a", FACT), document("b", *ONLY_HERE)])
    before = await place.content()
    async with lent(place) as (connection, rag):
        transaction = connection.transaction()
        await transaction.start()
        await rag.delete_document("a")
        await transaction.rollback()
    assert differences(await place.content(), before) == {}
