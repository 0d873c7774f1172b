"""What was believed before and after people merged, split or renamed something stays askable."""

from __future__ import annotations

from post_graph_rag.engine import GraphRAG
from post_graph_rag.records import QueryData, QueryParam
from tests.integration.writing.support import Place, document

FACTS = document("facts", "Kiln Works hired Cora Doe since 2001.", "Ovens Ltd sued Delta Inc.")
QUESTION = "What did Kiln Works and Ovens Ltd do?"


async def found(rag: GraphRAG, mark: str | None) -> QueryData:
    return await rag.query_data(QUESTION, QueryParam(as_believed_at=mark, top_k=50))


def said(data: QueryData) -> set[tuple[str, str, str]]:
    return {(relation.subject, relation.predicate, relation.object) for relation in data.relations}


async def test_the_two_are_shown_as_one_only_at_marks_in_between(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    before = await rag.watermark()
    merged = await rag.merge_entities(["Kiln Works"], "Ovens Ltd")
    parted = await rag.split_entity("Kiln Works")
    two = {("Kiln Works", "hired", "Cora Doe"), ("Ovens Ltd", "sued", "Delta Inc")}
    one = {("Ovens Ltd", "hired", "Cora Doe"), ("Ovens Ltd", "sued", "Delta Inc")}
    assert [said(await found(rag, mark)) for mark in (before, merged.at, parted.at, None)] == [two, one, two, two]
    at_merge = await found(rag, merged.at)
    assert "Kiln Works" not in {entity.name for entity in at_merge.entities}
    [oven] = [entity for entity in at_merge.entities if entity.name == "Ovens Ltd"]
    assert "hired Cora Doe" in oven.description


async def test_an_alias_that_was_split_still_binds_at_a_mark_before(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(
        [document("bare", "Acme hired Cora Doe."), document("alias", "Acme Corp also known as Acme bought Cedar Inc.")]
    )
    before = await rag.watermark()
    await rag.split_entity("Acme")
    hired = [
        {
            fact
            for fact in said(await rag.query_data("Who hired Cora Doe?", QueryParam(as_believed_at=mark)))
            if "hired" in fact
        }
        for mark in (before, None)
    ]
    assert hired == [{("Acme Corp", "hired", "Cora Doe")}, {("Acme", "hired", "Cora Doe")}]


async def test_an_entity_bears_the_name_it_had_at_each_mark(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    marks = [
        await rag.watermark(),
        (await rag.rename_entity("Kiln Works", "Oven Makers")).at,
        (await rag.rename_entity("Kiln Works", "The Bakery")).at,
        (await rag.rename_entity("Kiln Works", None)).at,
    ]
    shown = [{fact[0] for fact in said(await found(rag, mark)) if fact[1] == "hired"} for mark in marks]
    assert shown == [{"Kiln Works"}, {"Oven Makers"}, {"The Bakery"}, {"Kiln Works"}]


async def test_the_feed_tells_of_each(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    mark = await rag.watermark()
    await rag.merge_entities(["Kiln Works"], "Ovens Ltd")
    await rag.split_entity("Kiln Works")
    await rag.rename_entity("Kiln Works", "Oven Makers")
    changes = await rag.changes_since(mark, kinds=("entity",))
    told = [item.change for item in changes.items if item.text == "Oven Makers"]
    assert told == ["merged", "split", "renamed"]
