"""Erased documents are gone with all that was derived from them, and what others say is as if they had never been."""

from __future__ import annotations

import pytest

from benchmarks.sqlcount import counting
from post_graph_rag import DocumentContext, QueryParam
from post_graph_rag.errors import DocumentNotFound, InputError
from post_graph_rag.records import Document, ExtractedEntity, ExtractedRelation, Extraction, PredicateRule
from post_graph_rag.testing import ScriptedChat, plain_facts
from tests.integration.edit.forgetting import every_row, lent, sampled, vectors_in, where_it_stands
from tests.integration.writing.support import Place, differences, document, facts_chat, faults, small_embedding

FACT = "Acme Corp acquired Birch Labs."
SECRETS = (
    "Zyxquark", "zyxkey", "zyxtitle", "zyxsource", "zyxmeta", "zyxalias", "zyxkind", "zyxtale", "zyxverb", "zyxfact",
    "1987-03-09", "zyxwish", "zyxsummary", "zyxolder",
)  # fmt: skip


def telling(text: str) -> Extraction:
    """What the secret document says, and plain facts of all others."""
    secret = Extraction(
        entities=(
            ExtractedEntity(name="Zyxquark Corp", type="zyxkind", description="zyxtale", aliases=("Zyxalias",)),
            ExtractedEntity(
                name="Acme Corp", type="Thing", description="Owner of a zyxtale", aliases=("Zyxalias Two",)
            ),
        ),
        relations=(
            ExtractedRelation(
                subject="Zyxquark Corp", predicate="zyxverb", object="Acme Corp", description="The zyxfact."
            ),
            ExtractedRelation(
                subject="Acme Corp", predicate="acquired", object="Birch Labs",
                description="Birch zyxfact, so long it wins.", valid_from="1987-03-09",
            ),
        ),
    )  # fmt: skip
    return secret if "zyx" in text.lower() else plain_facts(text)


def secret(*lines: str) -> Document:
    """A document in whose every field, and in all that is found in it, a secret stands."""
    return document(
        "zyxkey",
        *lines,
        title="Zyxtitle",
        source="zyxsource",
        metadata={"zyxmeta": ["zyxmeta"]},
        context=DocumentContext(summary="zyxsummary", known_names=("Zyxwish",)),
        observed_at="1987-03-09",
    )


OTHERS = [
    document("b", FACT, "Acme Corp hired Cora Doe since 1999."),
    document("c", "Acme also known as Acme Corp sued Dale Co.", "Birch Labs sold Elm Oil."),
]


async def test_nothing_of_an_erased_document_stands_in_any_column(place: Place) -> None:
    rag = place.engine(ScriptedChat(extract=telling))
    await rag.index_documents([OTHERS[0], secret("The Zyxquark zyxolder text."), OTHERS[1]])
    await rag.index_document(secret("The Zyxquark text.", "Another Zyxquark text."))
    assert {hidden for _, hidden in await where_it_stands(place, *SECRETS)} == set(SECRETS)
    await rag.erase_document("zyxkey")
    assert await where_it_stands(place, *SECRETS) == set()
    assert await faults(rag) == []


async def test_no_vector_of_an_erased_text_is_kept(place: Place) -> None:
    embedding = small_embedding()
    rag = place.engine(ScriptedChat(extract=telling), embedding)
    await rag.index_document(OTHERS[0])
    asked = len(embedding.texts)
    await rag.index_document(secret("The Zyxquark text."))
    told = [text for text in embedding.texts[asked:] if "zyx" in text.lower()]
    vectors = list(await embedding.embed(told))
    assert len(await vectors_in(place, vectors)) == 4
    await rag.erase_document("zyxkey")
    assert await vectors_in(place, vectors) == []


async def test_after_an_erasure_a_realm_holds_what_one_holds_that_never_saw_the_document(place: Place) -> None:
    rag, other = place.engine(ScriptedChat(extract=telling)), Place(place.dsn)
    await rag.index_documents([OTHERS[0], secret("The Zyxquark text.", FACT), OTHERS[1]])
    await rag.erase_document("zyxkey")
    await other.engine().index_documents(OTHERS)
    await other.close()
    assert differences(await place.content(), await other.content()) == {}
    assert await every_row(place) == await every_row(other)
    assert await faults(rag) == []


async def test_a_deleted_document_is_erased_with_what_it_left_in_the_past(place: Place) -> None:
    rag = place.engine(ScriptedChat(extract=telling))
    await rag.index_documents([secret("The Zyxquark text."), OTHERS[0]])
    await rag.delete_documents(["zyxkey", "b"])
    await rag.erase_document("zyxkey")
    assert await where_it_stands(place, *SECRETS) == set()
    report = await rag.index_document(OTHERS[0])
    assert (report.status, report.model_calls) == ("new", 0)
    assert await where_it_stands(place, *SECRETS) == set()
    assert await faults(rag) == []


