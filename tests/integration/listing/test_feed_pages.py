"""The feed in pages, beside writers: everything once, in the order of commits, and nothing missed."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from benchmarks.sqlcount import counting
from post_graph_rag.engine import GraphRAG
from post_graph_rag.marks import mark_of
from post_graph_rag.models.roles import Models
from post_graph_rag.records import Change
from tests.integration.foreign.engines import engine as lent_engine
from tests.integration.listing.following import held, known, pages, without_texts
from tests.integration.writing.conftest import Workers
from tests.integration.writing.support import Place, document, facts_chat, small_embedding

LINES = [f"Acme{n} Corp acquired Birch{n} Labs since {1990 + n}." for n in range(12)]


@pytest.mark.parametrize("limit", [1, 5, 36, 37, 38])
async def test_a_commit_larger_than_a_page_is_told_in_several(place: Place, limit: int) -> None:
    rag = place.engine()
    await rag.index_document(document("a", *LINES))
    whole = (await rag.changes_since(None)).items
    assert len(whole) == 37
    assert tuple(await pages(rag, limit=limit)) == whole


async def test_there_is_more_exactly_when_the_next_page_holds_something(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", *LINES))
    assert [(await rag.changes_since(None, limit=limit)).more for limit in (36, 37, 38)] == [True, False, False]


async def test_changes_come_by_moment_then_kind_then_id(place: Place) -> None:
    rag = place.engine()
    for n in range(3):
        await rag.index_document(document("a", *LINES[n : n + 4]))
    told = [(item.at, item.kind, item.id) for item in await pages(rag, limit=4)]
    assert told == sorted(set(told))


async def test_a_mark_inside_a_commit_goes_on_there_for_other_kinds_too(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", *LINES))
    first = await rag.changes_since(None, limit=10)
    assert first.items[-1].kind == "entity"
    rest = await rag.changes_since(first.mark, ["document", "relation"])
    assert {item.kind for item in rest.items} == {"relation"}
    assert len(rest.items) == 12


async def statements(rag: GraphRAG, mark: str | None, limit: int) -> int:
    with counting() as count:
        await rag.changes_since(mark, limit=limit)
    return count.statements


async def test_a_page_is_one_statement_whatever_it_holds(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", *LINES))
    assert {await statements(rag, mark, limit) for mark in (None, await rag.watermark()) for limit in (1, 1000)} == {1}


# ---------------------------------------------------------------- beside writers


def lent(place: Place, connection: asyncpg.Connection) -> GraphRAG:
    models = Models(facts_chat(), small_embedding())
    return lent_engine(connection=connection, models=models, realm=place.realm)


async def test_what_a_caller_commits_late_is_behind_every_mark_given_before(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("first", LINES[0]))
    connection = await asyncpg.connect(place.dsn)
    transaction = connection.transaction()
    await transaction.start()
    await lent(place, connection).index_document(document("late", LINES[1]))
    beside = asyncio.create_task(rag.index_document(document("beside", LINES[2])))
    reader = place.engine()
    seen = list((page := await reader.changes_since(None)).items)
    for _ in range(3):
        await asyncio.sleep(0.05)
        page = await reader.changes_since(page.mark)
        assert page.items == ()
    await transaction.commit()
    await beside
    seen += (await reader.changes_since(page.mark)).items
    await connection.close()
    assert [item.text for item in seen if item.kind == "document"] == ["first", "late", "beside"]
    assert seen == await pages(reader)
    assert known(seen) == await held(place)


async def test_what_a_caller_rolls_back_is_never_told(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("first", LINES[0]))
    mark = await rag.watermark()
    connection = await asyncpg.connect(place.dsn)
    transaction = connection.transaction()
    await transaction.start()
    lender = lent(place, connection)
    await lender.index_document(document("late", LINES[1]))
    assert {item.text for item in (await lender.changes_since(mark)).items if item.kind == "document"} == {"late"}
    await transaction.rollback()
    await connection.close()
    await rag.index_document(document("beside", LINES[2]))
    assert [item.text for item in (await rag.changes_since(mark)).items if item.kind == "document"] == ["beside"]


async def test_a_caller_with_an_old_snapshot_goes_on_from_what_it_saw(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("first", LINES[0]))
    connection = await asyncpg.connect(place.dsn)
    transaction = connection.transaction(isolation="repeatable_read")
    await transaction.start()
    reader = lent(place, connection)
    page = await reader.changes_since(None)
    await rag.index_document(document("beside", LINES[1]))
    assert (await reader.changes_since(page.mark)).items == ()
    await transaction.rollback()
    assert {item.text for item in (await reader.changes_since(page.mark)).items if item.kind == "document"} == {
        "beside"
    }
    await connection.close()


async def follow(rag: GraphRAG, writing: asyncio.Task[list[int]]) -> list[Change]:
    """All that is told while others write, in small pages, and what is left when they are done."""
    seen: list[Change] = []
    mark: str | None = None
    done = False
    while True:
        page = await rag.changes_since(mark, limit=5)
        seen += page.items
        mark = page.mark
        if not page.more:
            if done:
                return seen
            done = writing.done()


async def test_pages_read_while_processes_write_miss_nothing_and_tell_nothing_twice(
    place: Place, workers: Workers
) -> None:
    rag = place.engine()
    await rag.index_document(document("first", LINES[0]))
    documents = [(f"d{n}", [[LINES[n], LINES[n - 1]], ["Acme1 Corp sued Elm.", LINES[n]]]) for n in range(1, 9)]
    plan = {"dsn": place.dsn, "realm": place.realm, "documents": documents, "seconds": 3}
    writing = asyncio.create_task(asyncio.to_thread(workers.run, [{**plan, "seed": seed} for seed in range(3)]))
    seen = await follow(rag, writing)
    assert writing.result() == [0] * 3
    assert len({item.at for item in seen}) > 5
    assert without_texts(seen) == without_texts(await pages(rag))
    assert known(seen) == await held(place)


# ---------------------------------------------------------------- in a realm that has grown

GROWN = """
    WITH made AS (
        INSERT INTO {r}.relation (space, subject, predicate, object, negated, fact, current)
        SELECT 1, 1, 'p' || g, 2, false, 'f' || g, true FROM generate_series(1, 20000) AS g RETURNING id
    )
    INSERT INTO {r}.relation_period (relation, valid, dated, recorded)
    SELECT id, tstzrange(NULL, NULL), false, tstzrange($1::timestamptz + id * interval '1 millisecond', NULL) FROM made
    RETURNING 1"""
READ = """
    SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_user_tables
    WHERE schemaname = split_part('{r}', '"', 2) AND relname <> 'clock'"""


async def rows_read(place: Place, mark: str | None) -> tuple[int, int]:
    """How many rows the server touches for a page of ten, and how many changes that has."""
    connection = await asyncpg.connect(place.dsn)
    rag = lent(place, connection)
    await rag.watermark()
    await connection.execute("SELECT pg_stat_force_next_flush()")
    [before] = await place.rows(READ)
    page = await rag.changes_since(mark, limit=10)
    await connection.execute("SELECT pg_stat_force_next_flush()")
    await connection.execute("SELECT 1")
    [after] = await place.rows(READ)
    await connection.close()
    return after[0] - before[0], len(page.items)


async def test_a_page_of_a_large_realm_reads_no_more_rows_than_it_tells_of(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", LINES[0]))
    past = datetime(2001, 1, 1, tzinfo=UTC)
    await place.rows(GROWN, past)
    for mark in (mark_of(past + timedelta(seconds=10)), mark_of(past + timedelta(days=1)), None):
        read, told = await rows_read(place, mark)
        assert told > 0
        assert read <= 12 * told + 40, mark
