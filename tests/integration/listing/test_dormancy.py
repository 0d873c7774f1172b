"""An entity that no passage mentions is dormant: there, but out of the way until it is mentioned again."""

from __future__ import annotations

import pytest

from post_graph_rag import QueryParam
from post_graph_rag.engine import GraphRAG
from tests.integration.listing.following import steps
from tests.integration.writing.support import Place, document, faults

FACT = "Acme Corp acquired Birch Labs."
WITHOUT = "Acme Corp hired Dora Lind."


@pytest.fixture
async def rag(place: Place) -> GraphRAG:
    """An engine on a realm that has forgotten where it heard of Birch Labs."""
    made = place.engine()
    await forget_birch(made)
    return made


async def forget_birch(rag: GraphRAG) -> None:
    await rag.index_document(document("a", FACT))
    await rag.index_document(document("a", WITHOUT))


async def found(rag: GraphRAG, **how: bool) -> set[str]:
    data = await rag.query_data("Birch Labs", QueryParam(mode="local", top_k=20, **how))  # type: ignore[arg-type]
    return {hit.name for hit in data.entities}


async def test_no_question_finds_a_dormant_entity_unless_it_asks_for_those(rag: GraphRAG) -> None:
    assert "Birch Labs" not in await found(rag)
    assert "Birch Labs" in await found(rag, include_dormant=True)


async def test_a_dormant_entity_keeps_its_words_and_says_that_it_is_dormant(rag: GraphRAG) -> None:
    shown = await rag.get_entity("Birch Labs")
    assert (shown.entity.dormant, shown.entity.description) == (True, "Birch Labs, named with Acme Corp")
    assert (shown.weight, shown.relations, shown.passages) == (0, 0, ())


async def test_a_dormant_entity_is_not_in_the_graph(writing_dsn: str) -> None:
    drawn = Place(writing_dsn)
    rag = drawn.engine()
    await forget_birch(rag)
    names = await rag.cypher("MATCH (e:Entity) RETURN e.name", columns=["name"])
    assert {row["name"] for row in names} == {"Acme Corp", "Dora Lind"}
    await drawn.close()


async def test_dormancy_is_told_by_the_feed_and_so_is_its_end(rag: GraphRAG) -> None:
    mark = await rag.watermark()
    assert ("entity", "dormant", "Birch Labs") in steps((await rag.changes_since(None)).items)
    await rag.index_document(document("b", "Birch Labs sued Elm Works."))
    assert ("entity", "revived", "Birch Labs") in steps((await rag.changes_since(mark)).items)


async def test_a_new_mention_revives_a_dormant_entity_under_its_old_id(rag: GraphRAG) -> None:
    before = (await rag.get_entity("Birch Labs")).entity
    await rag.index_document(document("b", "Birch Labs sued Elm Works."))
    after = (await rag.get_entity("Birch Labs")).entity
    assert (after.id, after.dormant) == (before.id, False)
    assert "Birch Labs" in await found(rag)
    assert await faults(rag) == []


async def test_dormancy_is_part_of_what_was_believed(rag: GraphRAG) -> None:
    dormant = await rag.watermark()
    await rag.index_document(document("b", "Birch Labs sued Elm Works."))
    data = await rag.query_data("Birch Labs", QueryParam(mode="local", top_k=20, as_believed_at=dormant))
    assert "Birch Labs" not in {hit.name for hit in data.entities}


async def test_an_entity_whose_only_document_was_deleted_is_dormant(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FACT), document("b", WITHOUT)])
    await rag.delete_document("a")
    assert [(one.name, one.dormant) for one in (await rag.list_entities(dormant=True)).entities] == [
        ("Acme Corp", False),
        ("Birch Labs", True),
        ("Dora Lind", False),
    ]
