"""Entities that are one though no passage says so: merged after indexing, recorded, and undone for good."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from benchmarks.sqlcount import counting
from post_graph_rag.errors import ConfigurationError, EntityNotFound
from post_graph_rag.models.offline.chat import OfflineChat
from post_graph_rag.models.protocols import ChatRequest
from post_graph_rag.records import QueryParam, ResolveReport
from post_graph_rag.testing import ScriptedChat, plain_facts
from tests.integration.writing.support import Place, document, faults

SHORT = document("a", "US Navy built Fort Adams.")
LONG = document("b", "United States Navy sold Cedar Hall.")
ONE = {("us navy", "united states navy", "similar")}


@pytest.fixture
async def place(writing_dsn: str) -> AsyncIterator[Place]:
    """A realm of the test's own."""
    made = Place(writing_dsn)
    yield made
    await made.close()


async def merges(place: Place) -> set[tuple[Any, ...]]:
    """Source, target and cause of the live merges."""
    return {row[1:] for row in (await place.content())["merges"]}


async def test_two_spellings_of_a_name_become_one_entity(place: Place) -> None:
    rag = place.engine(resolve="similar")
    await rag.index_documents([SHORT, LONG])
    assert await merges(place) == ONE
    assert await place.relations() == {
        ("united states navy", "built", "fort adams"),
        ("united states navy", "sold", "cedar hall"),
    }
    assert await faults(rag) == []


async def test_an_entity_that_comes_later_is_looked_at_beside_those_that_are_there(place: Place) -> None:
    rag = place.engine(resolve="similar")
    await rag.index_document(LONG)
    await rag.index_document(SHORT)
    assert await merges(place) == ONE


async def test_by_exact_keys_alone_two_spellings_stay_two_until_it_is_asked_for(place: Place) -> None:
    rag = place.engine(resolve="exact")
    await rag.index_documents([SHORT, LONG])
    assert await merges(place) == set()
    assert (await rag.resolve_entities()).merged == 1
    assert await merges(place) == ONE


async def test_what_was_looked_at_is_not_looked_at_again(place: Place) -> None:
    rag = place.engine(resolve="similar")
    await rag.index_documents([SHORT, LONG])
    assert await rag.resolve_entities() == ResolveReport()


async def test_what_somebody_took_apart_stays_apart(place: Place) -> None:
    rag = place.engine(resolve="similar")
    await rag.index_documents([SHORT, LONG])
    await rag.split_entity("US Navy")
    assert (await rag.resolve_entities()).merged == 0
    await rag.index_document(document("c", "US Navy bought Oak House."))
    assert await merges(place) == set()


async def test_a_person_may_merge_elsewhere_what_was_merged_for_being_alike(place: Place) -> None:
    rag = place.engine(resolve="similar")
    await rag.index_documents([SHORT, LONG])
    await rag.merge_entities(["US Navy"], "Cedar Hall")
    assert await merges(place) == {("us navy", "cedar hall", "user")}


async def test_a_name_that_passages_give_to_another_goes_there(place: Place) -> None:
    rag = place.engine(resolve="similar")
    await rag.index_documents([SHORT, LONG])
    await rag.index_document(document("c", "Blue Fleet also known as US Navy left Oak House."))
    assert await merges(place) == {("us navy", "blue fleet", "alias")}
    assert await faults(rag) == []


async def test_before_the_merge_they_are_believed_to_be_two(place: Place) -> None:
    rag = place.engine(resolve="exact")
    await rag.index_documents([SHORT, LONG])
    before = await rag.watermark()
    await rag.resolve_entities()
    then = await rag.query_data("US Navy", QueryParam(mode="local", as_believed_at=before))
    assert {"US Navy", "United States Navy"} <= {hit.name for hit in then.entities}


async def test_erasing_a_source_of_one_spelling_leaves_the_other_alone(place: Place) -> None:
    rag = place.engine(resolve="similar")
    await rag.index_documents([SHORT, LONG])
    await rag.erase_document("a")
    assert await merges(place) == set()
    assert await faults(rag) == []
    with pytest.raises(EntityNotFound):
        await rag.get_entity("US Navy")


async def test_spaces_are_not_merged_with_each_other(place: Place) -> None:
    rag = place.engine(resolve="similar")
    await rag.index_documents([SHORT, document("b", "United States Navy sold Cedar Hall.", space="other")])
    assert await merges(place) == set()


async def test_the_number_of_statements_does_not_grow_with_the_entities(place: Place) -> None:
    rag = place.engine(resolve="exact")
    costs = []
    for towns in (2, 20):
        lines = [f"US {name} built Fort {name}. United States {name} sold Hall {name}." for name in named(towns)]
        await rag.index_document(document(f"d{towns}", *lines))
        with counting() as count:
            report = await rag.resolve_entities()
        assert report.merged == towns
        costs.append(count.statements)
    assert costs[0] == costs[1]


def named(count: int) -> list[str]:
    """Names that are like no other."""
    return [f"{chr(65 + n)}{'aeiou'[n % 5] * 3}{count:b}x".replace("0", "k").replace("1", "m") for n in range(count)]


async def test_a_model_that_is_asked_says_what_names_leave_open(place: Place) -> None:
    chat = ScriptedChat({"auxiliary": marias}, extract=plain_facts)
    rag = place.engine(chat, resolve="model")
    await rag.index_documents(
        [document("a", "Maria Lopez Ortega led Acme."), document("b", "Maria Lopes Ortegas sold Cedar Hall.")]
    )
    assert await merges(place) == {("maria lopez ortega", "maria lopes ortegas", "similar")}


def marias(request: ChatRequest) -> dict[str, list[int]]:
    """Finds all of that first name one, and names one that was not offered."""
    names = [json.loads(line.split(". ", 1)[1])["name"] for line in request.inputs["others"].splitlines()]
    one = json.loads(request.inputs["entity"])["name"]
    return {"same": [*(n for n, name in enumerate(names, 1) if name[:5] == one[:5] == "Maria"), 99]}


async def test_without_a_model_that_can_be_asked_nothing_is_indexed(place: Place) -> None:
    rag = place.engine(OfflineChat(), resolve="model")
    with pytest.raises(ConfigurationError, match="which entities are one"):
        await rag.index_document(SHORT)
