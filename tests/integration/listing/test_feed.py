"""The feed tells each step of what changed."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import HistoryPurged, InputError, RealmNotFound, SchemaError
from post_graph_rag.records import Change, PredicateRule
from tests.integration.listing.following import held, known, pages, steps
from tests.integration.writing.support import Place, document

FACT = "Acme Corp acquired Birch Labs."
OTHER = "Elm Works hired Dora Lind."


async def since(rag: GraphRAG, mark: str) -> set[tuple[str, str, str]]:
    return steps((await rag.changes_since(mark)).items)


async def test_a_first_document_comes_with_its_entities_and_relations(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    page = await rag.changes_since(None)
    assert [(item.kind, item.change, item.text, item.space) for item in page.items] == [
        ("document", "new", "a", "default"),
        ("entity", "new", "Acme Corp", "default"),
        ("entity", "new", "Birch Labs", "default"),
        ("relation", "new", FACT, "default"),
    ]


async def test_all_changes_of_a_commit_bear_its_moment_which_is_the_watermark(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    page = await rag.changes_since(None)
    assert {item.at for item in page.items} == {await rag.watermark()} == {page.watermark}
    assert (page.mark, page.more) == (page.watermark, False)


async def test_nothing_changed_since_the_watermark(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    mark = await rag.watermark()
    page = await rag.changes_since(mark)
    assert (page.items, page.mark, page.more) == ((), mark, False)


async def test_an_unchanged_document_is_no_change(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    mark = await rag.watermark()
    await rag.index_document(document("a", FACT))
    assert await since(rag, mark) == set()


async def test_a_changed_document_tells_what_went_and_what_came(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    mark = await rag.watermark()
    await rag.index_document(document("a", "Acme Corp hired Dora Lind."))
    assert await since(rag, mark) == {
        ("document", "changed", "a"),
        ("entity", "dormant", "Birch Labs"),
        ("entity", "new", "Dora Lind"),
        ("relation", "closed", FACT),
        ("relation", "new", "Acme Corp hired Dora Lind."),
    }


async def test_changed_metadata_changes_the_document_alone(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    mark = await rag.watermark()
    await rag.index_document(document("a", FACT, metadata={"page": 2}))
    assert await since(rag, mark) == {("document", "changed", "a")}


async def test_what_comes_back_is_revived_and_reopened(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FACT), document("b", OTHER)])
    await rag.index_document(document("a", "Acme Corp hired Dora Lind."))
    mark = await rag.watermark()
    await rag.index_document(document("b", FACT))
    found = await since(rag, mark)
    assert ("entity", "revived", "Birch Labs") in found
    assert ("relation", "reopened", FACT) in found


async def test_what_was_done_and_undone_shows_each_step(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", OTHER))
    mark = await rag.watermark()
    for line in (FACT, OTHER, FACT):
        await rag.index_document(document("a", line))
    told = [item.change for item in (await rag.changes_since(mark)).items if item.text == FACT]
    assert told == ["new", "closed", "reopened"]


async def test_a_withdrawn_relation_names_nothing_that_closed_it(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    await rag.index_document(document("a", OTHER))
    closed = next(item for item in (await rag.changes_since(None)).items if item.change == "closed")
    assert (closed.text, closed.closed_by) == (FACT, ())


async def ruled(place: Place) -> GraphRAG:
    rag = place.engine(create=True)
    await rag.initialize()
    await rag.set_rules([PredicateRule(predicate="led", per="object")])
    return rag


async def test_a_superseded_relation_names_what_closed_it(place: Place) -> None:
    rag = await ruled(place)
    await rag.index_document(document("a", "Ada led Acme.", observed_at="2001"))
    mark = await rag.watermark()
    await rag.index_document(document("b", "Bob led Acme.", observed_at="2010"))
    changes = {item.text: item for item in (await rag.changes_since(mark, ["relation"])).items}
    assert {text: item.change for text, item in changes.items()} == {"Ada led Acme.": "closed", "Bob led Acme.": "new"}
    [closing] = changes["Ada led Acme."].closed_by
    assert (closing.cause, closing.relations) == ("superseded", (changes["Bob led Acme."].id,))


async def test_a_relation_that_comes_already_superseded_comes_closed(place: Place) -> None:
    rag = await ruled(place)
    await rag.index_document(document("b", "Bob led Acme.", observed_at="2010"))
    mark = await rag.watermark()
    await rag.index_document(document("a", "Ada led Acme.", observed_at="2001"))
    changes = {item.text: item for item in (await rag.changes_since(mark, ["relation"])).items}
    assert changes["Ada led Acme."].change == "closed"
    assert changes["Ada led Acme."].closed_by[0].cause == "superseded"


async def test_what_reopens_when_its_successor_is_withdrawn_is_told(place: Place) -> None:
    rag = await ruled(place)
    await rag.index_document(document("a", "Ada led Acme.", observed_at="2001"))
    await rag.index_document(document("b", "Bob led Acme.", observed_at="2010"))
    mark = await rag.watermark()
    await rag.index_document(document("b", OTHER, observed_at="2010"))
    found = await since(rag, mark)
    assert {("relation", "reopened", "Ada led Acme."), ("relation", "closed", "Bob led Acme.")} <= found


async def test_other_dates_of_a_relation_change_it(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Acme hired Dora Lind since 2001."))
    mark = await rag.watermark()
    await rag.index_document(document("b", "Acme hired Dora Lind from 1990 until 1995."))
    found = {item.change for item in (await rag.changes_since(mark, ["relation"])).items}
    assert found == {"changed"}


async def test_an_alias_merges_one_entity_into_another_and_its_end_splits_them(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", "Acme hired Dora Lind."), document("b", "Acme Corp sued Elm Works.")])
    mark = await rag.watermark()
    await rag.index_document(document("c", "Acme Corp also known as Acme sold Birch Labs."))
    merged = next(item for item in (await rag.changes_since(mark)).items if item.change == "merged")
    assert (merged.text, merged.other) == ("Acme", (await rag.get_entity("Acme Corp")).entity.id)
    mark = await rag.watermark()
    await rag.index_document(document("c", "Acme Corp sold Birch Labs."))
    split = next(item for item in (await rag.changes_since(mark)).items if item.change == "split")
    assert (split.id, split.other) == (merged.id, merged.other)


async def test_a_merged_entity_that_nothing_mentions_when_the_merge_ends_is_dormant(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Acme hired Dora Lind.", "Acme Corp also known as Acme sued Elm Works."))
    mark = await rag.watermark()
    await rag.index_document(document("a", "Acme Corp sued Elm Works."))
    assert ("entity", "dormant", "Acme") in await since(rag, mark)


async def test_only_the_kinds_that_were_asked_for_are_told(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    assert {item.kind for item in (await rag.changes_since(None, ["document", "relation"])).items} == {
        "document",
        "relation",
    }


async def test_what_is_no_mark_is_refused(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    for mark in ["", "yesterday", "2026-01-01T00:00:00.000000Z/thing/1"]:
        with pytest.raises(InputError, match="is no mark"):
            await rag.changes_since(mark)


async def test_a_page_without_a_usable_size_is_refused(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    for limit in (0, -1, 10_001):
        with pytest.raises(InputError, match="limit"):
            await rag.changes_since(None, limit=limit)


async def test_kinds_that_there_are_not_are_refused(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    for kinds in ([], ["passage"]):
        with pytest.raises(InputError, match="kinds"):
            await rag.changes_since(None, kinds)  # type: ignore[arg-type]


async def test_a_realm_that_is_not_there_has_no_watermark(place: Place) -> None:
    rag = place.engine()
    with pytest.raises(RealmNotFound):
        await rag.watermark()


async def test_a_mark_ahead_of_a_server_that_lags_behind_stays_as_it_is(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    page = await rag.changes_since("2999-01-01T00:00:00.000000Z")
    assert (page.items, page.mark, page.more) == ((), "2999-01-01T00:00:00.000000Z", False)


async def test_a_mark_before_what_is_kept_is_refused_and_a_later_one_is_not(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    early = await rag.watermark()
    await rag.index_document(document("b", OTHER))
    late = await rag.watermark()
    await place.rows("UPDATE {r}.clock SET horizon = $1::text::timestamptz RETURNING 1", late)
    with pytest.raises(HistoryPurged, match="not kept"):
        await rag.changes_since(early)
    assert (await rag.changes_since(late)).items == ()
    assert known((await rag.changes_since(None)).items) == await held(place)


async def test_a_deleted_document_takes_along_what_only_it_said(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FACT), document("b", "Acme Corp sued Elm Works.")])
    mark = await rag.watermark()
    await rag.delete_document("a")
    assert await since(rag, mark) == {
        ("document", "deleted", "a"),
        ("entity", "dormant", "Birch Labs"),
        ("relation", "closed", FACT),
    }


async def test_a_document_that_comes_back_after_its_deletion_is_new(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    await rag.delete_document("a")
    mark = await rag.watermark()
    await rag.index_document(document("a", FACT))
    assert await since(rag, mark) == {
        ("document", "new", "a"),
        ("entity", "revived", "Acme Corp"),
        ("entity", "revived", "Birch Labs"),
        ("relation", "reopened", FACT),
    }


async def test_of_what_was_erased_only_that_it_was_is_told(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    first = {(item.kind, item.id) for item in (await rag.changes_since(None)).items}
    await rag.erase_document("a")
    told = (await rag.changes_since(None)).items
    assert {(item.kind, item.id) for item in told} == first
    assert {(item.change, item.text, item.space) for item in told} == {("erased", "", None)}


async def test_what_an_erasure_leaves_otherwise_than_it_was_is_told_as_it_stands(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(
        [
            document("a", "Acme Corp also known as Acme sold Birch Labs."),
            document("b", "Acme hired Dora Lind.", "Acme Corp sued Elm Works."),
        ]
    )
    mark = await rag.watermark()
    await rag.erase_document("a")
    found = await since(rag, mark)
    assert {
        ("entity", "revived", "Acme"),
        ("entity", "revived", "Acme Corp"),
        ("relation", "new", "Acme hired Dora Lind."),
    } <= found


async def test_an_erased_entity_takes_its_relations_along(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    mark = await rag.watermark()
    entity, [relation] = (await rag.get_entity("Birch Labs")).entity.id, await place.rows("SELECT id FROM {r}.relation")
    await rag.erase_entity("Birch Labs")
    told = {(item.kind, item.id, item.change) for item in (await rag.changes_since(mark)).items}
    assert {("entity", entity, "erased"), ("relation", relation[0], "erased")} <= told


async def test_what_a_person_merges_splits_and_renames_is_told(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FACT), document("b", OTHER)])
    mark = await rag.watermark()
    await rag.merge_entities(["Elm Works"], "Acme Corp")
    await rag.split_entity("Elm Works")
    await rag.rename_entity("Acme Corp", "Acme")
    told = [(item.change, item.text) for item in (await rag.changes_since(mark, ["entity"])).items]
    assert told == [("merged", "Elm Works"), ("split", "Elm Works"), ("renamed", "Acme")]


async def test_a_relation_that_a_person_closes_tells_it(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    mark = await rag.watermark()
    [(relation,)] = await place.rows("SELECT id FROM {r}.relation")
    await rag.close_relation(relation, reason="never happened")
    await rag.reopen_relation(relation)
    closed, reopened = (await rag.changes_since(mark)).items
    assert (closed.change, [(one.cause, one.reason) for one in closed.closed_by]) == (
        "closed",
        [("override", "never happened")],
    )
    assert (reopened.change, reopened.closed_by) == ("reopened", ())


async def test_after_a_purge_marks_from_its_moment_on_still_serve(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FACT), document("b", OTHER)])
    early = await rag.watermark()
    await rag.delete_document("a")
    late = await rag.watermark()
    await rag.purge_history(late)
    with pytest.raises(HistoryPurged):
        await rag.changes_since(early)
    await rag.index_document(document("c", "Acme Corp sued Elm Works."))
    assert ("document", "new", "c") in await since(rag, late)


WORDS = ["Acme", "Acme Corp", "Birch", "Cedar", "Dora"]


def sentence(chance: random.Random) -> str:
    one, other, alias = chance.sample(WORDS, 3)
    known_as = f" also known as {alias}" if chance.random() < 0.3 else ""
    never, year = chance.choice(["", "", "never "]), chance.choice(["", f" since {chance.randint(1990, 1995)}"])
    return f"{one}{known_as} {never}{chance.choice(['led', 'hired', 'sued'])} {other}{year}."


async def change(rag: GraphRAG, chance: random.Random) -> None:
    """One thing that somebody may do; what cannot be done now is left."""
    documents = [
        document(key, *{sentence(chance) for _ in range(3)}, observed_at=str(chance.randint(1990, 2000)))
        for key in chance.sample("abcd", 2)
    ]
    one, other = chance.sample(WORDS, 2)
    acts: list[Callable[[], Awaitable[object]]] = [
        lambda: rag.index_documents(documents),
        lambda: rag.index_documents(documents),
        lambda: rag.delete_document(chance.choice("abcd")),
        lambda: rag.erase_document(chance.choice("abcd")),
        lambda: rag.merge_entities([one], other),
        lambda: rag.split_entity(one),
        lambda: rag.rename_entity(one, f"{one} {other}"),
    ]
    with suppress(InputError, SchemaError):
        await chance.choice(acts)()


@pytest.mark.parametrize("seed", range(4))
async def test_whoever_follows_the_feed_knows_what_the_realm_holds(place: Place, seed: int) -> None:
    chance = random.Random(seed)
    rag = await ruled(place)
    seen: list[Change] = []
    mark = None
    for _ in range(12):
        await change(rag, chance)
        page = await rag.changes_since(mark)
        seen += page.items
        mark = page.mark
        assert known(seen) == await held(place)
    told = await pages(rag, limit=7)
    assert known(told) == await held(place)
    assert len(told) == len(set(told))
