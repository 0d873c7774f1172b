"""Vectors that wait are found as those in an index are, and go into it when there are many."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import asyncpg
import numpy as np
import psycopg
import pytest

from post_graph_rag.records import QueryParam
from post_graph_rag.retrieve.asked_time import asked_time
from post_graph_rag.store import tail as module
from post_graph_rag.store.database import Database
from post_graph_rag.store.doctor import examine
from post_graph_rag.store.optimize import optimize
from post_graph_rag.store.realms import Realm, ensure_realm
from post_graph_rag.store.search import nearest
from post_graph_rag.store.statements import render, sources
from post_graph_rag.store.tail import long_tails, merge_tails
from tests.integration.admin.commands import run_line

WIDTH, MANY, SMALL = 8, 240, 12
FILL = f"""
SET TimeZone = 'UTC';
INSERT INTO {{record}}.space (name) VALUES ('large'), ('small');
INSERT INTO {{record}}.entity (space, key, canonical, current) SELECT 1, 'e' || n, n, true
FROM generate_series(1, {MANY + 1}) n;
INSERT INTO {{record}}.relation (space, subject, predicate, object, negated, fact, current)
SELECT CASE WHEN n <= {SMALL} THEN 2 ELSE 1 END, 1, 'knows', n + 1, false, '', true FROM generate_series(1, {MANY}) n;
INSERT INTO {{record}}.relation_period (relation, valid, dated, recorded)
SELECT id, '(,)', false, tstzrange('2021-01-01', NULL) FROM {{record}}.relation;
INSERT INTO {{relation_vector}} (id, space, current, embedding)
SELECT r.id, r.space, true, ARRAY(SELECT sin(r.id * k * k + k) FROM generate_series(1, {WIDTH}) k)::real[]::{{vector}}
FROM {{record}}.relation r;
ANALYZE
"""
SHARES = {"all": "true", "half": "id % 2 = 0", "none": "false"}
TIMES = {"now": QueryParam(), "then": QueryParam(as_believed_at="2021-06"), "as of": QueryParam(as_of="2020")}


@pytest.fixture
async def realm(store: Database, database: str) -> Realm:
    """A realm with relations in a large space and a small one, their vectors in an index."""
    made = await ensure_realm(store, "one", "model", WIDTH, "none")
    await run(database, made, FILL)
    assert (await optimize(store, made, threshold=MANY - 1)).indexed == ("relation_vector_1",)
    return made


async def run(dsn: str, realm: Realm, script: str) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute(render(script, realm.names))
    await connection.close()


def wait(admin: psycopg.Connection, realm: Realm, which: str = "true") -> None:
    """Have the vectors that the condition names wait."""
    admin.execute(f"UPDATE {realm.names['relation_vector']} SET tail = {which}")


def waiting(admin: psycopg.Connection, realm: Realm) -> int:
    row = admin.execute(f"SELECT count(*) FROM {realm.names['relation_vector']} WHERE tail").fetchone()
    assert row is not None
    return int(row[0])


def vectors(*relations: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.array([[np.sin(n * k * k + k) for k in range(1, WIDTH + 1)] for n in relations], np.float32)


async def found(
    store: Database, realm: Realm, relations: Sequence[int], spaces: Sequence[int], param: QueryParam
) -> dict[int, float]:
    """The nearest seven of each of these relations."""
    async with store.transaction(realm.statements, read_only=True) as session:
        asked = [("relation_vector", number) for number in range(len(relations))]
        hits = await nearest(session, vectors(*relations), asked, spaces, 7, asked_time(param))  # type: ignore[arg-type]
    best = hits["relation_vector"]
    return {one: round(score, 5) for one, score in zip(best.ids, best.scores, strict=True)}


def exact(relations: Sequence[int], among: Sequence[int]) -> dict[int, float]:
    """The same, worked out here."""
    best: dict[int, float] = {}
    every = vectors(*among)
    for query in vectors(*relations):
        scores = every @ query / np.linalg.norm(every, axis=1) / np.linalg.norm(query)
        for place in np.argsort(-scores)[:7]:
            best[among[place]] = max(best.get(among[place], -1.0), round(float(scores[place]), 5))
    return best


@pytest.mark.parametrize("param", TIMES.values(), ids=TIMES.keys())
@pytest.mark.parametrize("share", SHARES.values(), ids=SHARES.keys())
async def test_as_much_is_found_whatever_waits(
    store: Database, admin: psycopg.Connection, realm: Realm, share: str, param: QueryParam
) -> None:
    wait(admin, realm, share)
    asked, every = (101, 50), range(1, MANY + 1)
    assert await found(store, realm, asked, (1, 2), param) == pytest.approx(exact(asked, every), abs=1e-4)


@pytest.mark.parametrize("param", TIMES.values(), ids=TIMES.keys())
async def test_a_small_space_of_which_some_waits_is_found_whole(
    store: Database, admin: psycopg.Connection, database: str, realm: Realm, param: QueryParam
) -> None:
    wait(admin, realm, "space = 2 AND id % 2 = 0")
    # A scan of the index that gives up long before it meets the small space.
    connection = await asyncpg.connect(database)
    await connection.execute("SET hnsw.max_scan_tuples = 1; SET hnsw.scan_mem_multiplier = 1")
    hits = await found(Database(connection=connection), realm, (101,), (2,), param)
    await connection.close()
    assert hits == pytest.approx(exact((101,), range(1, SMALL + 1)), abs=1e-4)


async def test_a_plan_of_when_nothing_was_there_reads_both_indexes_later(store: Database, database: str) -> None:
    realm = await ensure_realm(store, "young", "model", WIDTH, "none")
    index = {**realm.names, "table": realm.names["relation_vector"], "index": "relation_vector_1_hnsw"}
    asked = f"(ARRAY[{', '.join(['0.5'] * WIDTH)}], {WIDTH}, ARRAY['relation_vector'], ARRAY[0], ARRAY[1, 2], 7)"
    one = Database(database, pool_size=1)
    async with one.transaction(realm.statements) as session:
        await session.script(render(sources()["create_vector_indexes"], index))
        await session.script(f"PREPARE near AS {realm.statements['search_vectors']}; EXPLAIN EXECUTE near{asked}")
        await session.script(render(FILL.replace("ANALYZE", ""), realm.names))
        await session.script(f"UPDATE {realm.names['relation_vector']} SET tail = true WHERE id = 17")
        plan = await session.connection.fetch(f"EXPLAIN (ANALYZE) EXECUTE near{asked}")
    await one.close()
    lines = [line for (line,) in plan if "relation_vector_1" in line and "never executed" not in line]
    assert {name for line in lines for name in re.findall(r"relation_vector_1_\w+", line)} == {
        "relation_vector_1_hnsw",
        "relation_vector_1_tail",
    }, lines


async def test_what_waits_goes_into_its_index(store: Database, admin: psycopg.Connection, realm: Realm) -> None:
    wait(admin, realm)
    assert [(await optimize(store, realm)).merged for _ in range(2)] == [MANY, 0]
    assert waiting(admin, realm) == 0


async def test_few_may_go_on_waiting(store: Database, admin: psycopg.Connection, realm: Realm) -> None:
    wait(admin, realm, "id <= 5")
    assert [(await optimize(store, realm, waiting=most)).merged for most in (5, 4)] == [0, 5]


async def test_what_somebody_writes_is_passed_over_and_goes_the_next_time(
    store: Database, admin: psycopg.Connection, database: str, realm: Realm
) -> None:
    wait(admin, realm, "id <= 5")
    with psycopg.connect(database) as writer:
        writer.execute(f"UPDATE {realm.names['relation_vector']} SET current = current WHERE id = 3")
        assert (await optimize(store, realm)).merged == 4
    assert (await optimize(store, realm)).merged == 1


async def test_a_merge_that_breaks_off_is_gone_on_with(
    store: Database, admin: psycopg.Connection, realm: Realm, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait(admin, realm)
    monkeypatch.setattr(module, "_BATCH", 7)
    assert await merge_tails(store, realm, {"relation": 20}) == 20
    assert (await found(store, realm, (101,), (1, 2), QueryParam())).keys() == exact((101,), range(1, MANY + 1)).keys()
    assert await merge_tails(store, realm, {"relation": MANY}) == MANY - 20


async def test_an_index_that_holds_what_waits_too_is_made_anew(
    store: Database, admin: psycopg.Connection, realm: Realm
) -> None:
    old = f"DROP INDEX {realm.names['record']}.relation_vector_1_hnsw; CREATE INDEX relation_vector_1_hnsw ON "
    admin.execute(f"{old}{realm.names['relation_vector']} USING hnsw (embedding vector_cosine_ops) WHERE current")
    assert [(await optimize(store, realm)).indexed for _ in range(2)] == [("relation_vector_1",), ()]
    (definition,) = admin.execute("SELECT indexdef FROM pg_indexes WHERE indexdef ~ 'hnsw'").fetchall()
    assert definition[0].endswith("WHERE (current AND (NOT tail))")


async def test_an_index_that_was_built_but_not_put_in_its_place_is_put_there(
    store: Database, admin: psycopg.Connection, realm: Realm
) -> None:
    admin.execute(f"ALTER INDEX {realm.names['record']}.relation_vector_1_hnsw RENAME TO relation_vector_1_fresh")
    before = await found(store, realm, (101,), (1, 2), QueryParam())
    await optimize(store, realm, threshold=MANY - 1)
    rows = admin.execute("SELECT indexname FROM pg_indexes WHERE indexdef ~ 'hnsw'").fetchall()
    assert (rows, await found(store, realm, (101,), (1, 2), QueryParam())) == ([("relation_vector_1_hnsw",)], before)


async def test_doctor_says_when_much_waits_and_what_it_prints_mends_it(
    store: Database, database: str, admin: psycopg.Connection, realm: Realm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LONG", 100)
    wait(admin, realm, "id <= 201")
    (finding,) = [found for found in await examine(store, "one") if found.check == "one: vector indexes"]
    assert finding.detail == "201 vectors are in none yet and compared one by one with every question"
    assert finding.repair is not None
    assert "201 vectors put into an index" in (await run_line(database, finding.repair)).output


async def test_doctor_says_nothing_of_what_may_wait(store: Database, admin: psycopg.Connection, realm: Realm) -> None:
    wait(admin, realm)
    (finding,) = [found for found in await examine(store, "one") if found.check == "one: vector indexes"]
    assert finding.ok


async def test_what_is_not_current_does_not_wait(store: Database, admin: psycopg.Connection, realm: Realm) -> None:
    wait(admin, realm)
    admin.execute(f"UPDATE {realm.names['relation_vector']} SET current = false WHERE id > 9")
    async with store.transaction(realm.statements, read_only=True) as session:
        assert [await long_tails(session, most) for most in (8, 9)] == [{"relation": 9}, {}]
