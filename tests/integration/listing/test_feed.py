"""The feed tells each step of what changed."""

from __future__ import annotations

import random

import pytest

from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import HistoryPurged, InputError, RealmNotFound
from post_graph_rag.records import PredicateRule
from tests.integration.listing.following import held, known, pages, steps, without_texts
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


@pytest.mark.parametrize(
    "mark",
    ["", "yesterday", "2026-01-01", "2026-13-01T00:00:00.000000Z", "2026-01-01T00:00:00.000000Z/thing/1"],
)
async def test_what_is_no_mark_is_refused(place: Place, mark: str) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    with pytest.raises(InputError, match="is no mark"):
        await rag.changes_since(mark)


@pytest.mark.parametrize("limit", [0, -1, 10_001])
async def test_a_page_without_a_usable_size_is_refused(place: Place, limit: int) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    with pytest.raises(InputError, match="limit"):
        await rag.changes_since(None, limit=limit)


@pytest.mark.parametrize("kinds", [[], ["passage"]])
async def test_kinds_that_there_are_not_are_refused(place: Place, kinds: list[str]) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
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


WORDS = ["Acme", "Acme Corp", "Birch", "Cedar", "Dora"]


def sentence(chance: random.Random) -> str:
    one, other, alias = chance.sample(WORDS, 3)
    known_as = f" also known as {alias}" if chance.random() < 0.3 else ""
    never, year = chance.choice(["", "", "never "]), chance.choice(["", f" since {chance.randint(1990, 1995)}"])
    return f"{one}{known_as} {never}{chance.choice(['led', 'hired', 'sued'])} {other}{year}."


@pytest.mark.parametrize("seed", range(4))
async def test_whoever_follows_the_feed_knows_what_the_realm_holds(place: Place, seed: int) -> None:
    chance = random.Random(seed)
    rag = await ruled(place)
    seen = []
    mark = None
    for _ in range(8):
        await rag.index_documents(
            [
                document(key, *{sentence(chance) for _ in range(3)}, observed_at=str(chance.randint(1990, 2000)))
                for key in chance.sample("abcd", 2)
            ]
        )
        page = await rag.changes_since(mark)
        seen += page.items
        mark = page.mark
        assert known(seen) == await held(place)
    assert without_texts(await pages(rag, limit=7)) == without_texts(seen)
