"""What people's words cost in statements, and how they fare inside a transaction of the caller's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from benchmarks.sqlcount import counting
from post_graph_rag.config import Settings
from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import InputError
from post_graph_rag.models.roles import Models
from post_graph_rag.records import Document
from tests.integration.edit.forgetting import unconfigured
from tests.integration.writing.support import Place, differences, document, facts_chat, faults, small_embedding

FACTS = document("facts", "Kiln Works hired Cora Doe since 2001.", "Ovens Ltd sued Delta Inc.")


def of_facts(facts: int) -> Document:
    text = "\n".join(f"{name} sold Birch{n} Labs." for n in range(facts) for name in ("Kiln Works", "Ovens Ltd"))
    return Document(key="a", text=text, chunks=(text,))


async def costs(place: Place, facts: int) -> list[int]:
    """Statements of a merge, a name and a split when so much hangs on the two."""
    rag = place.engine()
    await rag.index_document(of_facts(facts))
    with counting() as merge:
        await rag.merge_entities(["Kiln Works"], "Ovens Ltd")
    with counting() as name:
        await rag.rename_entity("Ovens Ltd", "Oven Makers")
    with counting() as split:
        await rag.split_entity("Kiln Works")
    return [merge.statements, name.statements, split.statements]


async def test_a_word_costs_the_same_for_little_and_for_much(place: Place) -> None:
    other = Place(place.dsn)
    few, many = await costs(place, 5), await costs(other, 150)
    await other.close()
    assert few == many
    assert max(few) <= 45


@asynccontextmanager
async def lent(place: Place) -> AsyncIterator[tuple[GraphRAG, asyncpg.Connection]]:
    connection = await asyncpg.connect(place.dsn)
    models = Models(facts_chat(), small_embedding())
    try:
        async with GraphRAG(Settings(realm=place.realm), connection=connection, models=models) as rag:
            yield rag, connection
    finally:
        await connection.close()


async def test_without_an_embedding_model_vectors_that_follow_from_a_merge_wait(place: Place) -> None:
    await place.engine().index_document(FACTS)
    edit = await unconfigured(place).merge_entities(["Kiln Works"], "Ovens Ltd")
    assert edit.pending_vectors > 0
    assert "No model is configured" in edit.errors[0]
    rag = place.engine()
    await rag.complete_pending()
    assert await faults(rag) == []


async def test_a_word_inside_a_callers_transaction_goes_with_its_rollback(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    before = await place.content()
    async with lent(place) as (inside, connection):
        transaction = connection.transaction()
        await transaction.start()
        await inside.merge_entities(["Kiln Works"], "Ovens Ltd")
        await inside.rename_entity("Ovens Ltd", "Oven Makers")
        with pytest.raises(InputError):
            await inside.split_entity("Ovens Ltd")
        assert (await inside.get_entity("Kiln Works")).entity.name == "Oven Makers"
        await transaction.rollback()
    assert differences(await place.content(), before) == {}


async def test_a_word_inside_a_callers_transaction_stays_with_its_commit_vectors_included(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(FACTS)
    async with lent(place) as (inside, connection), connection.transaction():
        edit = await inside.merge_entities(["Kiln Works"], "Ovens Ltd")
    assert (edit.pending_vectors, edit.errors) == (0, ())
    content = await place.content()
    assert content["pending"] == frozenset()
    assert {row[1:] for row in content["merges"]} == {("kiln works", "ovens ltd", "user")}
    assert await faults(rag) == []
