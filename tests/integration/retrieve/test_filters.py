"""A question may be put to some documents only, and to some predicates: every channel and the walk keep to them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from benchmarks.sqlcount import counting
from post_graph_rag.records import QueryData, QueryParam
from post_graph_rag.retrieve.pipeline import Reader, retrieve
from tests.integration.retrieve.conftest import filled, reading
from tests.integration.retrieve.filling import Fact, Filler

ASKED = "What do Kestrel, Orion, bells, Trieste and Vega have to do with one another?"
SHARED = "Orion stands in Trieste."
PAPER = {"Kestrel bought Orion.", SHARED}
WEB = {"Orion casts bells.", SHARED}
EVERY = PAPER | WEB | {"Vega owns bells."}


def fill(filler: Filler) -> None:
    """Two sources that share a text, and a third document of none."""
    paper: dict[str, Any] = {"source": "paper", "metadata": {"author": "Ada", "year": 2020, "tags": ["trade", "iron"]}}
    web: dict[str, Any] = {"source": "web", "metadata": {"author": "Bo", "year": 2021, "draft": True}}
    filler.document("sale.md", "Kestrel bought Orion.", [Fact("Kestrel", "acquired", "Orion")], **paper)
    filler.document("bells.md", "Orion casts bells.", [Fact("Orion", "casts", "bells")], **web)
    for key, source in (("there.md", paper), ("again.md", web)):
        filler.document(key, SHARED, [Fact("Orion", "stands_in", "Trieste")], **source)
    filler.document("vega.md", "Vega owns bells.", [Fact("Vega", "owns", "bells")])


@pytest.fixture(scope="module")
def filtered_dsn(server_dsn: str, template_database: str) -> Iterator[str]:
    with filled(server_dsn, template_database, fill) as dsn:
        yield dsn


@pytest.fixture
async def reader(filtered_dsn: str) -> AsyncIterator[Reader]:
    async with reading(filtered_dsn) as opened:
        yield opened


def texts(data: QueryData) -> set[str]:
    return {hit.text for hit in data.passages}


def predicates(data: QueryData) -> set[str]:
    return {hit.predicate for hit in data.relations}


def names(data: QueryData) -> set[str]:
    return {hit.name for hit in data.entities}


async def test_without_a_filter_everything_is_found(reader: Reader) -> None:
    assert texts(await retrieve(reader, ASKED)) == EVERY


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"sources": ("paper",)}, PAPER),
        ({"sources": ("paper", "web")}, PAPER | WEB),
        ({"documents": ("sale.md", "vega.md")}, {"Kestrel bought Orion.", "Vega owns bells."}),
        ({"metadata": {"author": "Bo"}}, WEB),
        ({"metadata": {"author": ("Ada", "Bo")}}, PAPER | WEB),
        ({"metadata": {"year": 2020}}, PAPER),
        ({"metadata": {"year": "2020"}}, set()),
        ({"metadata": {"tags": "iron"}}, PAPER),
        ({"metadata": {"draft": True}}, WEB),
        ({"metadata": {"author": "Ada", "year": 2021}}, set()),
        ({"metadata": {"nobody": "has this"}}, set()),
        ({"sources": ("paper",), "documents": ("again.md",)}, set()),
        ({"documents": ("nowhere.md",)}, set()),
        ({"sources": ("pa'per\"; --",)}, set()),
    ],
)
async def test_only_passages_of_documents_that_pass_are_found(reader: Reader, asked: Any, found: set[str]) -> None:
    assert texts(await retrieve(reader, ASKED, QueryParam(**asked))) == found


async def test_only_relations_that_a_passing_document_states_are_found(reader: Reader) -> None:
    data = await retrieve(reader, ASKED, QueryParam(sources=("paper",)))
    assert predicates(data) == {"acquired", "stands_in"}


async def test_only_entities_that_a_passing_document_mentions_are_found(reader: Reader) -> None:
    data = await retrieve(reader, ASKED, QueryParam(sources=("web",)))
    assert names(data) == {"Orion", "bells", "Trieste"}


@pytest.mark.parametrize("channel", ["passage_vector", "passage_text", "walk"])
async def test_each_channel_of_passages_keeps_to_the_filter(reader: Reader, channel: str) -> None:
    data = await retrieve(reader, ASKED, QueryParam(sources=("paper",)))
    placed = {hit.text for hit in data.passages if channel in {one.channel for one in hit.channels}}
    assert placed == PAPER


async def test_a_shared_passage_names_the_source_that_passes(reader: Reader) -> None:
    data = await retrieve(reader, ASKED, QueryParam(metadata={"author": "Bo"}))
    (shared,) = [hit for hit in data.passages if hit.text == SHARED]
    assert [source.document for source in shared.sources] == ["again.md"]


@pytest.mark.parametrize("mode", ["mix", "local", "naive"])
async def test_every_mode_keeps_to_the_filter(reader: Reader, mode: Any) -> None:
    data = await retrieve(reader, ASKED, QueryParam(mode=mode, documents=("sale.md",)))
    assert texts(data) == {"Kestrel bought Orion."}


async def test_only_relations_of_the_given_predicates_are_found(reader: Reader) -> None:
    data = await retrieve(reader, ASKED, QueryParam(predicates=("stands in", "casts")))
    assert predicates(data) == {"stands_in", "casts"}


async def test_the_walk_follows_no_other_predicate(reader: Reader) -> None:
    by_name = QueryParam(mode="local", predicates=("acquired",), weights={"entity_vector": 0})
    data = await retrieve(reader, "Kestrel", by_name)
    assert names(data) == {"Kestrel", "Orion"}


async def test_a_filter_costs_no_statement_more(reader: Reader) -> None:
    await retrieve(reader, ASKED)
    with counting() as plain:
        await retrieve(reader, ASKED)
    with counting() as filtered:
        await retrieve(reader, ASKED, QueryParam(sources=("paper",), metadata={"year": 2020}, predicates=("casts",)))
    assert filtered.statements == plain.statements
