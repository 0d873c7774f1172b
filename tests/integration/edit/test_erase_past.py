"""After an erasure past beliefs rest on what other documents said at that time, and on nothing else."""

from __future__ import annotations

from post_graph_rag import QueryParam
from post_graph_rag.engine import GraphRAG
from post_graph_rag.records import PredicateRule
from tests.integration.writing.support import Place, document, faults


async def periods_at(rag: GraphRAG, mark: str) -> dict[str, set[tuple[str | None, str | None, bool, bool]]]:
    """Of each fact that was believed at a mark: start, end, whether dated, and whether something closed it."""
    param = QueryParam(as_believed_at=mark, include_superseded=True, top_k=50)
    found = await rag.query_data("Who hired, sold or leads?", param)
    return {
        f"{hit.subject} {hit.predicate} {hit.object}": {
            (one.start, one.end, one.dated, one.closed_by is not None) for one in hit.periods
        }
        for hit in found.relations
    }


async def test_a_statement_without_a_date_that_is_erased_leaves_no_undated_period(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Acme Corp sold Elm Oil from 1991 until 2003."))
    await rag.index_document(document("secret", "Acme Corp sold Elm Oil."))
    mark = await rag.watermark()
    await rag.erase_document("secret")
    assert await periods_at(rag, mark) == {"Acme Corp sold Elm Oil": {("1991", "2003", True, False)}}
    assert await faults(rag) == []


async def test_a_period_is_believed_only_while_a_document_that_is_left_stated_it(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("secret", "Acme Corp sold Elm Oil since 2010."))
    first = await rag.watermark()
    await rag.index_document(document("a", "Acme Corp sold Elm Oil from 1991 until 2003."))
    second = await rag.watermark()
    await rag.index_document(document("b", "Acme Corp sold Elm Oil since 2010."))
    third = await rag.watermark()
    await rag.erase_document("secret")
    old, new = ("1991", "2003", True, False), ("2010", None, True, False)
    assert await periods_at(rag, first) == {}
    assert await periods_at(rag, second) == {"Acme Corp sold Elm Oil": {old}}
    assert await periods_at(rag, third) == {"Acme Corp sold Elm Oil": {old, new}}
    assert await faults(rag) == []


async def test_a_fact_is_closed_only_while_a_document_that_is_left_said_what_closed_it(place: Place) -> None:
    rag = place.engine()
    await rag.set_rules([PredicateRule(predicate="leads", per="object")])
    await rag.index_document(document("a", "Ann Lee leads Acme Corp from 1990 until 1999."))
    await rag.index_document(document("secret", "Bob Ray leads Acme Corp since 2011."))
    before = await rag.watermark()
    await rag.index_document(document("b", "Bob Ray leads Acme Corp since 2011."))
    after = await rag.watermark()
    await rag.erase_document("secret")
    assert True not in {closed for *_, closed in (await periods_at(rag, before)).get("Ann Lee leads Acme Corp", set())}
    assert (await periods_at(rag, after))["Ann Lee leads Acme Corp"] == {("1990", "1999", True, True)}
    assert await faults(rag) == []
