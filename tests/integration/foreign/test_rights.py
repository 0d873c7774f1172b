"""Each role can do what it was granted, and is told early and clearly what it cannot."""

from __future__ import annotations

from collections.abc import Callable

import asyncpg
import psycopg
import pytest

from post_graph_rag import Document, GraphRAG, Models, QueryParam
from post_graph_rag.errors import ReadOnlyServer, RightMissing, SchemaError
from post_graph_rag.records import Mode
from post_graph_rag.store.identifiers import schema_name
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, plain_facts
from tests.integration.foreign.engines import ACME, ELM, QUESTION, REALM, WIDTH, documents, engine, fill
from tests.servers import with_user

MakeRole = Callable[[str], str]
RECORD = schema_name(REALM)
MODES: tuple[Mode, ...] = ("mix", "local", "naive", "bypass")


async def reads_everything(rag: GraphRAG) -> None:
    for mode in MODES:
        param = QueryParam(mode=mode)
        assert bool((await rag.query_data(QUESTION, param)).passages) == (mode != "bypass")
        assert (await rag.query(QUESTION, param)).text
        async with rag.stream(QUESTION, param) as stream:
            assert "".join([text async for text in stream]) == stream.answer.text
    assert len(await rag.cypher("MATCH (e:Entity) RETURN e.name", columns=["name"])) == 3
    assert (await rag.realm_stats()).documents == 1
    assert [finding for finding in await rag.doctor() if not finding.ok] == []


def snapshot(admin: psycopg.Connection) -> list[object]:
    """How many rows were ever written to each table of the database."""
    admin.execute("SELECT pg_stat_force_next_flush()")
    return admin.execute(
        "SELECT relid::regclass::text, n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_user_tables ORDER BY 1"
    ).fetchall()


async def test_a_reader_reads_in_every_way_and_writes_nothing(
    database: str, admin: psycopg.Connection, make_role: MakeRole
) -> None:
    reader = make_role("pgr_test_reader")
    await fill(database, ACME)
    async with engine(database) as owner:
        await owner.grant(reader, "read")
    before = snapshot(admin)
    async with engine(with_user(database, reader)) as rag:
        await reads_everything(rag)
    assert snapshot(admin) == before


async def test_a_reader_who_indexes_is_refused_before_a_model_is_asked(database: str, make_role: MakeRole) -> None:
    reader = make_role("pgr_test_reader")
    await fill(database, ACME)
    async with engine(database) as owner:
        await owner.grant(reader, "read")
    chat, embedding = ScriptedChat(extract=plain_facts), ScriptedEmbedding(WIDTH)
    async with engine(with_user(database, reader), models=Models(chat, embedding)) as rag:
        with pytest.raises(RightMissing, match="realm grant --write --realm=one -- pgr_test_reader"):
            await rag.index_text(ELM)
        with pytest.raises(RightMissing):
            await rag.complete_pending()
        with pytest.raises(RightMissing):
            await rag.rebuild_graph()
        with pytest.raises(RightMissing):
            await rag.drop_realm()
    assert (len(chat.calls), embedding.requests) == (0, 0)
    assert await documents(database) == 1


async def test_a_role_without_any_right_is_told_so(database: str, make_role: MakeRole) -> None:
    await fill(database, ACME)
    rag = engine(with_user(database, make_role("pgr_test_stranger")))
    with pytest.raises(RightMissing, match="realm grant"):
        await rag.query(QUESTION)
    assert [finding.check for finding in await rag.doctor() if not finding.ok] != []
    await rag.close()


async def test_a_role_that_may_not_create_is_told_what_it_lacks(database: str, make_role: MakeRole) -> None:
    rag = engine(with_user(database, make_role("pgr_test_stranger")))
    with pytest.raises(RightMissing, match="CREATE on the database"):
        await rag.index_text(ACME)
    await rag.close()


async def test_a_session_that_only_reads_serves_every_way_of_reading(database: str, admin: psycopg.Connection) -> None:
    await fill(database, ACME)
    admin.execute(f'ALTER DATABASE "{admin.info.dbname}" SET default_transaction_read_only = on')
    before = snapshot(admin)
    async with engine(database) as rag:
        await reads_everything(rag)
        with pytest.raises(ReadOnlyServer, match="only reads"):
            await rag.index_text(ELM)
        with pytest.raises(ReadOnlyServer):
            await rag.rebuild_graph()
    async with engine(database, realm="another") as rag:
        with pytest.raises(ReadOnlyServer):
            await rag.index_text(ELM)
    assert snapshot(admin) == before


async def test_a_read_only_transaction_of_the_callers_serves_reading(database: str) -> None:
    await fill(database, ACME)
    connection = await asyncpg.connect(database)
    async with connection.transaction(readonly=True), engine(connection=connection) as rag:
        await reads_everything(rag)
        with pytest.raises(ReadOnlyServer, match="READ ONLY transaction"):
            await rag.index_text(ELM)
        assert await connection.fetchval("SELECT 1") == 1
    await connection.close()


