"""Every channel and the walk look at the record as of the time that is asked for."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest

from benchmarks.sqlcount import counting
from post_graph_rag.errors import HistoryPurged, ImpossibleDate, InputError
from post_graph_rag.records import Mode, QueryParam
from post_graph_rag.retrieve.asked_time import asked_time
from post_graph_rag.retrieve.pipeline import retrieve
from post_graph_rag.retrieve.question import read_question
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm, find_realm
from post_graph_rag.store.search import VectorChannel, WalkBounds, WordChannel, by_words, find_scope, nearest, walk
from post_graph_rag.store.statements import render
from post_graph_rag.testing import ScriptedEmbedding
from tests.integration.retrieve.company import TEXTS, Company, make_company
from tests.integration.retrieve.conftest import DIMENSIONS, REALM, reader_of
from tests.integration.retrieve.filling import Filler
from tests.servers import fresh_database

VECTORS: tuple[VectorChannel, ...] = ("passage_vector", "entity_vector", "relation_vector")
WORDS: tuple[WordChannel, ...] = ("passage_text", "entity_name", "relation_text")
ALL = "Who led Acme: Ada, Bo, Cy, Dee, Eve, Fox or Acme Ltd?"


@pytest.fixture(scope="module")
def made(server_dsn: str, template_database: str) -> Iterator[tuple[str, Filler]]:
    with fresh_database(server_dsn, f"pgr_{uuid.uuid4().hex[:12]}", template_database) as dsn:
        yield dsn, asyncio.run(make_company(dsn))


@dataclass
class Asked:
    """The company's realm, open to questions; answers are names."""

    database: Database
    realm: Realm
    company: Company

    async def channels(self, **param: Any) -> Mapping[str, set[str]]:
        """What each channel finds of all there is."""
        asked = read_question(ALL, QueryParam(**param))
        vectors = await ScriptedEmbedding(DIMENSIONS).embed(asked.embedded)
        async with self._session() as session:
            scope = await find_scope(session, None, asked.when)
            channels = dict.fromkeys(WORDS, (100, 100))
            found = await nearest(session, vectors, asked.queries(VECTORS), scope.ids, 40, asked.when)
            found |= await by_words(session, asked.terms, channels, asked.name_keys, scope.ids, 40, asked.when)
        return {name: self._names(name, hits.ids) for name, hits in found.items()}

    async def walked(self, **param: Any) -> Mapping[str, set[str]]:
        """What a walk of one step from Acme reaches."""
        when = asked_time(QueryParam(**param))
        async with self._session() as session:
            area = await walk(session, [self.company.entity("Acme")], [], [], [1], WalkBounds(steps=1), when)
        return {
            "entities": self._names("entity", area.entities.tolist()),
            "relations": self._names("relation", area.edges[:, 0].tolist()),
            "passages": self._names("passage", area.mentions[:, 0].tolist()),
        }

    def _session(self) -> Any:
        return self.database.transaction(self.realm.statements, read_only=True, isolation="repeatable_read")

    def _names(self, channel: str, ids: list[int]) -> set[str]:
        find = getattr(self.company, channel.split("_")[0])
        known = {find(name): name for name in TEXTS if channel.startswith(("passage", "entity")) or name != "Acme Ltd"}
        return {known.get(number, "Acme") for number in ids}


@pytest.fixture
async def asked(made: tuple[str, Filler]) -> AsyncIterator[Asked]:
    dsn, filler = made
    database = Database(dsn, pool_size=2)
    yield Asked(database, await find_realm(database, REALM), Company(filler))
    await database.close()


def picked(found: Mapping[str, set[str]], kind: str) -> list[set[str]]:
    """The same kind of thing as two channels find it."""
    return [hits for channel, hits in sorted(found.items()) if channel.startswith(kind)]


PAST = "2021-06-01"
STATED = {"Dee", "Cy"}


