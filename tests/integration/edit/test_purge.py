"""Purged history: nothing that ended by then is kept, what holds stays, and earlier beliefs are refused."""

from __future__ import annotations

import pytest

from post_graph_rag import QueryParam
from post_graph_rag.errors import HistoryPurged, ImpossibleDate
from post_graph_rag.testing import ScriptedChat, plain_facts
from tests.integration.edit.forgetting import every_row, where_it_stands
from tests.integration.writing.support import Place, differences, document, faults

FACT = "Acme Corp acquired Birch Labs."
PAST = "SELECT count(*) FROM {r}.mention WHERE NOT upper_inf(recorded)"


async def test_what_ended_before_is_gone_and_what_holds_stays(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", "Zyxquark sold Elm Oil.", FACT), document("b", FACT)])
    await rag.index_document(document("b", "Cedar Inc hired Cora Doe."))
    await rag.delete_document("a")
    held = await place.content()
    report = await rag.purge_history(await rag.watermark())
    assert (report.documents, report.passages, report.entities, report.relations) == (1, 2, 4, 2)
    assert report.replies == 2
    assert differences(await place.content(), held) == {}
    assert await where_it_stands(place, "zyxquark") == set()
    assert await faults(rag) == []


async def test_a_purged_realm_has_the_rows_of_one_that_was_never_changed(place: Place) -> None:
    rag, other = place.engine(), Place(place.dsn)
    await rag.index_documents([document("a", "Acme also known as Acme Corp sued Dale Co.", FACT), document("b", FACT)])
    await rag.index_document(document("a", "Acme sued Dale Co."))
    await rag.purge_history(await rag.watermark())
    await other.engine().index_documents([document("a", "Acme sued Dale Co."), document("b", FACT)])
    await other.close()
    assert differences(await place.content(), await other.content()) == {}
    assert await every_row(place) == await every_row(other)


async def test_beliefs_before_the_horizon_are_refused_and_later_ones_answered(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    early = await rag.watermark()
    await rag.index_document(document("a", "Cedar Inc hired Cora Doe."))
    late = await rag.watermark()
    await rag.index_document(document("a", "Dale Co sued Elm Oil."))
    report = await rag.purge_history(late)
    assert report.before == late
    then = await rag.query_data("Whom did Cedar Inc hire?", QueryParam(as_believed_at=late))
    assert [hit.fact for hit in then.relations] == ["Cedar Inc hired Cora Doe."]
    with pytest.raises(HistoryPurged):
        await rag.query_data("Acme Corp", QueryParam(as_believed_at=early))
    with pytest.raises(HistoryPurged):
        await rag.changes_since(early)


async def test_a_passage_that_holds_keeps_no_structure_of_an_earlier_reading(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    await place.engine(ScriptedChat(extract=plain_facts, name="second")).index_document(
        document("a", FACT), reindex=True
    )
    assert (await place.rows(PAST))[0][0] > 0
    held = await place.content()
    await rag.purge_history(await rag.watermark())
    assert await place.rows(PAST) == [(0,)]
    assert differences(await place.content(), held) == {}


async def test_what_somebody_merged_is_merged_when_texts_name_it_again_after_a_purge(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FACT), document("b", "Kiln Works hired Cora Doe.")])
    await rag.merge_entities(["Kiln Works"], "Acme Corp")
    await rag.delete_document("b")
    await rag.purge_history(await rag.watermark())
    assert await faults(rag) == []
    await rag.index_document(document("b", "Kiln Works hired Cora Doe."))
    assert ("acme corp", "hired", "cora doe") in await place.relations()


async def test_the_horizon_never_goes_back_nor_ahead_of_what_is_known(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    first = await rag.purge_history("2999")
    assert first.before == await rag.watermark()
    second = await rag.purge_history("2001-05")
    assert second.before == first.before
    now = await rag.query_data("What did Acme Corp acquire?", QueryParam(as_believed_at=await rag.watermark()))
    assert [hit.fact for hit in now.relations] == [FACT]


async def test_a_date_that_cannot_be_read_purges_nothing(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    await rag.delete_document("a")
    rows = await every_row(place)
    with pytest.raises(ImpossibleDate):
        await rag.purge_history("2001-02-30")
    assert await every_row(place) == rows


async def test_before_our_era_there_is_nothing_to_purge(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    assert (await rag.purge_history("44 BC")).rows == 0
