"""At a mark hits are shown in the words, with the numbers and the dates that they had then."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from post_graph_rag.engine import GraphRAG
from post_graph_rag.records import (
    Closing,
    EntityHit,
    ExtractedRelation,
    Extraction,
    PredicateRule,
    QueryParam,
    RelationHit,
)
from post_graph_rag.testing import ScriptedChat
from tests.integration.writing.support import Place, document

ONE_AT_A_TIME = PredicateRule(predicate="runs", per="object")


@pytest.fixture
async def place(belief_dsn: str) -> AsyncIterator[Place]:
    made = Place(belief_dsn)
    made.engine()
    yield made
    await made.close()


@pytest.fixture
def rag(place: Place) -> GraphRAG:
    return place.engines[0]


async def entities(rag: GraphRAG, **param: object) -> dict[str, EntityHit]:
    """Entities by name."""
    data = await rag.query_data("What of Acme and Ada?", QueryParam.model_validate({"top_k": 100, **param}))
    return {hit.name: hit for hit in data.entities}


async def facts(rag: GraphRAG, **param: object) -> dict[str, RelationHit]:
    """Facts by their subject."""
    data = await rag.query_data("Who runs Acme?", QueryParam.model_validate({"top_k": 100, **param}))
    return {hit.subject: hit for hit in data.relations}


async def test_a_description_is_the_one_of_then(rag: GraphRAG) -> None:
    await rag.index_documents([document("a", "Acme bought Birch."), document("b", "Acme sued Cedar.")])
    mark = await rag.watermark()
    await rag.index_documents([document("b", "Delta sued Cedar.")])
    now, then = (await entities(rag))["Acme"], (await entities(rag, as_believed_at=mark))["Acme"]
    assert now.description == "Acme: Acme bought Birch."
    assert then.description == "Acme: Acme bought Birch. Acme: Acme sued Cedar."
    assert (len(now.passages), len(then.passages)) == (1, 2)


async def test_before_an_alias_was_known_two_names_are_two_things(rag: GraphRAG) -> None:
    await rag.index_documents([document("a", "Acme bought Birch."), document("b", "Acme Corporation sued Cedar.")])
    mark = await rag.watermark()
    await rag.index_documents([document("c", "Acme Corporation also known as Acme sold Delta.")])
    assert set(await facts(rag)) == {"Acme Corporation"}
    assert set(await facts(rag, as_believed_at=mark)) == {"Acme", "Acme Corporation"}


async def test_while_an_alias_was_known_two_names_are_one_thing(rag: GraphRAG) -> None:
    alias = document("b", "Acme Corporation also known as Acme sold Delta.")
    await rag.index_documents([document("a", "Acme bought Birch."), alias])
    mark = await rag.watermark()
    await rag.index_documents([document("b", "Acme Corporation sold Delta.")])
    then = await entities(rag, as_believed_at=mark)
    assert {"Acme", "Acme Corporation"} <= set(await entities(rag))
    assert "Acme" not in then
    assert "Acme: Acme bought Birch." in then["Acme Corporation"].description
    assert len(then["Acme Corporation"].passages) == 2


async def test_of_several_wordings_the_fullest_of_then_is_shown(rag: GraphRAG) -> None:
    await rag.index_documents([document("a", "Ada runs Acme."), document("b", "Ada runs Acme since 2001.")])
    mark = await rag.watermark()
    await rag.index_documents([document("c", "Ada runs Acme from 2001 until 2009.")])
    assert (await facts(rag))["Ada"].fact == "Ada runs Acme from 2001 until 2009."
    assert (await facts(rag, as_believed_at=mark))["Ada"].fact == "Ada runs Acme since 2001."


async def test_a_fact_has_the_wording_the_weight_and_the_periods_of_then(rag: GraphRAG) -> None:
    await rag.index_documents([document("a", "Ada runs Acme.")])
    mark = await rag.watermark()
    await rag.index_documents([document("b", "Ada runs Acme since 2001.")])
    now, then = (await facts(rag))["Ada"], (await facts(rag, as_believed_at=mark))["Ada"]
    assert (now.fact, now.weight, sorted(period.start or "" for period in now.periods)) == (
        "Ada runs Acme since 2001.", 2, ["", "2001"]
    )  # fmt: skip
    assert (then.fact, then.weight, [period.start for period in then.periods]) == ("Ada runs Acme.", 1, [None])


async def test_a_passage_has_the_sources_of_then(rag: GraphRAG) -> None:
    await rag.index_documents([document("a", "Ada runs Acme.", metadata={"page": 1})])
    mark = await rag.watermark()
    await rag.index_documents([document("a", "Ada runs Acme.", metadata={"page": 2}), document("b", "Ada runs Acme.")])
    now = (await rag.query_data("Acme")).passages[0]
    then = (await rag.query_data("Acme", QueryParam(as_believed_at=mark))).passages[0]
    assert ([source.document for source in now.sources], now.metadata) == (["a", "b"], {"page": 2})
    assert ([source.document for source in then.sources], then.metadata) == (["a"], {"page": 1})


async def test_a_superseded_fact_is_shown_when_asked_for_and_names_what_closed_it(rag: GraphRAG) -> None:
    await rag.index_documents([document("a", "Ada runs Acme since 2001."), document("b", "Bea runs Acme since 2010.")])
    await rag.set_rules([ONE_AT_A_TIME])
    assert set(await facts(rag)) == {"Bea"}
    shown = await facts(rag, include_superseded=True)
    (period,) = shown["Ada"].periods
    assert (period.start, period.end, period.closed_by) == (
        "2001", "2009", Closing(cause="superseded", relations=(shown["Bea"].id,))
    )  # fmt: skip
    assert (shown["Ada"].superseded, shown["Bea"].superseded) == (True, False)


async def test_what_was_not_superseded_yet_is_open_then(rag: GraphRAG) -> None:
    await rag.set_rules([ONE_AT_A_TIME])
    await rag.index_documents([document("a", "Ada runs Acme since 2001.")])
    mark = await rag.watermark()
    await rag.index_documents([document("b", "Bea runs Acme since 2010.")])
    then = await facts(rag, as_believed_at=mark)
    assert set(then) == {"Ada"}
    assert [(period.start, period.end, period.closed_by) for period in then["Ada"].periods] == [("2001", None, None)]


async def test_a_date_shows_the_fact_of_that_date_with_its_closing_in_the_context(rag: GraphRAG) -> None:
    await rag.index_documents([document("a", "Ada runs Acme since 2001."), document("b", "Bea runs Acme since 2010.")])
    await rag.set_rules([ONE_AT_A_TIME])
    data = await rag.query_data("Who runs Acme?", QueryParam(as_of="2005"))
    assert "Ada runs Acme since 2001. (from 2001 until 2009, superseded)" in data.context
    assert "(from 2010" not in data.context


async def test_a_retracted_fact_is_shown_with_the_persons_reason_only_when_asked_for(rag: GraphRAG) -> None:
    await rag.index_documents([document("a", "Ada runs Acme since 2001.")])
    await rag.close_relation((await facts(rag))["Ada"].id, reason="A mix-up.")
    assert await facts(rag) == {}
    assert await facts(rag, as_of="2005") == {}
    (period,) = (await facts(rag, include_superseded=True))["Ada"].periods
    assert (period.retracted, period.closed_by) == (True, Closing(cause="override", reason="A mix-up."))


async def test_in_a_window_only_what_was_written_in_it_describes_and_counts(rag: GraphRAG) -> None:
    await rag.index_documents(
        [
            document("a", "Ada runs Acme.", observed_at="2001"),
            document("b", "Ada runs Acme since 1999.", observed_at="2011"),
            document("c", "Ada sued Cedar."),
        ]
    )
    shown = await facts(rag, observed_before="2010")
    assert {name: (hit.fact, hit.weight) for name, hit in shown.items()} == {"Ada": ("Ada runs Acme.", 1)}
    assert (await entities(rag, observed_before="2010"))["Ada"].description == "Ada: Ada runs Acme."


async def test_a_dormant_entity_keeps_the_words_said_of_it_last(rag: GraphRAG) -> None:
    await rag.index_documents([document("a", "Acme bought Birch.")])
    await rag.index_documents([document("a", "Delta sued Cedar.")])
    mark = await rag.watermark()
    await rag.index_documents([document("b", "Acme sold Fir.")])
    assert "Acme" not in await entities(rag, as_believed_at=mark)
    dormant = (await entities(rag, as_believed_at=mark, include_dormant=True))["Acme"]
    assert (dormant.description, dormant.passages) == ("Acme: Acme bought Birch.", ())


async def test_a_fact_that_states_no_dates_matches_every_date_and_says_so(rag: GraphRAG) -> None:
    await rag.index_documents([document("a", "Ada runs Acme.")])
    data = await rag.query_data("Who runs Acme?", QueryParam(as_of="1850"))
    assert "- Ada runs Acme. (undated) [1]" in data.context
    assert data.notes == ("facts without stated dates match every date that is asked for: 1",)


async def test_a_stated_date_means_its_whole_span_in_any_zone_and_era(place: Place) -> None:
    said = ExtractedRelation(subject="Ada", predicate="runs", object="Acme", valid_from="44 BC", valid_to="2020")
    rag = place.engine(ScriptedChat({"extraction": Extraction(relations=(said,))}))
    await rag.index_documents([document("a", "Ada runs Acme.")])
    inside = ["2020-06", "2020", "2020-12-31T23:59:59Z", "2021-01-01T00:30:00+01:00", "44 BC", "-0044-01-01"]
    outside = ["2021", "2020-12-31T23:30:00-01:00", "-0045", "45 BC"]
    assert [as_of for as_of in inside + outside if "Ada" in await facts(rag, as_of=as_of)] == inside