async def test_without_a_time_facts_that_nothing_superseded_are_found(asked: Asked) -> None:
    assert picked(await asked.channels(), "relation") == [STATED, STATED]


@pytest.mark.parametrize(
    ("as_of", "held"),
    [("2004", {"Ada", "Dee"}), ("2007-03", {"Bo"}), ("2005", {"Bo"}), ("2020", {"Cy"}), ("1990", set())],
)
async def test_facts_are_found_as_of_a_date(asked: Asked, as_of: str, held: set[str]) -> None:
    found, walked = await asked.channels(as_of=as_of), await asked.walked(as_of=as_of)
    assert (picked(found, "relation"), walked["relations"]) == ([held, held] if held else [], held)


async def test_a_retracted_fact_held_at_no_time_unless_superseded_ones_are_asked_for(asked: Asked) -> None:
    found = await asked.channels(as_of="2003", include_superseded=True)
    assert picked(found, "relation") == [{"Ada", "Dee", "Eve"}] * 2


async def test_superseded_facts_are_found_when_asked_for(asked: Asked) -> None:
    every = {"Ada", "Bo", "Cy", "Dee", "Eve"}
    found = await asked.channels(include_superseded=True)
    assert picked(found, "relation") == [every, every]


async def test_passages_are_found_whatever_the_date_asked_for(asked: Asked) -> None:
    assert picked(await asked.channels(as_of="1990"), "passage") == picked(await asked.channels(), "passage")


@pytest.mark.parametrize(
    ("mark", "held"),
    [("2020", set()), ("2021-06", {"Ada", "Dee", "Fox"}), ("2022-06", {"Bo", "Dee"}), ("2024", {"Cy", "Dee"})],
)
async def test_facts_are_found_as_they_were_believed(asked: Asked, mark: str, held: set[str]) -> None:
    found = await asked.channels(as_believed_at=mark)
    assert picked(found, "relation") == ([held, held] if held else [])


async def test_a_walk_follows_what_was_believed(asked: Asked) -> None:
    assert await asked.walked(as_believed_at=PAST) == {
        "entities": {"Acme", "Ada", "Dee", "Fox"},
        "relations": {"Ada", "Dee", "Fox"},
        "passages": {"Ada", "Dee", "Eve", "Fox"},
    }


async def test_belief_and_validity_can_be_asked_together(asked: Asked) -> None:
    """In 2021 nobody knew that Ada had been followed."""
    found = await asked.channels(as_believed_at=PAST, as_of="2020")
    assert picked(found, "relation") == [{"Ada", "Fox"}] * 2


@pytest.mark.parametrize(("mark", "there"), [(PAST, True), ("2022-06", False), (None, False)])
async def test_a_withdrawn_passage_is_found_where_it_was_believed(asked: Asked, mark: str | None, there: bool) -> None:
    found = await asked.channels(as_believed_at=mark)
    assert ["Fox" in hits for hits in picked(found, "passage")] == [there, there]


async def test_passages_that_came_later_are_not_found_at_a_mark(asked: Asked) -> None:
    found = await asked.channels(as_believed_at=PAST)
    assert picked(found, "passage") == [{"Ada", "Dee", "Eve", "Fox", "Acme Ltd"}] * 2


async def test_entities_are_found_as_they_were_current(asked: Asked) -> None:
    found = await asked.channels(as_believed_at=PAST)
    assert picked(found, "entity") == [{"Acme", "Acme Ltd", "Ada", "Dee", "Eve", "Fox"}] * 2


async def test_a_merged_name_finds_the_one_it_stood_for_at_the_mark(asked: Asked) -> None:
    found = await asked.channels(as_believed_at="2022-06-01")
    assert picked(found, "entity") == [{"Acme", "Ada", "Bo", "Dee", "Eve"}] * 2


@pytest.mark.parametrize(("mark", "there"), [(PAST, False), ("2022-06", True)])
async def test_passages_of_the_merged_are_reached_from_the_one_they_stood_for(
    asked: Asked, mark: str, there: bool
) -> None:
    assert ("Acme Ltd" in (await asked.walked(as_believed_at=mark))["passages"]) is there


