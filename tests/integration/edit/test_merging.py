"""Entities that people merge: what moves with them, what binds aliases, what is refused."""

from __future__ import annotations

import asyncio
from itertools import permutations

import pytest

from post_graph_rag.errors import EntityNotFound, InputError, SpaceNotFound
from post_graph_rag.records import QueryParam
from tests.integration.writing.support import Place, differences, document, faults, small_embedding

FACTS = document(
    "facts", "Kiln Works hired Cora Doe since 2001.", "Ovens Ltd sued Delta Inc.", "Delta Inc bought Echo Ltd."
)
ALIAS = document("alias", "Acme Corporation also known as Acme bought Cedar Inc.")
BARE = document("bare", "Acme hired Cora Doe.")


async def merges(place: Place) -> set[tuple[str, str, str]]:
    return {row[1:] for row in (await place.content())["merges"]}


async def test_a_merged_entity_brings_its_facts_names_and_description_along(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    edit = await rag.merge_entities(["Kiln Works"], "Ovens Ltd")
    assert (edit.name, edit.space, edit.pending_vectors, edit.errors) == ("Ovens Ltd", "default", 0, ())
    assert await merges(place) == {("kiln works", "ovens ltd", "user")}
    assert {row for row in await place.relations() if row[0] == "ovens ltd"} == {
        ("ovens ltd", "hired", "cora doe"),
        ("ovens ltd", "sued", "delta inc"),
    }
    content = await place.content()
    [kept] = [row for row in content["entities"] if row[1] in ("kiln works", "ovens ltd")]
    assert "hired Cora Doe" in kept[5]
    assert content["pending"] == frozenset()
    assert await faults(rag) == []


async def test_a_question_by_the_merged_name_finds_what_it_stands_under_now(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.merge_entities(["Kiln Works"], "Ovens Ltd")
    found = await rag.query_data("Kiln Works", QueryParam(mode="local"))
    assert found.entities[0].name == "Ovens Ltd"
    assert ("Ovens Ltd", "hired") in {(relation.subject, relation.predicate) for relation in found.relations}


async def test_several_are_merged_at_once_by_name_or_by_id(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    [(number,)] = await place.rows("SELECT id FROM {r}.entity WHERE key = 'echo ltd'")
    edit = await rag.merge_entities(["Kiln Works", number, "kiln works"], "Ovens Ltd")
    assert len(edit.others) == 2
    assert await merges(place) == {("kiln works", "ovens ltd", "user"), ("echo ltd", "ovens ltd", "user")}


async def test_a_merge_is_one_commit_at_one_stamp(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.merge_entities(["Kiln Works"], "Ovens Ltd")
    [(stamp,)] = await place.rows("SELECT stamp FROM {r}.clock")
    began = await place.rows(
        "SELECT lower(recorded) FROM {r}.merge UNION ALL SELECT lower(recorded) FROM {r}.standing "
        "UNION ALL SELECT upper(recorded) FROM {r}.entity_presence WHERE NOT upper_inf(recorded)"
    )
    assert began == [(stamp,)] * 3


async def test_merging_again_changes_nothing(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.merge_entities(["Kiln Works"], "Ovens Ltd")
    before = await place.content()
    assert (await rag.merge_entities(["Kiln Works"], "Ovens Ltd")).others == ()
    assert differences(await place.content(), before) == {}
    assert await place.rows("SELECT count(*) FROM {r}.merge") == [(1,)]


async def test_a_chain_of_merges_leads_to_its_end(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.merge_entities(["Kiln Works"], "Ovens Ltd")
    await rag.merge_entities(["Ovens Ltd"], "Echo Ltd")
    assert {row[0] for row in await place.relations()} == {"echo ltd", "delta inc"}
    assert await faults(rag) == []


async def test_a_merge_replaces_the_one_that_followed_from_an_alias(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([BARE, ALIAS, FACTS])
    await rag.merge_entities(["Acme"], "Kiln Works")
    assert await merges(place) == {("acme", "kiln works", "user")}
    assert ("kiln works", "hired", "cora doe") in await place.relations()
    await rag.index_document(document("more", "Acme Corp also known as Acme sold Elm Works."))
    assert await merges(place) == {("acme", "kiln works", "user")}
    assert await faults(rag) == []


async def test_what_an_alias_made_one_with_a_source_comes_along(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([BARE, ALIAS, FACTS])
    await rag.merge_entities(["Acme Corp"], "Kiln Works")
    assert await merges(place) == {("acme", "acme corp", "alias"), ("acme corp", "kiln works", "user")}
    assert {row[0] for row in await place.relations()} == {"kiln works", "ovens ltd", "delta inc"}
    assert await faults(rag) == []


async def test_an_alias_that_leads_back_is_no_merge(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([BARE, document("corp", "Acme Corp sold Elm Works.")])
    await rag.merge_entities(["Acme Corp"], "Acme")
    await rag.index_document(ALIAS)
    assert await merges(place) == {("acme corp", "acme", "user")}
    assert {row[0] for row in await place.relations()} == {"acme"}
    assert await faults(rag) == []


NICKNAMES = (
    document("0", "Big Blue hired Cora Doe."),
    document("1", "Business Machines also known as Big Blue sued Delta Inc."),
    document("2", "Ithaca Machines also known as Big Blue sold Delta Inc."),
)


@pytest.mark.parametrize("turn", range(3))
async def test_a_name_that_two_claim_is_theirs_once_somebody_merged_the_two(place: Place, turn: int) -> None:
    rag = place.engine()
    await rag.index_documents(
        [document("3", "Business Machines hired Finn Roe."), document("4", "Ithaca Machines hired Gil.")]
    )
    for number, text in enumerate(NICKNAMES):
        if number == turn:
            await rag.merge_entities(["Ithaca Machines"], "Business Machines")
        await rag.index_document(text)
    assert {("big blue", "business machines", "alias")} < await merges(place)
    assert {row[0] for row in await place.relations()} == {"business machines"}
    assert await faults(rag) == []


LATER = (
    BARE,
    ALIAS,
    document("late", "Kiln Works hired Cora Doe.", "Acme Corp also known as Kiln Works sued Delta Inc."),
)


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=lambda order: "".join(map(str, order)))
async def test_a_merge_and_later_documents_give_the_same_in_any_order(
    place: Place, order: tuple[int, ...], writing_dsn: str
) -> None:
    rag, other = place.engine(), Place(writing_dsn)
    await rag.index_document(FACTS)
    await rag.merge_entities(["Kiln Works"], "Ovens Ltd")
    for number in order:
        await rag.index_document(LATER[number])
    late = other.engine()
    await late.index_documents([FACTS, *LATER])
    await late.merge_entities(["Kiln Works"], "Ovens Ltd")
    assert differences(await place.content(), await other.content()) == {}
    await other.close()


async def test_a_merge_outlives_the_documents_and_holds_when_they_come_back(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.merge_entities(["Kiln Works"], "Ovens Ltd")
    before = await place.content()
    await rag.index_document(document("facts", "Nothing Co sold Elm Works."))
    assert await faults(rag) == []
    await rag.index_document(FACTS)
    assert differences(await place.content(), before) == {}
    assert await faults(rag) == []


async def test_vectors_that_cannot_be_made_wait_and_are_counted(place: Place) -> None:
    embedding = small_embedding()
    rag = place.engine(embedding=embedding)
    await rag.index_document(FACTS)
    embedding.behaviour.fail = 99
    edit = await rag.merge_entities(["Kiln Works"], "Ovens Ltd")
    assert edit.pending_vectors > 0
    assert len(edit.errors) == 1
    embedding.behaviour.fail = 0
    await rag.complete_pending()
    assert (await place.content())["pending"] == frozenset()


async def test_two_who_merge_at_once_make_one_merge(place: Place) -> None:
    rag, other = place.engine(), place.engine()
    await rag.index_document(FACTS)
    edits = await asyncio.gather(*[one.merge_entities(["Kiln Works"], "Ovens Ltd") for one in (rag, other)])
    assert sorted(len(edit.others) for edit in edits) == [0, 1]
    assert await faults(rag) == []


async def test_two_who_merge_in_a_circle_at_once_are_told_apart(place: Place) -> None:
    rag, other = place.engine(), place.engine()
    await rag.index_document(FACTS)
    outcomes = await asyncio.gather(
        rag.merge_entities(["Kiln Works"], "Ovens Ltd"),
        other.merge_entities(["Ovens Ltd"], "Kiln Works"),
        return_exceptions=True,
    )
    assert sum(isinstance(outcome, InputError) for outcome in outcomes) == 1
    assert await faults(rag) == []


REFUSED = {
    "nobody": ([], "Ovens Ltd", InputError),
    "a text for a list": ("Kiln Works", "Ovens Ltd", InputError),
    "itself": (["Ovens Ltd"], "Ovens Ltd", InputError),
    "itself by another spelling": (["Echo Ltd", "OVENS LIMITED"], "Ovens Ltd", InputError),
    "what it stands for": (["Delta Inc"], "Kiln Works", InputError),
    "what was merged into another": (["Kiln Works"], "Ovens Ltd", InputError),
    "an unknown name": (["Nobody Ltd"], "Ovens Ltd", EntityNotFound),
    "an unknown target": (["Ovens Ltd"], "Nobody Ltd", EntityNotFound),
    "an unknown id": ([999_999], "Ovens Ltd", EntityNotFound),
    "an id beyond all": ([1 << 63], -(1 << 70), EntityNotFound),
    "an empty name": ([""], "Ovens Ltd", EntityNotFound),
}


@pytest.mark.parametrize("what", REFUSED)
async def test_what_cannot_be_merged_is_refused_and_nothing_is_written(place: Place, what: str) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    await rag.merge_entities(["Kiln Works"], "Delta Inc")
    before = await place.content()
    sources, target, error = REFUSED[what]
    with pytest.raises(error):
        await rag.merge_entities(sources, target)  # type: ignore[arg-type]
    assert differences(await place.content(), before) == {}


async def test_a_circle_through_an_alias_is_refused_until_that_is_split(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([BARE, ALIAS])
    with pytest.raises(InputError, match="stands for"):
        await rag.merge_entities(["Acme Corp"], "Acme")
    await rag.split_entity("Acme")
    await rag.merge_entities(["Acme Corp"], "Acme")
    assert await merges(place) == {("acme corp", "acme", "user")}
    assert await faults(rag) == []


async def test_entities_of_two_spaces_are_not_merged(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([FACTS, document("x", "Kiln Works sued Birch Labs.", space="other")])
    far = (await rag.get_entity("Kiln Works", space="other")).entity.id
    with pytest.raises(InputError, match="one space"):
        await rag.merge_entities([far], "Ovens Ltd")
    with pytest.raises(EntityNotFound):
        await rag.merge_entities(["Ovens Ltd"], "Kiln Works", space="other")
    with pytest.raises(SpaceNotFound):
        await rag.merge_entities(["Ovens Ltd"], "Kiln Works", space="nowhere")
    await rag.merge_entities(["Birch Labs"], "Kiln Works", space="other")
    assert {row[0] for row in (await place.content())["merges"]} == {"other"}
