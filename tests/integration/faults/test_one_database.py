"""What is written is read where it was written: another database, realm or place says so and is never just empty."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import asyncpg
import psycopg
import pytest

from post_graph_rag.errors import RealmNotFound, SpaceNotFound
from tests.integration.foreign.engines import ACME, QUESTION, documents, engine, fill
from tests.servers import fresh_database


@pytest.fixture
def other_database(server_dsn: str, template_database: str) -> Iterator[str]:
    with fresh_database(server_dsn, f"pgr_{uuid.uuid4().hex[:12]}", template_database) as dsn:
        yield dsn


async def test_a_database_without_the_realm_says_so_and_gets_none_by_reading(
    database: str, other_database: str
) -> None:
    await fill(database, ACME)
    async with engine(other_database) as rag:
        for call in (
            rag.query(QUESTION),
            rag.query_data(QUESTION),
            rag.realm_stats(),
            rag.cypher("MATCH (n) RETURN n"),
        ):
            with pytest.raises(RealmNotFound, match="realm 'one' does not exist"):
                await call
    with psycopg.connect(other_database) as connection:
        assert connection.execute("SELECT to_regnamespace('post_graph_rag')").fetchone() == (None,)


async def test_a_misspelt_realm_or_space_says_so(database: str) -> None:
    await fill(database, ACME)
    async with engine(database, realm="onee") as rag:
        with pytest.raises(RealmNotFound, match="'onee'"):
            await rag.query(QUESTION)
    async with engine(database, space="defualt") as rag:
        with pytest.raises(SpaceNotFound, match="'defualt'"):
            await rag.query(QUESTION)


async def test_a_lent_connection_is_written_and_read_whatever_dsn_is_set(database: str, other_database: str) -> None:
    connection = await asyncpg.connect(database)
    async with engine(other_database, connection=connection) as rag:
        await rag.index_text(ACME, key="Acme")
        assert (await rag.query(QUESTION)).references
        assert len(await rag.cypher("MATCH (d:Document) RETURN d.key")) == 1
    await connection.close()
    assert await documents(database) == 1
    with pytest.raises(RealmNotFound):
        await documents(other_database)
