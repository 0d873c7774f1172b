"""Entities are listed by key and shown with all that hangs on them."""

from __future__ import annotations

import pytest

from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import EntityNotFound, InputError
from tests.integration.writing.support import Place, document

FACT = "Acme Corp acquired Birch Labs."


async def names(rag: GraphRAG, **how: bool) -> list[str]:
    return [one.name for one in (await rag.list_entities(**how)).entities]  # type: ignore[arg-type]


async def test_entities_come_in_pages_in_the_order_of_their_keys(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Zed hired Acme.", "Birch sued Cedar.", "Acme sued Dora."))
    told, after = [], None
    while True:
        page = await rag.list_entities(limit=2, after=after)
        told += [one.name for one in page.entities]
        after = page.after
        if after is None:
            break
    assert told == ["Acme", "Birch", "Cedar", "Dora", "Zed"]


async def test_pages_over_several_spaces_hold_all_and_nothing_twice(place: Place) -> None:
    rag = place.engine()
    for space in ("one", "two", "three"):
        await rag.index_document(document("a", "Acme hired Birch.", f"Acme sued Only{space}.", space=space))
    told, after = [], None
    while True:
        page = await rag.list_entities("*", limit=2, after=after)
        told += [(one.name, one.space) for one in page.entities]
        after = page.after
        if after is None:
            break
    assert len(told) == len(set(told)) == 9
    assert [name for name, _ in told] == ["Acme"] * 3 + ["Birch"] * 3 + ["Onlyone", "Onlythree", "Onlytwo"]


async def test_merged_entities_are_not_listed_and_dormant_ones_when_asked_for(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Acme also known as Acme Corp hired Dora.", "Acme Corp sued Birch."))
    await rag.index_document(document("a", "Acme also known as Acme Corp hired Zed."))
    assert await names(rag) == ["Acme", "Zed"]
    listed = (await rag.list_entities(dormant=True)).entities
    assert [(one.name, one.dormant) for one in listed] == [
        ("Acme", False),
        ("Birch", True),
        ("Dora", True),
        ("Zed", False),
    ]


async def test_a_page_behind_what_no_page_gave_is_refused(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    for after in ("", "acme", "1/acme", "x/1/acme", "1/99999999999/acme", "\ud800"):
        with pytest.raises(InputError, match="after"):
            await rag.list_entities(after=after)


async def test_an_entity_is_shown_with_all_that_hangs_on_it(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(
        [document("a", FACT, "Acme Corp hired Dora Lind."), document("b", "Acme also known as Acme Corp sold Elm.")]
    )
    merge = await rag.watermark()
    found = await rag.get_entity("Acme")
    assert (found.entity.name, found.entity.type, found.entity.dormant) == ("Acme", "Thing", False)
    assert (found.names, found.aliases) == (("Acme", "Acme Corp"), ("Acme Corp",))
    assert [(one.name, one.into, one.cause) for one in found.merged] == [("Acme Corp", found.entity.id, "alias")]
    assert found.merged[0].recorded_from <= merge
    assert (found.relations, found.weight, len(found.passages)) == (3, 3, 3)


async def test_a_merged_entity_is_shown_as_what_stands_for_it_by_name_and_by_id(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FACT), document("b", "Elm Works hired Dora Lind.")])
    merged = (await rag.get_entity("Elm Works")).entity.id
    await rag.merge_entities(["Elm Works"], "Acme Corp")
    by_name, by_id = await rag.get_entity("ELM WORKS"), await rag.get_entity(merged)
    assert by_name == by_id
    assert (by_name.entity.name, [(one.id, one.cause) for one in by_name.merged]) == ("Acme Corp", [(merged, "user")])


async def test_a_name_that_is_another_ones_alias_means_the_one_whose_own_name_it_is(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(
        [
            document("a", "Acme hired Dora."),
            document("b", "Birch also known as Acme sued Elm."),
            document("c", "Cedar also known as Acme sued Elm."),
        ]
    )
    assert (await rag.get_entity("Acme")).entity.name == "Acme"


async def test_an_alias_that_several_claim_is_refused_with_their_ids(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(
        [document("b", "Birch also known as Acme sued Elm."), document("c", "Cedar also known as Acme sued Elm.")]
    )
    birch, cedar = [(await rag.get_entity(name)).entity.id for name in ("Birch", "Cedar")]
    with pytest.raises(InputError, match=rf"{birch} \(Birch\), {cedar} \(Cedar\)"):
        await rag.get_entity("Acme")


async def test_a_name_means_what_its_space_knows(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT, space="one"))
    await rag.index_document(document("a", "Elm Works hired Dora Lind.", space="two"))
    assert (await rag.get_entity("Acme Corp", "one")).entity.space == "one"
    with pytest.raises(EntityNotFound, match="'two'"):
        await rag.get_entity("Acme Corp", "two")


async def test_an_entity_that_there_is_not_is_refused(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    for unknown in ("Nobody", "", "\x00", "\ud800", 0, -1, 10**6, 10**30):
        with pytest.raises(EntityNotFound):
            await rag.get_entity(unknown)
