"""Names that people give: what bears them, what finds them, what they survive."""

from __future__ import annotations

import pytest

from post_graph_rag.errors import EntityNotFound, InputError
from post_graph_rag.records import QueryParam
from tests.integration.writing.support import Place, differences, document, faults, small_embedding

FACTS = document("facts", "Kiln Works hired Cora Doe since 2001.", "Ovens Ltd sued Delta Inc.")
LOCAL = QueryParam(mode="local")


async def shown(place: Place, key: str) -> set[str]:
    """The names that the current profiles of these entities bear."""
    return {row[3] for row in (await place.content())["entities"] if row[1] == key}


async def names(place: Place, key: str) -> set[str]:
    return {row[3] for row in (await place.content())["names"] if row[1] == key and not row[5]}


async def test_a_renamed_entity_bears_the_name_and_is_found_by_both(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    edit = await rag.rename_entity("Kiln Works", "  Oven\nMakers ")
    assert (edit.name, edit.others, edit.pending_vectors) == ("Oven Makers", (), 0)
    assert await names(place, "kiln works") == {"Kiln Works", "Oven Makers"}
    for name in ("Kiln Works", "Oven Makers"):
        found = await rag.query_data(name, LOCAL)
        assert found.entities[0].name == "Oven Makers"
    assert await faults(rag) == []


async def test_its_facts_are_shown_under_the_name(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.rename_entity("Kiln Works", "Oven Makers")
    found = await rag.query_data("Whom did Oven Makers hire?")
    assert ("Oven Makers", "hired", "Cora Doe") in {(one.subject, one.predicate, one.object) for one in found.relations}
    if "graph" in {check.check.split(": ")[-1] for check in await rag.doctor()}:
        drawn = await rag.cypher(
            "MATCH (e:Entity)-[:RELATES]->(:Entity {name: 'Cora Doe'}) RETURN e.name", columns=["name"]
        )
        assert drawn == [{"name": "Oven Makers"}]


async def test_its_vector_is_made_of_the_name(place: Place) -> None:
    embedding = small_embedding()
    rag = place.engine(embedding=embedding)
    await rag.index_document(FACTS)
    embedding.texts.clear()
    await rag.rename_entity("Kiln Works", "Oven Makers")
    assert [text.split(":")[0] for text in embedding.texts] == ["Oven Makers"]


async def test_a_name_survives_new_texts_and_reindexing(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.rename_entity("Kiln Works", "Oven Makers")
    await rag.index_document(document("more", "Kiln Works sued Echo Ltd."))
    await rag.index_document(FACTS, reindex=True)
    assert await shown(place, "kiln works") == {"Oven Makers"}
    assert await faults(rag) == []


async def test_a_name_survives_that_nothing_mentions_the_entity(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.rename_entity("Kiln Works", "Oven Makers")
    before = await place.content()
    await rag.index_document(document("facts", "Ovens Ltd sued Delta Inc."))
    assert await shown(place, "kiln works") == set()
    assert await names(place, "kiln works") == {"Oven Makers"}
    await rag.index_document(FACTS)
    assert differences(await place.content(), before) == {}
    assert await faults(rag) == []


async def test_what_nothing_mentions_can_be_renamed(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.index_document(document("facts", "Ovens Ltd sued Delta Inc."))
    edit = await rag.rename_entity("Kiln Works", "Oven Makers")
    assert (edit.name, edit.pending_vectors) == ("Oven Makers", 0)
    await rag.index_document(FACTS)
    assert await shown(place, "kiln works") == {"Oven Makers"}
    content = await place.content()
    assert content["pending"] == frozenset()
    assert await faults(rag) == []


async def test_the_targets_given_name_counts_when_two_are_merged(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.rename_entity("Kiln Works", "Oven Makers")
    await rag.rename_entity("Ovens Ltd", "The Bakery")
    await rag.merge_entities(["Oven Makers"], "The Bakery")
    assert await shown(place, "ovens ltd") == {"The Bakery"}
    assert (await rag.query_data("Oven Makers", LOCAL)).entities[0].name == "The Bakery"
    await rag.split_entity("Oven Makers")
    assert await shown(place, "kiln works") == {"Oven Makers"}
    assert await faults(rag) == []


async def test_of_a_merged_entity_what_stands_for_it_is_renamed(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.merge_entities(["Kiln Works"], "Ovens Ltd")
    await rag.rename_entity("Kiln Works", "Oven Makers")
    assert await shown(place, "ovens ltd") == {"Oven Makers"}


async def test_another_name_takes_the_place_of_the_one_before(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.rename_entity("Kiln Works", "Oven Makers")
    await rag.rename_entity("Oven Makers", "The Bakery")
    assert await names(place, "kiln works") == {"Kiln Works", "The Bakery"}
    assert await place.rows("SELECT name, upper_inf(recorded) FROM {r}.given_name ORDER BY id") == [
        ("Oven Makers", False),
        ("The Bakery", True),
    ]
    with pytest.raises(EntityNotFound):
        await rag.rename_entity("Oven Makers", "Something Else")
    assert await faults(rag) == []


async def test_the_same_name_again_changes_nothing(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.rename_entity("Kiln Works", "Oven Makers")
    before = await place.content()
    await rag.rename_entity("Kiln Works", "Oven Makers")
    assert differences(await place.content(), before) == {}
    assert await place.rows("SELECT count(*) FROM {r}.given_name") == [(1,)]


async def test_without_a_given_name_it_is_called_what_texts_call_it(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    before = await place.content()
    await rag.rename_entity("Kiln Works", "Oven Makers")
    edit = await rag.rename_entity("Oven Makers", None)
    assert edit.name == "Kiln Works"
    assert differences(await place.content(), before) == {}
    assert await faults(rag) == []


async def test_a_given_name_that_texts_use_too_outlives_either(place: Place) -> None:
    rag = place.engine()
    spelled = document("spelled", "KILN WORKS sued Echo Ltd.")
    await rag.index_documents([FACTS, spelled])
    await rag.rename_entity("Kiln Works", "Kiln Works")
    assert await shown(place, "kiln works") == {"Kiln Works"}
    await rag.index_document(document("facts", "Ovens Ltd sued Delta Inc."))
    assert await names(place, "kiln works") == {"Kiln Works", "KILN WORKS"}
    await rag.rename_entity("Kiln Works", None)
    assert await names(place, "kiln works") == {"KILN WORKS"}
    assert await shown(place, "kiln works") == {"KILN WORKS"}
    assert await faults(rag) == []


async def test_a_name_may_be_any_text(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    hostile = "O'Neil\x00 $$ \\ \ud800 " + "x" * 600
    edit = await rag.rename_entity("Kiln Works", hostile)
    assert edit.name == "O'Neil\ufffd $$ \\ \ufffd " + "x" * 600
    assert (await rag.rename_entity(hostile, None)).name == "Kiln Works"


@pytest.mark.parametrize("name", ["", "  \n"])
async def test_an_empty_name_is_refused(place: Place, name: str) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    with pytest.raises(InputError, match="empty"):
        await rag.rename_entity("Kiln Works", name)
