"""New, changed, unchanged and merely renamed documents: what is reported, what is asked of the models, what is live."""

from __future__ import annotations

import pytest

from post_graph_rag.errors import EmptyText, ImpossibleDate
from post_graph_rag.records import Document, DocumentContext
from post_graph_rag.testing import ScriptedChat, plain_facts
from tests.integration.writing.support import Place, document, facts_chat, faults, small_embedding

FIRST = "Acme Corp acquired Birch Labs."
SECOND = "Birch Labs hired Cora Doe."
WEIGHTS = """
    SELECT r.fact, count(DISTINCT e.passage) FROM {r}.relation r
    JOIN {r}.relation_evidence e ON e.relation = r.id AND upper_inf(e.recorded) GROUP BY r.fact"""
PASSAGES_OF_RELATIONS = "SELECT count(DISTINCT passage) FROM {r}.relation_evidence GROUP BY relation"
THIRD = "Cora Doe founded Delta Inc."


async def test_a_new_document_is_live_with_its_facts(place: Place) -> None:
    chat, embedding = facts_chat(), small_embedding()
    rag = place.engine(chat, embedding)
    report = await rag.index_document(document("a", FIRST, SECOND))
    assert (report.status, report.passages, report.new_passages, report.pending) == ("new", 2, 2, 0)
    assert (report.entities, report.relations, report.model_calls, report.replayed) == (4, 2, 2, 0)
    assert await place.relations() == {
        ("acme corp", "acquired", "birch labs"),
        ("birch labs", "hired", "cora doe"),
    }
    assert (await place.content())["pending"] == frozenset()
    assert await faults(rag) == []


async def test_an_unchanged_document_costs_no_call(place: Place) -> None:
    chat, embedding = facts_chat(), small_embedding()
    rag = place.engine(chat, embedding)
    await rag.index_document(document("a", FIRST, SECOND))
    before, asked = await place.content(), embedding.requests
    report = await rag.index_document(document("a", FIRST, SECOND))
    assert (report.status, report.passages, report.model_calls) == ("unchanged", 2, 0)
    assert (len(chat.calls), embedding.requests) == (2, asked)
    assert await place.content() == before


async def test_a_changed_document_pays_only_for_its_new_passage(place: Place) -> None:
    chat, embedding = facts_chat(), small_embedding()
    rag = place.engine(chat, embedding)
    await rag.index_document(document("a", FIRST, SECOND))
    embedding.texts.clear()
    report = await rag.index_document(document("a", FIRST, THIRD))
    assert (report.status, report.passages, report.new_passages, report.model_calls) == ("changed", 2, 1, 1)
    assert [request.inputs["text"] for request in chat.calls] == [FIRST, SECOND, THIRD]
    assert FIRST not in embedding.texts
    assert await place.relations() == {
        ("acme corp", "acquired", "birch labs"),
        ("cora doe", "founded", "delta inc"),
    }
    assert await faults(rag) == []


async def test_a_passage_that_comes_back_costs_nothing(place: Place) -> None:
    chat, embedding = facts_chat(), small_embedding()
    rag = place.engine(chat, embedding)
    await rag.index_document(document("a", FIRST, SECOND))
    before = await place.content()
    await rag.index_document(document("a", THIRD))
    calls = len(chat.calls)
    report = await rag.index_document(document("a", FIRST, SECOND))
    assert (report.status, report.new_passages, report.model_calls, len(chat.calls)) == ("changed", 0, 0, calls)
    assert await place.content() == before
    assert await faults(rag) == []


async def test_changed_metadata_costs_no_call(place: Place) -> None:
    chat, embedding = facts_chat(), small_embedding()
    rag = place.engine(chat, embedding)
    await rag.index_document(document("a", FIRST, metadata={"page": 1}))
    asked = embedding.requests
    report = await rag.index_document(document("a", FIRST, metadata={"page": 2}, source="elsewhere"))
    assert (report.status, report.passages, report.model_calls) == ("metadata", 1, 0)
    assert (len(chat.calls), embedding.requests) == (1, asked)
    [(_, _, _, source, metadata, *_)] = (await place.content())["documents"]
    assert (source, metadata) == ("elsewhere", '{"page": 2}')
    assert await place.relations() == {("acme corp", "acquired", "birch labs")}
    assert await faults(rag) == []


async def test_a_changed_date_makes_new_passages_without_a_call(place: Place) -> None:
    chat, embedding = facts_chat(), small_embedding()
    rag = place.engine(chat, embedding)
    await rag.index_document(document("a", FIRST, observed_at="2020"))
    asked = list(embedding.texts)
    report = await rag.index_document(document("a", FIRST, observed_at="2021"))
    assert (report.status, report.model_calls, report.replayed, len(chat.calls)) == ("changed", 0, 1, 1)
    assert embedding.texts == asked
    [(_, _, event, *_)] = (await place.content())["passages"]
    assert event == '["2021-01-01 00:00:00+00","2022-01-01 00:00:00+00")'
    assert await faults(rag) == []


async def test_a_changed_context_is_read_again(place: Place) -> None:
    chat = facts_chat()
    rag = place.engine(chat)
    await rag.index_document(document("a", FIRST))
    report = await rag.index_document(document("a", FIRST, context=DocumentContext(summary="Old news.")))
    assert (report.status, report.model_calls, len(chat.calls)) == ("changed", 1, 2)
    assert "Old news." in "".join(message.content for message in chat.calls[-1].messages)
    assert await faults(rag) == []