async def test_dormant_entities_are_found_when_asked_for_but_never_merged_ones(asked: Asked) -> None:
    found = await asked.channels(include_dormant=True)
    assert picked(found, "entity") == [{"Acme", "Ada", "Bo", "Cy", "Dee", "Eve", "Fox"}] * 2


async def test_an_entity_is_not_dormant_before_it_is_known(asked: Asked) -> None:
    found = await asked.channels(include_dormant=True, as_believed_at="2022-06")
    assert picked(found, "entity") == [{"Acme", "Ada", "Bo", "Dee", "Eve", "Fox"}] * 2


@pytest.mark.parametrize(
    ("window", "told"),
    [
        ({"observed_before": "2005"}, {"Ada"}),
        ({"observed_after": "2001"}, {"Bo", "Cy"}),
        ({"observed_after": "2001", "observed_before": "2010-05"}, {"Bo"}),
        ({"observed_before": "2010-05-15"}, {"Ada", "Bo"}),
        ({"observed_before": "2000"}, set()),
    ],
)
async def test_only_what_was_written_in_the_window_is_found(
    asked: Asked, window: Mapping[str, str], told: set[str]
) -> None:
    found = await asked.channels(**window, include_superseded=True)
    expected = [told, told] if told else []
    people = [hits - {"Acme"} for hits in picked(found, "entity")]
    assert (picked(found, "passage"), picked(found, "relation"), people) == (expected, expected, expected)


async def test_a_walk_stays_with_what_was_written_in_the_window(asked: Asked) -> None:
    assert await asked.walked(observed_before="2005", include_superseded=True) == {
        "entities": {"Acme", "Ada"},
        "relations": {"Ada"},
        "passages": {"Ada"},
    }


async def test_a_mark_before_the_horizon_is_refused_in_words(realm: Realm, store: Database, database: str) -> None:
    await _execute(database, realm, "UPDATE {record}.clock SET horizon = '2022-01-01T00:00:00Z'")
    with pytest.raises(HistoryPurged, match="2022-01-01"):
        await retrieve(reader_of(store, realm), "who?", QueryParam(as_believed_at="2021-12-31T23:59:59.999999Z"))


async def test_the_horizon_itself_can_be_asked_for(realm: Realm, store: Database, database: str) -> None:
    await _execute(database, realm, "UPDATE {record}.clock SET horizon = '2022-01-01T00:00:00Z'")
    data = await retrieve(reader_of(store, realm), "who?", QueryParam(as_believed_at="2022-01-01T00:00:00.000000Z"))
    assert data.passages == ()


@pytest.mark.parametrize("name", ["as_of", "as_believed_at", "observed_before", "observed_after"])
async def test_a_day_that_does_not_exist_is_refused_before_anything_is_opened(asked: Asked, name: str) -> None:
    with pytest.raises(ImpossibleDate, match="2023-02-30"):
        await retrieve(reader_of(asked.database, asked.realm), "who?", QueryParam(**{name: "2023-02-30"}))


async def test_a_window_without_a_moment_is_refused(asked: Asked) -> None:
    param = QueryParam(observed_after="2020", observed_before="2020-05")
    with pytest.raises(InputError, match="observed_after"):
        await retrieve(reader_of(asked.database, asked.realm), "who?", param)


@pytest.mark.parametrize("mode", ["mix", "local", "naive"])
async def test_a_question_in_time_takes_few_statements(asked: Asked, mode: Mode) -> None:
    param = QueryParam(mode=mode, as_believed_at=PAST, as_of="2004", observed_before="2030", include_dormant=True)
    with counting() as count:
        await retrieve(reader_of(asked.database, asked.realm), ALL, param)
    assert count.statements <= 8


async def _execute(dsn: str, realm: Realm, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute(render(statement, realm.names))
    await connection.close()
