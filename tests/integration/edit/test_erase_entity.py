"""An erased entity is gone with all that was said of it; texts, and what stood for it, stay."""

from __future__ import annotations

import pytest

from post_graph_rag import QueryParam
from post_graph_rag.errors import EntityNotFound, InputError
from tests.integration.edit.forgetting import where_it_stands
from tests.integration.writing.support import Place, document, facts_chat, faults

FACT = "Acme Corp acquired Birch Labs."
TEXTS = {
    "passage.text", "posting.term", "Passage.properties", "assertion.fact", "relation.fact", "RELATES.properties",
    "observation.description", "entity_profile.description", "Entity.properties", "document_version.title",
}  # fmt: skip


async def test_an_erased_entity_is_an_end_of_nothing_any_more(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(
        [document("a", FACT, "Cedar Inc hired Cora Doe."), document("b", "Birch Labs sold Elm Oil.")]
    )
    report = await rag.erase_entity("Birch Labs")
    assert (report.entities, report.relations, report.texts_left_in) == (1, 2, ("a", "b"))
    assert await place.relations() == {("cedar inc", "hired", "cora doe")}
    assert await faults(rag) == []


async def test_of_an_erased_entity_only_texts_of_others_hold_the_name(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Acme Corp also known as Zyxquark sued Dale Co.", "Zyxquark sold Elm Oil."))
    await rag.erase_entity("Zyxquark")
    found = {".".join(column.split(".")[-2:]) for column, _ in await where_it_stands(place, "zyxquark")}
    columns = {column for column in found if not column.startswith("_ag_label")}
    assert columns <= TEXTS
    assert await place.rows("SELECT key FROM {r}.entity WHERE key LIKE '%zyx%'") == []
    assert await place.rows("SELECT name FROM {r}.entity_name WHERE key LIKE '%zyx%'") == []
    assert await faults(rag) == []


async def test_an_erased_entity_is_gone_from_past_beliefs(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    before = await rag.watermark()
    await rag.erase_entity("Birch Labs")
    then = await rag.query_data("Birch Labs", QueryParam(as_believed_at=before))
    assert {hit.name for hit in then.entities} == {"Acme Corp"}
    assert then.relations == ()


async def test_what_stood_for_an_erased_entity_stands_for_itself_again(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FACT), document("b", "Acme sued Dale Co.", "Zed Corp hired Cora Doe.")])
    await rag.merge_entities(["Acme Corp", "Acme"], "Zed Corp")
    report = await rag.erase_entity("Zed Corp")
    assert report.relations == 3
    assert await place.relations() == {("acme corp", "acquired", "birch labs"), ("acme", "sued", "dale co")}
    assert await faults(rag) == []


async def test_replies_about_passages_that_mentioned_an_erased_entity_are_gone(place: Place) -> None:
    chat = facts_chat()
    rag = place.engine(chat)
    await rag.index_document(document("a", FACT, "Cedar Inc hired Cora Doe."))
    report = await rag.erase_entity("Birch Labs")
    assert report.replies == 1
    assert await place.rows("SELECT count(*) FROM {r}.reply") == [(1,)]
    again = await rag.index_document(document("a", FACT, "Cedar Inc hired Cora Doe."))
    assert again.status == "unchanged"
    assert ("acme corp", "acquired", "birch labs") not in await place.relations()


async def test_an_entity_can_be_erased_by_its_id(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    [(entity,)] = await place.rows("SELECT id FROM {r}.entity WHERE key = 'acme corp'")
    await rag.erase_entity(entity)
    assert [row[1] for row in (await place.content())["entities"]] == ["birch labs"]


@pytest.mark.parametrize("entity", ["Nobody", 4711])
async def test_an_entity_that_is_not_there_cannot_be_erased(place: Place, entity: int | str) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    with pytest.raises(EntityNotFound):
        await rag.erase_entity(entity)


async def test_a_name_that_may_mean_several_entities_erases_none(place: Place) -> None:
    rag = place.engine()
    texts = [f"{name} also known as Zed sued Dale Co." for name in ("Acme Corp", "Birch Labs")]
    await rag.index_document(document("a", *texts))
    with pytest.raises(InputError, match="several"):
        await rag.erase_entity("Zed")


async def test_a_text_that_is_read_anew_brings_an_erased_entity_back(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    await rag.erase_entity("Acme Corp")
    await rag.index_document(document("a", FACT))
    await rag.complete_pending()
    assert await place.relations() == set()
    await rag.index_document(document("a", FACT), reindex=True)
    assert await place.relations() == {("acme corp", "acquired", "birch labs")}
    assert await faults(rag) == []