async def test_chunks_of_the_callers_count_as_text(place: Place) -> None:
    rag = place.engine()
    text = f"{FIRST} {SECOND}"
    await rag.index_document(Document(key="a", text=text))
    report = await rag.index_document(Document(key="a", text=text, chunks=(FIRST, SECOND)))
    assert (report.status, report.passages) == ("changed", 2)


async def test_one_appended_line_reads_only_the_end_again(place: Place) -> None:
    chat = facts_chat()
    rag = place.engine(chat, chunk_tokens=60)
    lines = [f"Company{n} Corp acquired Startup{n} Labs in the year of the long winter." for n in range(60)]
    first = await rag.index_text("\n".join(lines), key="a")
    second = await rag.index_text("\n".join([*lines, THIRD]), key="a")
    assert first.passages > 15
    assert second.model_calls <= 2


async def test_equal_text_in_two_documents_is_one_passage_and_one_call(place: Place) -> None:
    chat, embedding = facts_chat(), small_embedding()
    rag = place.engine(chat, embedding)
    reports = await rag.index_documents([document("a", FIRST), document("b", FIRST), document("c", SECOND, FIRST)])
    assert [request.inputs["text"] for request in chat.calls].count(FIRST) == 1
    assert embedding.texts.count(FIRST) == 1
    assert sum(report.model_calls for report in reports) == 2
    weights = await place.rows(WEIGHTS)
    assert set(weights) == {(FIRST, 1), (SECOND, 1)}
    assert await faults(rag) == []


async def test_a_passage_stays_while_one_document_holds_it(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FIRST), document("b", FIRST)])
    await rag.index_document(document("a", SECOND))
    assert ("acme corp", "acquired", "birch labs") in await place.relations()
    await rag.index_document(document("b", SECOND))
    assert await place.relations() == {("birch labs", "hired", "cora doe")}
    assert await faults(rag) == []


async def test_weight_counts_distinct_passages(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document(str(n), f"{FIRST} Note {n}.") for n in range(5)])
    assert await place.rows(PASSAGES_OF_RELATIONS) == [(5,)]


async def test_texts_without_key_do_not_collide(place: Place) -> None:
    rag = place.engine()
    one = await rag.index_text(FIRST)
    two = await rag.index_text(SECOND)
    again = await rag.index_text(FIRST)
    assert one.key != two.key
    assert (again.key, again.status) == (one.key, "unchanged")
    assert len((await place.content())["documents"]) == 2


async def test_of_one_key_twice_the_later_document_wins(place: Place) -> None:
    chat = facts_chat()
    rag = place.engine(chat)
    reports = await rag.index_documents([document("a", FIRST, THIRD), document("b", THIRD), document("a", SECOND)])
    assert [report.status for report in reports] == ["new", "new", "changed"]
    held = {row[1]: row[-1] for row in (await place.content())["documents"]}
    assert held == {"a": (SECOND,), "b": (THIRD,)}
    assert await faults(rag) == []


async def test_of_one_key_twice_an_unchanged_later_one_wins_too(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FIRST))
    reports = await rag.index_documents([document("a", SECOND), document("a", FIRST)])
    assert [report.status for report in reports] == ["changed", "changed"]
    assert await place.relations() == {("acme corp", "acquired", "birch labs")}


async def test_reindex_replays_what_the_same_model_said(place: Place) -> None:
    chat = facts_chat()
    rag = place.engine(chat)
    await rag.index_document(document("a", FIRST, SECOND))
    before = await place.content()
    report = await rag.index_document(document("a", FIRST, SECOND), reindex=True)
    assert (report.status, report.model_calls, report.replayed, report.new_passages) == ("changed", 0, 2, 0)
    assert await place.content() == before
    assert await faults(rag) == []


async def test_reindex_with_another_model_replaces_the_structure(place: Place) -> None:
    await place.engine().index_document(document("a", FIRST))
    rag = place.engine(ScriptedChat(extract=lambda text: plain_facts(text.replace("acquired", "sold")), name="other"))
    assert (await rag.index_document(document("a", FIRST))).status == "unchanged"
    report = await rag.index_document(document("a", FIRST), reindex=True)
    assert (report.status, report.model_calls, report.new_passages) == ("changed", 1, 0)
    assert await place.relations() == {("acme corp", "sold", "birch labs")}
    assert await faults(rag) == []


async def test_a_document_that_cannot_be_used_fails_alone(place: Place) -> None:
    rag = place.engine()
    reports = await rag.index_documents(
        [Document(key="blank", text=" \n "), document("a", FIRST), document("b", SECOND, observed_at="2020-02-31")]
    )
    assert [report.status for report in reports] == ["failed", "new", "failed"]
    assert reports[0].errors[0].startswith("EmptyText")
    assert reports[2].errors[0].startswith("ImpossibleDate")


async def test_a_single_unusable_document_raises(place: Place) -> None:
    rag = place.engine()
    with pytest.raises(EmptyText):
        await rag.index_text(" ")
    with pytest.raises(ImpossibleDate):
        await rag.index_text(FIRST, observed_at="2020-02-31")


async def test_spaces_keep_documents_and_entities_apart(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FIRST, space="one"), document("a", FIRST, space="two")])
    found = await place.content()
    assert {(row[0], row[1]) for row in found["documents"]} == {("one", "a"), ("two", "a")}
    assert {(row[0], row[1]) for row in found["relations"]} == {("one", "acme corp"), ("two", "acme corp")}
    assert await faults(rag) == []
