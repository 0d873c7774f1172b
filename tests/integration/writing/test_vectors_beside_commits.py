"""Derived vectors are written beside commits; only what a commit is writing waits for it."""

from __future__ import annotations

import asyncio

import asyncpg

from post_graph_rag import failpoints
from post_graph_rag.store.database import Database
from post_graph_rag.store.identifiers import quoted
from post_graph_rag.store.realms import open_realm
from post_graph_rag.store.write import hold_rows, hold_unwritten, hold_writes
from tests.integration.writing.support import Place, document, faults, small_embedding

LOCKED = "SELECT entity FROM {r}.entity_profile ORDER BY entity LIMIT 1 FOR UPDATE"
EVERY = "SELECT entity FROM {r}.entity_profile"


async def test_what_a_commit_is_writing_is_passed_over_and_all_else_is_held(place: Place) -> None:
    await place.engine().index_document(document("a", "Ada met Bob."))
    database, writer = Database(place.dsn), await asyncpg.connect(place.dsn)
    realm = await open_realm(database, place.realm)
    names = {"r": quoted(realm.info.schema_name)}
    every = {row[0] for row in await writer.fetch(EVERY.format(**names))}
    async with writer.transaction(), database.transaction(realm.statements) as session:
        written = await writer.fetchval(LOCKED.format(**names))
        held, _ = await hold_unwritten(session, every, [])
    await writer.close()
    await database.close()
    assert held == every - {written}


async def test_vectors_of_what_a_commit_holds_are_written_when_it_is_done(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "Ada met Bob."))
    realm = await open_realm(database := Database(place.dsn), place.realm)
    writer = await asyncpg.connect(place.dsn)
    async with writer.transaction():
        await writer.execute(LOCKED.format(r=quoted(realm.info.schema_name)))
        indexing = asyncio.create_task(rag.index_document(document("b", "Cyd met Dan.")))
        await asyncio.wait_for(indexing, 20)
    await writer.close()
    await database.close()
    assert await faults(rag) == []
    assert (await place.content())["pending"] == frozenset()


async def test_vectors_written_beside_and_between_commits_do_not_wait_for_one_another(place: Place) -> None:
    """One holds a row and writes its vector, the other comes for both under the write lock: it waits, and both end."""
    rag = place.engine()
    await rag.index_document(document("a", "Ada met Bob."))
    realm = await open_realm(database := Database(place.dsn), place.realm)
    names = {"r": quoted(realm.info.schema_name)}
    async with database.transaction(realm.statements) as beside:
        rows = await beside.connection.fetch("SELECT entity FROM {r}.entity_profile".format(**names))
        entities = [row["entity"] for row in rows]
        held, _ = await hold_unwritten(beside, entities, [])

        async def between() -> None:
            async with database.transaction(realm.statements) as session:
                await hold_writes(session)
                await hold_rows(session, entities, [])
                await session.connection.execute("UPDATE {r}.entity_vector_1 SET space = space".format(**names))

        waiting = asyncio.create_task(between())
        await asyncio.sleep(0.3)
        await beside.connection.execute("UPDATE {r}.entity_vector_1 SET space = space".format(**names))
        assert (held, waiting.done()) == (set(entities), False)
    await asyncio.wait_for(waiting, 10)
    await database.close()


async def test_derived_texts_are_on_their_way_to_the_model_before_the_commit_that_they_follow_from(
    place: Place,
) -> None:
    model, asked = small_embedding(), set[str]()

    def hook(name: str) -> None:
        if name == "before_commit":
            asked.update(model.texts)

    failpoints.hook = hook
    try:
        await place.engine(embedding=model).index_document(document("a", "Ada met Bob."))
    finally:
        failpoints.hook = None
    assert "Ada met Bob" in asked
    assert len(model.texts) == len(set(model.texts))
    assert (await place.content())["pending"] == frozenset()
