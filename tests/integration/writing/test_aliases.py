"""Aliases: which entities become one, what moves with them, and what comes back."""

from __future__ import annotations

from itertools import permutations

import pytest

from post_graph_rag.records import Extraction
from post_graph_rag.testing import ScriptedChat, plain_facts
from tests.integration.writing.support import Place, document, faults

ALIAS = "Acme Corporation also known as Acme bought Cedar Inc."
BARE = "Acme hired Cora Doe."
RIVAL = "Acme Labs also known as Acme sold Delta Inc."


async def merges(place: Place) -> set[tuple[str, str]]:
    return {(row[1], row[2]) for row in (await place.content())["merges"]}


async def test_an_alias_learned_late_is_a_recorded_merge(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", BARE))
    assert await place.relations() == {("acme", "hired", "cora doe")}
    await rag.index_document(document("b", ALIAS))
    assert await merges(place) == {("acme", "acme corp")}
    assert await place.relations() == {("acme corp", "hired", "cora doe"), ("acme corp", "bought", "cedar inc")}
    assert "acme" not in {row[1] for row in (await place.content())["entities"]}
    assert await faults(rag) == []


async def test_a_merge_ends_with_the_document_that_made_it(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", BARE))
    before = await place.content()
    await rag.index_document(document("b", ALIAS))
    await rag.index_document(document("b", "Delta Inc sued Echo Ltd."))
    after = await place.content()
    assert await merges(place) == set()
    assert after["relations"] >= before["relations"]
    assert after["entities"] >= before["entities"]
    [(closed,)] = await place.rows("SELECT count(*) FROM {r}.merge WHERE NOT upper_inf(recorded)")
    assert closed == 1
    assert await faults(rag) == []


async def test_a_name_two_entities_claim_binds_neither(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", BARE), document("b", ALIAS), document("c", RIVAL)])
    assert await merges(place) == set()
    assert ("acme", "hired", "cora doe") in await place.relations()
    assert await faults(rag) == []


async def test_a_second_claim_ends_a_merge_that_its_document_does_not_touch(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", BARE), document("b", ALIAS)])
    assert await merges(place) == {("acme", "acme corp")}
    await rag.index_document(document("c", RIVAL))
    assert await merges(place) == set()
    await rag.index_document(document("c", "Delta Inc sued Echo Ltd."))
    assert await merges(place) == {("acme", "acme corp")}
    assert await faults(rag) == []


async def test_chains_of_aliases_lead_to_their_end(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(
        [
            document("a", "A hired Cora Doe."),
            document("b", "B Group also known as A sold Delta Inc."),
            document("c", "C Holding also known as B Group bought Echo Ltd."),
        ]
    )
    assert await merges(place) == {("a", "b group"), ("b group", "c holding")}
    assert {row[0] for row in await place.relations()} == {"c holding"}
    assert await faults(rag) == []


async def test_a_chain_that_grows_at_its_far_end_stays_whole(place: Place) -> None:
    rag = place.engine()
    for number, text in enumerate(
        (
            "A hired Cora Doe.",
            "B Group also known as A sold Delta Inc.",
            "C Holding also known as B Group bought Echo Ltd.",
        )
    ):
        await rag.index_document(document(str(number), text))
    assert await merges(place) == {("a", "b group"), ("b group", "c holding")}
    assert {row[0] for row in await place.relations()} == {"c holding"}


async def test_names_that_claim_each_other_are_one(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(
        [
            document("a", "Acme also known as Zenith hired Cora Doe."),
            document("b", "Zenith also known as Acme sold Delta Inc."),
        ]
    )
    assert await place.relations() == {("acme", "hired", "cora doe"), ("acme", "sold", "delta inc")}
    assert await faults(rag) == []


async def test_an_alias_does_not_join_a_place_and_a_person(place: Place) -> None:
    def typed(text: str) -> Extraction:
        kind = "city" if text.startswith("Paris") else "person"
        found = plain_facts(text)
        return found.model_copy(
            update={"entities": tuple(entity.model_copy(update={"type": kind}) for entity in found.entities)}
        )

    rag = place.engine(ScriptedChat(extract=typed))
    await rag.index_documents(
        [document("a", "Paris hosted Games Two."), document("b", "Hector also known as Paris loved Helen.")]
    )
    assert await merges(place) == set()
    assert await faults(rag) == []


async def test_one_mistyped_mention_ends_no_merge(place: Place) -> None:
    def typed(text: str) -> Extraction:
        kind = "city" if "Cora" in text else "company"
        found = plain_facts(text)
        return found.model_copy(
            update={"entities": tuple(entity.model_copy(update={"type": kind}) for entity in found.entities)}
        )

    rag = place.engine(ScriptedChat(extract=typed))
    await rag.index_documents([document("a", "Acme bought Echo Ltd."), document("b", ALIAS)])
    await rag.index_document(document("c", "Acme sold Echo Ltd."))
    await rag.index_document(document("d", BARE))
    assert await merges(place) == {("acme>3", "acme corp>3")}
    assert await faults(rag) == []


NICKNAMES = (
    "Big Blue hired Cora Doe.",
    "International Business Machines also known as IBM sued Delta Inc.",
    "International Business Machines also known as Big Blue sold Delta Inc.",
    "IBM also known as Big Blue bought Cedar Inc.",
)


@pytest.mark.parametrize("order", list(permutations(range(4))), ids=lambda order: "".join(map(str, order)))
async def test_a_name_claimed_by_two_that_are_one_is_theirs_whatever_came_first(
    place: Place, order: tuple[int, ...]
) -> None:
    rag = place.engine()
    for number in order:
        await rag.index_document(document(str(number), NICKNAMES[number]))
    assert await merges(place) == {("big blue", "ibm"), ("ibm", "international business machines")}
    assert {row[0] for row in await place.relations()} == {"international business machines"}
    assert await faults(rag) == []


async def test_a_name_claimed_by_two_is_free_when_they_are_taken_apart(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document(str(n), text) for n, text in enumerate(NICKNAMES)])
    await rag.index_document(document("rival", "Ithaca Bowling Mates also known as IBM sold Elm Works."))
    assert await merges(place) == set()
    await rag.index_document(document("rival", "Delta Inc sued Echo Ltd."))
    assert await merges(place) == {("big blue", "ibm"), ("ibm", "international business machines")}
    assert await faults(rag) == []


async def test_an_alias_does_not_reach_into_another_space(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", BARE, space="one"), document("b", ALIAS, space="two")])
    assert await merges(place) == set()


async def test_an_alias_said_in_many_documents_holds_until_the_last_is_gone(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("bare", BARE))
    await rag.index_documents([document(f"d{n}", f"{ALIAS} Note {n}.") for n in range(3)])
    await rag.index_documents([document(f"d{n}", "Delta Inc sued Echo Ltd.") for n in range(2)])
    assert await merges(place) == {("acme", "acme corp")}
    await rag.index_document(document("d2", "Delta Inc sued Echo Ltd."))
    assert await merges(place) == set()
    assert await faults(rag) == []


async def test_a_relation_between_two_names_of_one_thing_is_none_while_they_are_one(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Acme bought Acme Corp."))
    before = await place.relations()
    await rag.index_document(document("b", ALIAS))
    assert await place.relations() == {("acme corp", "bought", "cedar inc")}
    assert [r for r in (await rag.query_data("What did Acme buy?")).relations if r.subject == r.object] == []
    assert await faults(rag) == []
    await rag.index_document(document("b", "Delta Inc sued Echo Ltd."))
    assert await place.relations() == before | {("delta inc", "sued", "echo ltd")}
    assert ("acme", "bought", "acme corp") in before
    assert await faults(rag) == []


async def test_a_relation_between_two_names_of_one_thing_comes_when_they_are_taken_apart(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("b", ALIAS))
    await rag.index_document(document("a", "Acme bought Acme Corp."))
    assert await place.relations() == {("acme corp", "bought", "cedar inc")}
    await rag.index_document(document("b", "Delta Inc sued Echo Ltd."))
    assert await place.relations() == {("acme", "bought", "acme corp"), ("delta inc", "sued", "echo ltd")}
    assert await faults(rag) == []


async def test_merged_statements_of_one_fact_are_one_relation(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(
        [
            document("a", "Acme bought Cedar Inc from 2001 until 2003."),
            document("b", "Acme Corp bought Cedar Inc from 2002 until 2005."),
            document("c", "Acme Corp also known as Acme sold Delta Inc."),
        ]
    )
    [row] = [row for row in (await place.content())["relations"] if row[2] == "bought"]
    assert row[1] == "acme corp"
    assert row[6] == ('["2001-01-01 00:00:00+00","2006-01-01 00:00:00+00")true',)
    assert row[-1] == 2
    assert await faults(rag) == []


async def test_a_merged_entity_is_described_by_what_is_said_of_all_its_names(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", BARE), document("b", ALIAS)])
    [row] = [row for row in (await place.content())["entities"] if row[1] == "acme corp"]
    assert row[3] == "Acme Corporation"
    assert "Acme hired Cora Doe." in row[5]
    assert "Acme Corporation: Acme Corporation also known" in row[5]