async def test_a_writer_indexes_and_completes_and_owns_nothing(
    database: str, admin: psycopg.Connection, make_role: MakeRole
) -> None:
    writer = make_role("pgr_test_writer")
    await fill(database, ACME)
    async with engine(database) as owner:
        await owner.grant(writer, "write")
    broken = Models(ScriptedChat({"extraction": ["nonsense"]}), ScriptedEmbedding(WIDTH))
    async with engine(with_user(database, writer), models=broken) as rag:
        reports = await rag.index_documents([Document(text=ELM, key="Elm"), Document(text=ACME, key="Acme")])
        assert [(report.status, report.pending) for report in reports] == [("new", 1), ("unchanged", 0)]
    async with engine(with_user(database, writer)) as rag:
        assert (await rag.complete_pending()).passages_completed == 1
        assert (await rag.index_text(ACME + " Acme Corp sued Elm Works.", key="Acme")).status == "changed"
        assert (await rag.index_text(ELM, key="Elm", reindex=True)).status == "changed"
        answer = await rag.query(QUESTION)
        assert answer.references
        assert [finding for finding in await rag.doctor() if not finding.ok] == []
        with pytest.raises(RightMissing):
            await rag.rebuild_graph()
    owned = admin.execute("SELECT count(*) FROM pg_class WHERE relowner = %s::regrole", (writer,)).fetchone()
    assert owned == (0,)


async def test_an_owner_who_is_no_superuser_does_it_all(
    database: str, admin: psycopg.Connection, make_role: MakeRole
) -> None:
    owner = make_role("pgr_test_owner")
    admin.execute(f'GRANT CREATE ON DATABASE "{admin.info.dbname}" TO {owner}')
    admin.execute(f"GRANT USAGE ON SCHEMA ag_catalog TO {owner}")
    admin.execute(f"ALTER ROLE {owner} SET session_preload_libraries = 'plpgsql'")
    async with engine(with_user(database, owner), create=True) as rag:
        await rag.index_text(ACME, key="Acme")
        await rag.index_text(ACME + " Acme Corp sued Elm Works.", key="Acme")
        assert (await rag.query(QUESTION)).references
        assert len(await rag.cypher("MATCH (e:Entity) RETURN e.name", columns=["name"])) == 4
        await rag.rebuild_graph()
        await rag.optimize()
        assert [finding for finding in await rag.doctor() if not finding.ok] == []
        await rag.drop_realm()
    left = admin.execute("SELECT count(*) FROM pg_namespace WHERE nspowner = %s::regrole", (owner,)).fetchone()
    assert left == (1,)  # the catalog


async def test_an_owner_without_age_is_told_to_do_without(
    database: str, admin: psycopg.Connection, make_role: MakeRole
) -> None:
    owner = make_role("pgr_test_owner")
    admin.execute(f'GRANT CREATE ON DATABASE "{admin.info.dbname}" TO {owner}')
    admin.execute("DROP EXTENSION age CASCADE")
    admin.execute(f"ALTER ROLE {owner} SET session_preload_libraries = 'plpgsql'")
    rag = engine(with_user(database, owner))
    with pytest.raises(SchemaError, match='graph="none"'):
        await rag.index_text(ACME)
    await rag.close()
    async with engine(with_user(database, owner), graph="none") as rag:
        await rag.index_text(ACME, key="Acme")
        assert (await rag.query(QUESTION)).references
        await rag.rebuild_graph()
        assert [finding for finding in await rag.doctor() if not finding.ok] == []
        with pytest.raises(SchemaError, match="graph='none'"):
            await rag.cypher("MATCH (n) RETURN n")
        await rag.drop_realm()


async def test_vector_may_lie_in_another_schema(database: str, admin: psycopg.Connection, make_role: MakeRole) -> None:
    admin.execute("DROP EXTENSION vector; CREATE SCHEMA extensions; CREATE EXTENSION vector SCHEMA extensions")
    reader, writer = make_role("pgr_test_reader"), make_role("pgr_test_writer")
    await fill(database, ACME)
    async with engine(database) as rag:
        await rag.grant(reader, "read")
        await rag.grant(writer, "write")
        await rag.optimize()
    async with engine(with_user(database, writer)) as rag:
        assert (await rag.index_text(ACME + " Clara Voss knows Emil Falk.", key="Acme")).status == "changed"
    async with engine(with_user(database, reader)) as rag:
        assert (await rag.query(QUESTION)).references
        assert [finding for finding in await rag.doctor() if not finding.ok] == []


async def test_vector_may_move_to_another_schema_while_an_engine_is_open(
    database: str, admin: psycopg.Connection
) -> None:
    await fill(database, ACME)
    async with engine(database) as rag:
        await rag.query(QUESTION)
        admin.execute("CREATE SCHEMA extensions; ALTER EXTENSION vector SET SCHEMA extensions")
        assert (await rag.query(QUESTION)).references
        assert (await rag.index_text(ELM, key="Elm")).status == "new"