async def test_the_report_counts_what_is_no_more(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FACT, "Cedar Inc hired Cora Doe."), document("b", FACT)])
    report = await rag.erase_document("a")
    counts = (report.passages, report.entities, report.relations, report.replies)
    assert (report.keys, counts, report.errors) == (("a",), (1, 2, 1, 1), ())


async def test_a_passage_that_another_document_holds_stays_with_all_it_says(place: Place) -> None:
    chat = facts_chat()
    rag = place.engine(chat)
    await rag.index_documents([document("a", FACT, "Cedar Inc hired Cora Doe."), document("b", FACT)])
    await rag.erase_document("a")
    assert await place.relations() == {("acme corp", "acquired", "birch labs")}
    await rag.index_document(document("b", FACT), reindex=True)
    assert len(chat.calls) == 2
    assert await faults(rag) == []


async def test_a_passage_that_a_deleted_document_holds_comes_back_with_it(place: Place) -> None:
    chat = facts_chat()
    rag = place.engine(chat)
    await rag.index_documents([document("a", FACT), document("b", FACT)])
    await rag.delete_document("b")
    between = await rag.watermark()
    await rag.erase_document("a")
    assert await place.relations() == set()
    assert (await rag.query_data("Acme Corp", QueryParam(as_believed_at=between))).relations == ()
    report = await rag.index_document(document("b", FACT))
    assert (report.model_calls, report.pending, len(chat.calls)) == (0, 0, 1)
    assert await place.relations() == {("acme corp", "acquired", "birch labs")}
    assert await faults(rag) == []


async def test_a_document_erased_and_indexed_again_is_read_again(place: Place) -> None:
    chat, embedding = facts_chat(), small_embedding()
    rag = place.engine(chat, embedding)
    await rag.index_document(document("a", FACT))
    before = await place.content()
    await rag.erase_document("a")
    assert await every_row(place) == 0
    asked = len(chat.calls), embedding.texts.count(FACT)
    report = await rag.index_document(document("a", FACT))
    assert (report.status, report.model_calls) == ("new", 1)
    assert (len(chat.calls), embedding.texts.count(FACT)) == (asked[0] + 1, asked[1] + 1)
    assert differences(await place.content(), before) == {}


async def test_merges_that_only_the_erased_document_told_of_are_undone_in_the_past_too(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("b", "Zed hired Cora Doe.", FACT))
    await rag.index_document(document("a", "Acme Corp also known as Zed sued Dale Co."))
    merged = await rag.watermark()
    assert ("acme corp", "hired", "cora doe") in await place.relations()
    await rag.erase_document("a")
    assert await place.relations() == {("zed", "hired", "cora doe"), ("acme corp", "acquired", "birch labs")}
    assert await place.rows("SELECT count(*) FROM {r}.standing") == [(0,)]
    assert await place.rows("SELECT count(*) FROM {r}.merge") == [(0,)]
    then = await rag.query_data("Whom did Zed hire?", QueryParam(as_believed_at=merged))
    assert "Zed" in {hit.name for hit in then.entities}
    assert await faults(rag) == []


