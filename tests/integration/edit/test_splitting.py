"""Merges that people undo: exactly one, with all that hung on it, and no alias makes it again."""

from __future__ import annotations

from itertools import permutations

import pytest

from post_graph_rag.errors import EntityNotFound, InputError
from tests.integration.writing.support import Content, Place, differences, document, faults

FACTS = document(
    "facts", "Kiln Works hired Cora Doe since 2001.", "Ovens Ltd sued Delta Inc.", "Delta Inc bought Echo Ltd."
)
BARE = document("bare", "Acme hired Cora Doe.")
ALIAS = document("alias", "Acme Corporation also known as Acme bought Cedar Inc.")
STANDING = """
    SELECT e.key, c.key FROM {r}.entity e
    JOIN {r}.standing s ON s.entity = e.id AND s.recorded @> $1::timestamptz JOIN {r}.entity c ON c.id = s.canonical"""


async def merges(place: Place) -> set[tuple[str, str, str]]:
    return {row[1:] for row in (await place.content())["merges"]}


def without(content: Content, *kinds: str) -> Content:
    return {kind: rows for kind, rows in content.items() if kind not in kinds}


async def test_a_split_gives_back_what_was_before_the_merge(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([FACTS, BARE, ALIAS])
    before = await place.content()
    await rag.merge_entities(["Kiln Works", "Acme"], "Ovens Ltd")
    await rag.split_entity("Kiln Works")
    edit = await rag.split_entity("Acme")
    assert (edit.name, len(edit.others), edit.pending_vectors) == ("Acme", 1, 0)
    assert differences(await place.content(), before) == {}
    assert await faults(rag) == []


async def test_the_record_still_has_the_two_as_one_in_between(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    merged = await rag.merge_entities(["Kiln Works"], "Ovens Ltd")
    parted = await rag.split_entity("Kiln Works")
    assert merged.at < parted.at
    assert await place.rows(STANDING.replace("$1", f"'{merged.at}'")) == [("kiln works", "ovens ltd")]
    assert await place.rows(STANDING.replace("$1", f"'{parted.at}'")) == []


async def test_one_of_several_is_split_and_the_others_stay(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.merge_entities(["Kiln Works", "Echo Ltd"], "Ovens Ltd")
    await rag.split_entity("Echo Ltd")
    assert await merges(place) == {("kiln works", "ovens ltd", "user")}
    assert await place.relations() == {
        ("ovens ltd", "hired", "cora doe"),
        ("ovens ltd", "sued", "delta inc"),
        ("delta inc", "bought", "echo ltd"),
    }
    assert await faults(rag) == []


async def test_a_split_in_the_middle_of_a_chain_takes_what_hangs_on_it_along(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.merge_entities(["Kiln Works"], "Ovens Ltd")
    await rag.merge_entities(["Ovens Ltd"], "Echo Ltd")
    await rag.split_entity("Ovens Ltd")
    assert await merges(place) == {("kiln works", "ovens ltd", "user")}
    assert {row[0] for row in await place.relations()} == {"ovens ltd", "delta inc"}
    assert await faults(rag) == []


async def test_splitting_an_alias_holds_whatever_texts_say_again(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(BARE)
    await rag.index_document(ALIAS)
    edit = await rag.split_entity("Acme")
    assert edit.name == "Acme"
    await rag.index_document(document("again", "Acme Corp also known as Acme sold Elm Works.", "Acme sold Elm Works."))
    assert await merges(place) == set()
    assert {("acme", "hired", "cora doe"), ("acme", "sold", "elm works"), ("acme corp", "sold", "elm works")} < (
        await place.relations()
    )
    assert await faults(rag) == []


async def test_what_was_split_can_be_merged_by_hand_and_split_again(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([BARE, ALIAS])
    await rag.split_entity("Acme")
    apart = await place.content()
    await rag.merge_entities(["Acme"], "Acme Corp")
    assert await merges(place) == {("acme", "acme corp", "user")}
    await rag.split_entity("Acme")
    assert differences(await place.content(), apart) == {}


async def test_a_merge_that_stood_in_the_place_of_an_alias_gives_way_to_it_again(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([BARE, ALIAS, FACTS])
    before = await place.content()
    await rag.merge_entities(["Acme"], "Kiln Works")
    await rag.split_entity("Acme")
    assert differences(await place.content(), before) == {}
    assert await merges(place) == {("acme", "acme corp", "alias")}


NICKNAMES = (
    document("0", "Big Blue hired Cora Doe."),
    document("1", "International Machines also known as IBM sued Delta Inc."),
    document("2", "International Machines also known as Big Blue sold Delta Inc."),
    document("3", "IBM also known as Big Blue bought Cedar Inc."),
)


async def test_what_was_split_does_not_come_back_by_way_of_a_third(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(NICKNAMES)
    assert await merges(place) == {("big blue", "ibm", "alias"), ("ibm", "international machines", "alias")}
    await rag.split_entity("Big Blue")
    assert await merges(place) == {("ibm", "international machines", "alias")}
    assert ("big blue", "hired", "cora doe") in await place.relations()
    assert await faults(rag) == []


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=lambda order: "".join(map(str, order)))
async def test_a_split_and_later_documents_give_the_same_in_any_order(
    place: Place, order: tuple[int, ...], writing_dsn: str
) -> None:
    later = [NICKNAMES[1], NICKNAMES[2], FACTS]
    rag, other = place.engine(), Place(writing_dsn)
    await rag.index_documents([NICKNAMES[0], NICKNAMES[3]])
    await rag.split_entity("Big Blue")
    for number in order:
        await rag.index_document(later[number])
    late = other.engine()
    await late.index_documents([*NICKNAMES, FACTS])
    await late.split_entity("Big Blue")
    assert differences(await place.content(), await other.content()) == {}
    await other.close()


async def test_a_split_ends_no_merge_of_the_same_name_elsewhere(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([BARE, ALIAS])
    await rag.index_documents([document(f"{one.key} there", one.text, space="there") for one in (BARE, ALIAS)])
    await rag.split_entity("Acme", space="there")
    assert {row[:3] for row in (await place.content())["merges"]} == {("default", "acme", "acme corp")}


async def test_what_is_merged_into_nothing_cannot_be_split(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    with pytest.raises(InputError, match="merged into nothing"):
        await rag.split_entity("Kiln Works")
    with pytest.raises(EntityNotFound):
        await rag.split_entity("Nobody Ltd")
    assert await place.rows("SELECT count(*) FROM {r}.apart") == [(0,)]
