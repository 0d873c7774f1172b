"""When relations hold: from what texts state, never from the clock."""

from __future__ import annotations

import pytest

from post_graph_rag.records import ExtractedRelation, Extraction
from post_graph_rag.testing import ScriptedChat
from tests.integration.writing.support import Place, document, faults

FACT = "Acme Corp led Birch Labs"
UNDATED = "(,)false"


def span(start: str | None, end: str | None) -> str:
    """A stored period of whole years: from the start of one to the end of another."""
    lower = f'["{start}-01-01 00:00:00+00"' if start else "("
    upper = f'"{int(end) + 1:04}-01-01 00:00:00+00")' if end else ")"
    return f"{lower},{upper}true"


async def periods(place: Place, negated: bool = False) -> set[str]:
    [row] = [row for row in (await place.content())["relations"] if row[2] == "led" and row[4] is negated]
    return set(row[6])


async def test_a_fact_without_a_date_holds_undated(place: Place) -> None:
    await place.engine().index_document(document("a", f"{FACT}."))
    assert await periods(place) == {UNDATED}


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("from 2001 until 2003", span("2001", "2003")),
        ("since 2020", span("2020", None)),
        ("until 1999", span(None, "1999")),
    ],
)
async def test_stated_dates_become_a_period(place: Place, stated: str, expected: str) -> None:
    await place.engine().index_document(document("a", f"{FACT} {stated}."))
    assert await periods(place) == {expected}


async def test_disjoint_periods_stay_apart(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(
        [
            document("a", f"{FACT} since 2020."),
            document("b", f"{FACT} from 2001 until 2003."),
            document("c", f"{FACT} from 2010 until 2012."),
        ]
    )
    assert await periods(place) == {span("2001", "2003"), span("2010", "2012"), span("2020", None)}
    assert await faults(rag) == []


async def test_overlapping_periods_are_one_until_what_joined_them_goes(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(
        [document("a", f"{FACT} from 2001 until 2004."), document("b", f"{FACT} from 2008 until 2010.")]
    )
    await rag.index_document(document("c", f"{FACT} from 2003 until 2009."))
    assert await periods(place) == {span("2001", "2010")}
    await rag.index_document(document("c", "Acme Corp led Cedar Inc."))
    rows = [row[6] for row in (await place.content())["relations"] if row[3] == "birch labs"]
    assert rows == [(span("2001", "2004"), span("2008", "2010"))]
    assert await faults(rag) == []


async def test_an_undated_statement_stands_beside_a_dated_one(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", f"{FACT}."), document("b", f"{FACT} since 2001.")])
    assert await periods(place) == {UNDATED, span("2001", None)}


async def test_a_denial_is_a_relation_of_its_own(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(
        [document("a", f"{FACT} since 2001."), document("b", "Acme Corp never led Birch Labs until 1999.")]
    )
    assert await periods(place) == {span("2001", None)}
    assert await periods(place, negated=True) == {span(None, "1999")}
    assert await faults(rag) == []


async def test_recorded_periods_are_closed_and_not_changed(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", f"{FACT} since 2001."))
    await rag.index_document(document("a", f"{FACT} since 2005."))
    history = await place.rows("SELECT valid::text, upper_inf(recorded) FROM {r}.relation_period ORDER BY id")
    assert history == [('["2001-01-01 00:00:00+00",)', False), ('["2005-01-01 00:00:00+00",)', True)]


@pytest.mark.parametrize(
    ("first", "last", "expected", "counted"),
    [
        ("2001-02-30", None, UNDATED, 1),
        ("2005", "2001", UNDATED, 1),
        ("2001", "someday", UNDATED, 1),
        ("1990", "the merger", UNDATED, 1),
        ("the merger", "1999", span(None, "1999"), 1),
        ("2001", "present", span("2001", None), 0),
    ],
)
async def test_impossible_dates_are_counted_and_kept_as_stated_but_make_no_period(
    place: Place, first: str, last: str | None, expected: str, counted: int
) -> None:
    said = Extraction(
        relations=(
            ExtractedRelation(
                subject="Acme Corp", predicate="led", object="Birch Labs", valid_from=first, valid_to=last
            ),
        )
    )
    report = await place.engine(ScriptedChat({"extraction": said})).index_document(document("a", FACT))
    assert report.gates.get("impossible_date", 0) == counted
    assert await periods(place) == {expected}
    assert await place.rows("SELECT stated_from, stated_to FROM {r}.assertion") == [
        (first, None if last == "present" else last)
    ]


async def test_dates_before_our_era_are_kept(place: Place) -> None:
    said = Extraction(
        relations=(
            ExtractedRelation(
                subject="Acme Corp", predicate="led", object="Birch Labs", valid_from="44 BC", valid_to="0010"
            ),
        )
    )
    rag = place.engine(ScriptedChat({"extraction": said}))
    await rag.index_document(document("a", FACT))
    assert await periods(place) == {'["0044-01-01 00:00:00+00 BC","0011-01-01 00:00:00+00")true'}
    await rag.index_document(document("b", f"{FACT}, again"))
    [(rows,)] = await place.rows("SELECT count(*) FROM {r}.relation_period")
    assert rows == 1
    assert await faults(rag) == []


async def test_event_time_comes_from_the_source(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", f"{FACT}."), document("b", f"{FACT}.", observed_at="2011-05")])
    events = await place.rows("SELECT event::text FROM {r}.assertion ORDER BY event NULLS FIRST")
    assert events == [(None,), ('["2011-05-01 00:00:00+00","2011-06-01 00:00:00+00")',)]
    assert await periods(place) == {UNDATED}


async def test_one_text_of_two_dates_is_two_passages(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(
        [document("a", f"{FACT}.", observed_at="2010"), document("b", f"{FACT}.", observed_at="2011")]
    )
    assert len((await place.content())["passages"]) == 2


@pytest.mark.parametrize(
    ("stated", "first", "last"),
    [
        (("2001", "2004"), "2001-01-01", "2004-12-31"),
        (("2020-02", "2020-02"), "2020-02-01", "2020-02-29"),
        (("0044-03-15 BC", "0014"), "-0044-03-15", "0014-12-31"),
        (("27 BC", "1 BC"), "-0027-01-01", "-0001-12-31"),
        (("2001-05-17T10:00:00Z", "2001-05-17T12:00:00Z"), "2001-05-17", "2001-05-17"),
        (("9999-12-31", "+10000"), "9999-12-31", "+10000-12-31"),
        (("2020", None), "2020-01-01", None),
        ((None, "1999"), None, "1999-12-31"),
        ((None, None), None, None),
    ],
)
async def test_the_graph_shows_iso_dates_of_the_first_and_the_last_day(
    place: Place, stated: tuple[str | None, str | None], first: str | None, last: str | None
) -> None:
    said = ExtractedRelation(
        subject="Acme Corp", predicate="led", object="Birch Labs", valid_from=stated[0], valid_to=stated[1]
    )
    rag = place.engine(ScriptedChat(extract=lambda _: Extraction(relations=[said])))
    await rag.index_document(document("a", f"{FACT}."))
    query = "MATCH ()-[r:RELATES]->() RETURN r.valid_from, r.valid_to"
    assert await rag.cypher(query, columns=["first", "last"]) == [{"first": first, "last": last}]
    assert await faults(rag) == []
