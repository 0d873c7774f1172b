"""Words of what is gone: never found, whether their flags are taken down yet or not."""

from __future__ import annotations

from post_graph_rag.records import QueryParam
from tests.integration.writing.support import Place, document, faults

FLAGGED = "SELECT count(*) FROM {r}.posting p JOIN {r}.stale_word s USING (kind, id) WHERE p.current"


async def found(place: Place, question: str) -> set[str]:
    data = await place.engines[0].query_data(question, QueryParam(mode="mix", top_k=50))
    return {hit.text for hit in data.passages if any(rank.channel == "passage_text" for rank in hit.channels)}


async def test_what_is_gone_is_not_found_before_its_flags_are_taken_down_nor_after(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", "Ada led Acme."), document("b", "Bob led Birch.")])
    await rag.delete_document("a")
    [(flagged,)] = await place.rows(FLAGGED)
    assert flagged > 0
    assert await found(place, "Who led Acme?") == {"Bob led Birch."}
    await rag.optimize()
    assert await place.rows(FLAGGED) == [(0,)]
    assert await found(place, "Who led Acme?") == {"Bob led Birch."}
    assert await faults(rag) == []


async def test_what_comes_back_is_found_by_its_words_again(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Ada led Acme."))
    await rag.delete_document("a")
    await rag.optimize()
    await rag.index_document(document("a", "Ada led Acme."))
    assert await found(place, "Who led Acme?") == {"Ada led Acme."}
    assert await faults(rag) == []


async def test_what_comes_back_before_its_flags_are_taken_down_keeps_them(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Ada led Acme."))
    await rag.delete_document("a")
    await rag.index_document(document("a", "Ada led Acme."))
    await rag.optimize()
    assert await found(place, "Who led Acme?") == {"Ada led Acme."}
    assert await faults(rag) == []