async def test_what_people_merged_into_an_erased_entity_stands_for_itself_again(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", "Zyxquark sold Elm Oil."), document("b", FACT)])
    await rag.merge_entities(["Acme Corp"], "Zyxquark")
    assert ("zyxquark", "acquired", "birch labs") in await place.relations()
    await rag.erase_document("a")
    assert await place.relations() == {("acme corp", "acquired", "birch labs")}
    assert await where_it_stands(place, "zyxquark") == set()
    assert await faults(rag) == []


async def test_periods_that_the_erased_document_ended_are_open_again_in_the_past_too(place: Place) -> None:
    rag = place.engine()
    await rag.set_rules([PredicateRule(predicate="leads", per="object")])
    await rag.index_document(document("b", "Ann Lee leads Acme Corp since 1990."))
    await rag.index_document(document("a", "Bob Ray leads Acme Corp since 2011-07."))
    between = await rag.watermark()
    await rag.erase_document("a")
    assert await where_it_stands(place, "2011-07-01") == set()
    spans = "SELECT valid::text, upper_inf(recorded), closed_by IS NULL FROM {r}.relation_period"
    assert await place.rows(spans) == [('["1990-01-01 00:00:00+00",)', True, True)]
    then = await rag.query_data("Who leads Acme Corp?", QueryParam(as_believed_at=between))
    assert [hit.fact for hit in then.relations] == ["Ann Lee leads Acme Corp since 1990."]
    assert await faults(rag) == []


async def test_dates_that_only_the_erased_document_states_leave_the_history_of_others(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Acme Corp owned Birch Labs from 2001 until 2005."))
    await rag.index_document(document("b", "Acme Corp owned Birch Labs from 2004 until 2009."))
    await rag.index_document(document("a", "Acme Corp owned Birch Labs from 2002 until 2004."))
    await rag.erase_document("a")
    spans = await place.rows("SELECT lower(valid)::date::text, upper(valid)::date::text FROM {r}.relation_period")
    assert spans == [("2004-01-01", "2010-01-01")]
    assert await faults(rag) == []


async def test_replies_that_were_told_a_name_only_the_erased_document_gave_go_too(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Birch LABS hired Cora Doe."))
    await rag.index_document(document("b", "Elm Oil sued Birch Labs.", "Elm Oil hired Dan Fox."))
    names = "SELECT names FROM {r}.reply WHERE 'Birch LABS' = ANY (names)"
    assert len(await place.rows(names)) > 0
    await rag.erase_document("a")
    assert await place.rows(names) == []
    assert await where_it_stands(place, "Cora Doe") == set()


async def test_a_document_that_was_never_there_cannot_be_erased(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    with pytest.raises(DocumentNotFound):
        await rag.erase_documents(["a", "b"])
    assert await place.relations() == {("acme corp", "acquired", "birch labs")}


async def test_whoever_follows_the_changes_learns_what_was_erased_and_no_word_of_it(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    mark = await rag.watermark()
    report = await rag.erase_document("a")
    changes = (await rag.changes_since(mark)).items
    assert {(change.kind, change.change) for change in changes} == {
        ("document", "erased"), ("entity", "erased"), ("relation", "erased")
    }  # fmt: skip
    assert {(change.at, change.text) for change in changes} == {(report.at, "")}


async def test_after_vacuum_the_statistics_hold_no_sample_of_it_either(place: Place) -> None:
    rag = place.engine(ScriptedChat(extract=telling))
    await rag.index_documents([*OTHERS, secret("The Zyxquark text.", "Another Zyxquark text.")])
    await rag.optimize()
    assert await sampled(place, *SECRETS) != set()
    report = await rag.erase_document("zyxkey", vacuum=True)
    assert report.vacuumed
    assert await sampled(place, *SECRETS) == set()


async def test_an_erasure_sends_as_many_statements_for_many_facts_as_for_one(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("warm", FACT))
    await rag.erase_document("warm")
    lines = [f"Acme{n % 7} Corp acquired Birch{n} Labs." for n in range(60)]
    await rag.index_documents([document("few", "Elm Oil hired Cora Doe."), document("many", *lines)])
    with counting() as few:
        await rag.erase_document("few")
    with counting() as many:
        await rag.erase_document("many")
    assert few.statements == many.statements
    assert many.statements <= 55


async def test_inside_a_callers_transaction_an_erasure_is_undone_with_it(place: Place) -> None:
    await place.engine().index_documents(OTHERS)
    before, rows = await place.content(), await every_row(place)
    async with lent(place) as (connection, rag):
        transaction = connection.transaction()
        await transaction.start()
        await rag.erase_document("b")
        await transaction.rollback()
    assert differences(await place.content(), before) == {}
    assert await every_row(place) == rows


async def test_dead_rows_that_an_older_transaction_sees_are_not_said_to_be_cleared(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FACT), document("b", "Elm Oil hired Cora Doe.")])
    async with lent(place) as (connection, _), connection.transaction(isolation="repeatable_read"):
        await connection.execute("SELECT 1 FROM pg_class LIMIT 1")
        report = await rag.erase_document("a", vacuum=True)
    assert (report.vacuumed, "VACUUM again" in report.errors[0]) == (False, True)
    assert (await rag.erase_document("b", vacuum=True)).vacuumed


async def test_dead_rows_cannot_be_cleared_inside_a_callers_transaction_and_nothing_is_erased(place: Place) -> None:
    await place.engine().index_documents(OTHERS)
    before = await place.content()
    async with lent(place) as (connection, rag), connection.transaction():
        with pytest.raises(InputError, match="vacuum"):
            await rag.erase_document("b", vacuum=True)
    assert differences(await place.content(), before) == {}


async def test_vectors_stored_before_they_had_a_source_go_too(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", "Elm Oil hired Cora Doe."), document("b", FACT)])
    await place.rows("UPDATE {r}.stored_vector SET source = NULL")
    await rag.erase_document("a")
    assert await place.rows("SELECT count(*) FROM {r}.stored_vector") == [(1,)]
