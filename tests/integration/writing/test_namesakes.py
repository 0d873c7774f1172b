"""Things of one name: kept apart by their kinds, and found where no kind is given."""

from __future__ import annotations

import itertools

import pytest

from post_graph_rag import Document, EntityNotFound, GraphRAG, InputError
from post_graph_rag.records import ExtractedEntity, ExtractedRelation, Extraction
from post_graph_rag.testing import ScriptedChat
from tests.integration.writing.support import Place, document, faults

TEXTS = {
    "player": ("Jordan played for the Bulls.", "person", "Jordan", "played_for", "Bulls"),
    "country": ("Jordan borders Iraq.", "country", "Jordan", "borders", "Iraq"),
    "bare": ("Jordan was seen in Chicago.", "", "Jordan", "seen_in", "Chicago"),
}


def typed(text: str) -> Extraction:
    """What the texts above say, with the kind each gives to its subject."""
    [(_, kind, subject, predicate, object_)] = [said for said in TEXTS.values() if said[0] == text.strip()]
    return Extraction(
        entities=(ExtractedEntity(name=subject, type=kind),),
        relations=(ExtractedRelation(subject=subject, predicate=predicate, object=object_),),
    )


def engine(place: Place) -> GraphRAG:
    return place.engine(ScriptedChat(extract=typed))


def said(*keys: str) -> list[Document]:
    return [document(key, TEXTS[key][0]) for key in keys]


async def named_jordan(rag: GraphRAG) -> set[tuple[str, int]]:
    """The kinds of the entities of that name that stand for themselves, and how many passages mention each."""
    found = [one for one in (await rag.list_entities()).entities if one.name == "Jordan"]
    return {(one.type, (await rag.get_entity(one.id)).weight) for one in found}


async def test_a_person_and_a_country_of_one_name_are_two(place: Place) -> None:
    rag = engine(place)
    await rag.index_documents(said("player", "country"))
    assert await named_jordan(rag) == {("person", 1), ("country", 1)}
    assert await faults(rag) == []


async def test_a_name_without_a_kind_is_the_only_thing_so_called(place: Place) -> None:
    rag = engine(place)
    await rag.index_documents(said("player", "bare"))
    assert await named_jordan(rag) == {("person", 2)}
    assert await faults(rag) == []


@pytest.mark.parametrize("order", itertools.permutations(TEXTS))
async def test_in_any_order_a_name_that_may_mean_two_binds_neither(place: Place, order: tuple[str, ...]) -> None:
    rag = engine(place)
    for one in said(*order):
        await rag.index_document(one)
    assert await named_jordan(rag) == {("person", 1), ("country", 1), ("", 1)}
    assert await faults(rag) == []


async def test_when_one_of_two_namesakes_goes_the_other_is_meant(place: Place) -> None:
    rag = engine(place)
    await rag.index_documents(said("player", "country", "bare"))
    await rag.delete_document("player")
    assert await named_jordan(rag) == {("country", 2)}
    assert await faults(rag) == []


async def test_a_name_that_two_bear_is_to_be_told_by_its_id(place: Place) -> None:
    rag = engine(place)
    await rag.index_documents(said("player", "country"))
    with pytest.raises(InputError, match="may mean several entities"):
        await rag.get_entity("Jordan")


async def test_to_erase_an_entity_erases_what_was_said_of_it_without_a_kind(place: Place) -> None:
    rag = engine(place)
    await rag.index_documents(said("player", "bare"))
    await rag.erase_entity("Jordan")
    with pytest.raises(EntityNotFound):
        await rag.get_entity("Jordan")
    assert {one.name for one in (await rag.list_entities()).entities} == {"Bulls", "Chicago"}
    assert await faults(rag) == []


async def test_two_passages_that_call_a_thing_differently_keep_its_facts_together(place: Place) -> None:
    rag = engine(place)
    await rag.index_documents(said("player", "bare"))
    found = await rag.query_data("Where did Jordan play and where was Jordan seen?")
    assert {(one.predicate, one.object) for one in found.relations} == {("played_for", "Bulls"), ("seen_in", "Chicago")}
    assert len({one.subject for one in found.relations}) == 1
