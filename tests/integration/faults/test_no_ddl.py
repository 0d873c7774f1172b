"""Opening, writing and reading a realm that is there make and alter nothing, and wait for nobody who reads."""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from post_graph_rag import Document, Models, QueryParam
from post_graph_rag.records import Mode
from post_graph_rag.store.identifiers import graph_name, schema_name
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding
from tests.integration.foreign.engines import ACME, ELM, QUESTION, REALM, WIDTH, engine, fill

MODES: tuple[Mode, ...] = ("mix", "local", "naive", "bypass")
REFUSE_DDL = """
    CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no DDL, but: %', tg_tag; END $$;
    CREATE EVENT TRIGGER refuse ON ddl_command_start EXECUTE FUNCTION public.refuse()
"""


async def write_and_read(database: str) -> list[str]:
    """Everything an engine does day by day; returns what became of the documents."""
    async with engine(database, create=True) as rag:
        reports = await rag.index_documents([Document(text=ELM, key="Elm"), Document(text=ACME + " So.", key="Acme")])
        reports += await rag.index_documents([Document(text=ELM, key="Elm")], reindex=True)
        await rag.complete_pending()
        for mode in MODES:
            assert (await rag.query(QUESTION, QueryParam(mode=mode))).text
        assert len(await rag.cypher("MATCH (d:Document) RETURN d.key")) == 2
        assert [finding for finding in await rag.doctor() if not finding.ok] == []
    return [report.status for report in reports]


async def test_opening_writing_and_reading_run_no_ddl(database: str, admin: psycopg.Connection) -> None:
    await fill(database, ACME)
    admin.execute(REFUSE_DDL)
    with pytest.raises(psycopg.errors.RaiseException, match="CREATE TABLE"):
        admin.execute("CREATE TABLE public.one (id integer)")
    assert await write_and_read(database) == ["new", "changed", "changed"]


async def test_structure_that_is_made_up_for_runs_no_ddl(database: str, admin: psycopg.Connection) -> None:
    await fill(database, ACME)
    broken = Models(ScriptedChat({"extraction": ["nonsense"]}), ScriptedEmbedding(WIDTH))
    async with engine(database, models=broken) as rag:
        await rag.index_documents([Document(text=ELM, key="Elm"), Document(text=ACME, key="Acme")])
    admin.execute(REFUSE_DDL)
    async with engine(database) as rag:
        assert (await rag.complete_pending()).passages_completed == 1


async def test_an_open_read_of_every_table_holds_up_neither_opening_nor_writing(database: str) -> None:
    await fill(database, ACME)
    record = schema_name(REALM)
    schemas = ["post_graph_rag", record, graph_name(record)]
    with psycopg.connect(database) as reader:
        tables = reader.execute("SELECT schemaname, tablename FROM pg_tables WHERE schemaname = ANY (%s)", (schemas,))
        for schema, table in tables.fetchall():
            reader.execute(f'SELECT FROM "{schema}"."{table}"')
        assert await asyncio.wait_for(write_and_read(database), 20) == ["new", "changed", "changed"]
        await asyncio.wait_for(fill(database, ELM, realm="another"), 20)
