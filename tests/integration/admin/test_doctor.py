"""Doctor finds each defect, and the command it prints mends it."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from post_graph_rag import Document, GraphRAG, Models, Settings
from post_graph_rag.models.offline.embedding import OfflineEmbedding
from post_graph_rag.records import Finding
from post_graph_rag.store.database import Database
from post_graph_rag.store.doctor import examine
from post_graph_rag.store.grants import grant_realm
from post_graph_rag.store.identifiers import graph_name, schema_name
from post_graph_rag.store.realms import ensure_realm, find_realm
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, plain_facts
from tests.integration.admin.commands import run, run_line
from tests.offline import needs_offline_models
from tests.servers import with_user

REALM = 'it\'s "one"'
RECORD = schema_name(REALM)
GRAPH = graph_name(RECORD)
TEXTS = (
    "Acme Corp acquired Birch Labs from 2001 until 2005.\nBirch Labs employs Clara Voss.",
    "Acme Corp also known as Acme employs Dora Lind since 2010.\nAcme founded Elm Works.",
)


@pytest.fixture
async def filled(database: str) -> Settings:
    """A realm with two documents; its vectors are named as the offline model's, which the command line will use."""
    settings = Settings(dsn=database, realm=REALM)
    embedding = ScriptedEmbedding(name=OfflineEmbedding().name)
    async with GraphRAG(settings, models=Models(ScriptedChat(extract=plain_facts), embedding)) as rag:
        await rag.index_documents([Document(text=text, key=text[:4] + str(n)) for n, text in enumerate(TEXTS)])
    return settings


def faults(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if not finding.ok]


async def mend(database: str, store: Database, realm: str | None = REALM) -> list[str]:
    """Run what doctor prints until it is content; returns the commands in order."""
    commands: list[str] = []
    while found := faults(await examine(store, realm)):
        assert found[0].repair is not None, found
        assert len(commands) < 4, (commands, found)
        commands.append(found[0].repair)
        result = await run_line(database, found[0].repair)
        assert result.exit_code == 0, result.output
    return commands


async def test_a_sound_realm_has_no_fault(store: Database, filled: Settings) -> None:
    findings = await examine(store, REALM)
    assert faults(findings) == []
    assert {finding.check for finding in findings} >= {"server", "extension age", f"{REALM}: graph"}


STRAYS = {
    "a vector without its row": "INSERT INTO {r}.entity_vector_1 SELECT 999999, space, true, embedding "
    "FROM {r}.entity_vector_1 LIMIT 1",
    "a passage's vector without its row": "INSERT INTO {r}.passage_vector_1 SELECT 999999, space, true, embedding "
    "FROM {r}.passage_vector_1 LIMIT 1",
    "words without their row": "INSERT INTO {r}.posting SELECT kind, space, term, 999999, 1, 1, true "
    "FROM {r}.posting LIMIT 3",
    "a passage's vector that is hidden": "UPDATE {r}.passage_vector_1 SET current = false",
    "an entity's vector that is hidden": "UPDATE {r}.entity_vector_1 SET current = false",
    "a relation's vector that is hidden": "UPDATE {r}.relation_vector_1 SET current = false",
    "words that are hidden": "UPDATE {r}.posting SET current = false WHERE kind = 2",
    "an entity that is hidden": "UPDATE {r}.entity SET current = false",
    "a relation that is hidden": "UPDATE {r}.relation SET current = NOT current",
    "a current entity that is not kept as one": "DELETE FROM {r}.entity_presence "
    "WHERE entity = (SELECT min(entity) FROM {r}.entity_presence)",
    "an entity that is kept as current and is not": "INSERT INTO {r}.entity_presence "
    "SELECT id, tstzrange('2020-01-01', NULL) FROM {r}.entity WHERE NOT current",
    "a merged entity that is kept as standing for itself": "DELETE FROM {r}.standing",
    "an entity that is kept as standing for another": "INSERT INTO {r}.standing "
    "SELECT max(id), min(id), tstzrange('2020-01-01', NULL) FROM {r}.entity WHERE current",
    "a merged entity that is kept as standing for a third": "UPDATE {r}.standing SET canonical = "
    "(SELECT max(id) FROM {r}.entity WHERE id <> canonical)",
}


@pytest.mark.parametrize("defect", STRAYS)
async def test_derived_rows_that_do_not_follow_from_the_record_are_mended_by_optimize(
    store: Database, database: str, admin: psycopg.Connection, filled: Settings, defect: str
) -> None:
    admin.execute(STRAYS[defect].format(r=RECORD))
    assert faults(await examine(store, REALM))[0].check == f"{REALM}: derived rows"
    assert await mend(database, store) == ["post-graph-rag realm optimize '--realm=it'\"'\"'s \"one\"'"]


@needs_offline_models
@pytest.mark.parametrize("kind", ["entity", "relation"])
async def test_vectors_that_were_lost_are_marked_by_optimize_and_made_by_index(
    store: Database, database: str, admin: psycopg.Connection, filled: Settings, kind: str
) -> None:
    admin.execute(f"DELETE FROM {RECORD}.{kind}_vector_1")
    words = [command.split()[1:3] for command in await mend(database, store)]
    assert [word[0] for word in words] == ["realm", "index"]
    assert admin.execute(f"SELECT count(*) > 0 FROM {RECORD}.{kind}_vector_1").fetchone() == (True,)


@needs_offline_models
async def test_a_passage_without_structure_is_completed_by_index(
    store: Database, database: str, admin: psycopg.Connection, filled: Settings
) -> None:
    admin.execute(f"UPDATE {RECORD}.passage SET extractor = NULL WHERE id = (SELECT min(id) FROM {RECORD}.passage)")
    (pending,) = faults(await examine(store, REALM))
    assert pending.detail == "1 passages wait for their structure, 0 vectors are missing"
    assert [command.split()[1] for command in await mend(database, store)] == ["index"]


GRAPH_DEFECTS = {
    "an edge is gone": 'DELETE FROM {g}."RELATES" WHERE id = (SELECT id FROM {g}."RELATES" LIMIT 1)',
    "an edge leads elsewhere": 'UPDATE {g}."MENTIONS" SET end_id = start_id',
    "a vertex is gone": 'DELETE FROM {g}."Entity" WHERE id = (SELECT id FROM {g}."Entity" LIMIT 1)',
    "a vertex stands for nothing": 'INSERT INTO {g}."Document" SELECT ag_catalog._graphid('
    'ag_catalog._extract_label_id(id), 999999), properties FROM {g}."Document" LIMIT 1',
    "entities say something else": 'UPDATE {g}."Entity" SET properties = \'{{"name": "somebody"}}\'::ag_catalog.agtype',
    "an edge says something else": 'UPDATE {g}."RELATES" SET properties = \'{{"fact": "false"}}\'::ag_catalog.agtype',
    "all passages are gone": 'DELETE FROM {g}."Passage"',
    "links of documents are gone": 'DELETE FROM {g}."CONTAINS"',
    "the whole graph is gone": "SELECT ag_catalog.drop_graph('{g}', true)",
    "a label is gone": "SELECT ag_catalog.drop_label('{g}', 'RELATES', false)",
}


@pytest.mark.parametrize("defect", GRAPH_DEFECTS)
async def test_a_graph_that_does_not_agree_with_the_record_is_drawn_anew_by_rebuild_graph(
    store: Database, database: str, admin: psycopg.Connection, filled: Settings, defect: str
) -> None:
    admin.execute("SELECT '0'::ag_catalog.agtype; SET search_path = public, ag_catalog")
    admin.execute(GRAPH_DEFECTS[defect].format(g=GRAPH))
    assert [finding.check for finding in faults(await examine(store, REALM))] == [f"{REALM}: graph"]
    assert [command.split()[2] for command in await mend(database, store)] == ["rebuild-graph"]


async def test_the_finding_counts_what_the_graph_lacks(
    store: Database, admin: psycopg.Connection, filled: Settings
) -> None:
    admin.execute(f'DELETE FROM {GRAPH}."Document"')
    (finding,) = faults(await examine(store, REALM))
    assert finding.detail == "Document lacks 2 and has 0 too many"


async def test_a_realm_that_is_not_there_is_made_by_the_command(store: Database, database: str) -> None:
    await ensure_realm(store, "other", "model", 8)
    assert [command.split()[1:3] for command in await mend(database, store)] == [["realm", "create"]]


async def test_a_database_without_a_catalog_gets_it_by_migrate(store: Database, database: str) -> None:
    assert await mend(database, store, None) == ["post-graph-rag migrate"]


async def test_a_realm_that_is_older_is_brought_up_to_date_by_migrate(
    store: Database, database: str, filled: Settings, add_migration: Callable[[str, str], None]
) -> None:
    add_migration("realm/0099_more.sql", "ALTER TABLE {record}.passage ADD COLUMN more integer;")
    assert [command.split()[1] for command in await mend(database, store)] == ["migrate"]


async def test_a_right_that_a_reader_lost_is_given_back_by_grant(
    store: Database, database: str, admin: psycopg.Connection, filled: Settings, make_role: Callable[[str], str]
) -> None:
    role = make_role("-pgr 'test\"")
    await grant_realm(store, await find_realm(store, REALM), role, "read")
    admin.execute(f'REVOKE SELECT ON {RECORD}.passage FROM "-pgr \'test"""')
    (finding,) = faults(await examine(store, REALM))
    assert finding.detail == f"role {role!r} lacks rights on 1 tables"
    assert ["--read" in command for command in await mend(database, store)] == [True]


async def test_a_right_that_a_writer_lost_is_given_back_by_grant(
    store: Database, database: str, admin: psycopg.Connection, filled: Settings, make_role: Callable[[str], str]
) -> None:
    await grant_realm(store, await find_realm(store, REALM), make_role("pgr_test_writer"), "write")
    admin.execute(f"REVOKE DELETE ON {RECORD}.posting FROM pgr_test_writer")
    assert ["--write" in command for command in await mend(database, store)] == [True]


async def test_a_rebuilt_graph_is_open_to_those_who_could_read_the_realm(
    store: Database, database: str, filled: Settings, make_role: Callable[[str], str]
) -> None:
    await grant_realm(store, await find_realm(store, REALM), make_role("pgr_test_reader"), "read")
    await run(database, "realm", "rebuild-graph", REALM)
    assert faults(await examine(store, REALM)) == []


async def test_a_role_that_may_not_look_at_all_is_let_in_by_grant(
    store: Database, database: str, filled: Settings, make_role: Callable[[str], str]
) -> None:
    theirs = Database(with_user(database, make_role("pgr_test_reader")), pool_size=1)
    (finding,) = faults(await examine(theirs, REALM))
    assert finding.repair is not None
    assert (await run_line(database, finding.repair)).exit_code == 0
    assert faults(await examine(theirs, REALM)) == []
    await theirs.close()


async def test_a_reader_who_examines_a_realm_needs_no_right_to_write(
    store: Database, database: str, filled: Settings, make_role: Callable[[str], str]
) -> None:
    await grant_realm(store, await find_realm(store, REALM), make_role("pgr_test_reader"), "read")
    theirs = Database(with_user(database, "pgr_test_reader"), pool_size=1)
    findings = await examine(theirs, REALM)
    assert faults(findings) == []
    assert "role 'pgr_test_reader' reads only" in {finding.detail for finding in findings}
    await theirs.close()


async def test_a_large_vector_table_without_an_index_gets_one_by_optimize(
    store: Database, database: str, filled: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("post_graph_rag.store.optimize.THRESHOLD", 3)
    (finding,) = faults(await examine(store, REALM))
    assert finding.check == f"{REALM}: vector indexes"
    assert [command.split()[2] for command in await mend(database, store)] == ["optimize"]


async def test_an_index_whose_making_broke_off_is_made_anew_by_optimize(
    store: Database, database: str, admin: psycopg.Connection, filled: Settings
) -> None:
    table = f"{RECORD}.passage_vector_1"
    admin.execute(f"CREATE INDEX passage_vector_1_hnsw ON {table} USING hnsw (embedding vector_cosine_ops)")
    admin.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass", (f"{table}_hnsw",))
    assert [command.split()[2] for command in await mend(database, store)] == ["optimize"]


async def test_a_realm_whose_tables_are_gone_can_be_dropped(
    store: Database, database: str, admin: psycopg.Connection, filled: Settings
) -> None:
    admin.execute(f"DROP SCHEMA {RECORD} CASCADE")
    assert faults(await examine(store))[0].detail.startswith("its tables are gone")
    assert [command.split()[2] for command in await mend(database, store, None)] == ["drop"]


async def test_vectors_of_another_width_are_found_and_no_command_is_promised(
    store: Database, admin: psycopg.Connection, filled: Settings
) -> None:
    table = f"{RECORD}.relation_vector_1"
    admin.execute(f"DROP TABLE {table}; CREATE TABLE {table} (id bigint, space int, current bool, embedding vector(3))")
    finding = next(finding for finding in faults(await examine(store, REALM)) if "vectors" in finding.check)
    assert (finding.repair, "not vector(256): relation_vector_1" in finding.detail) == (None, True)


async def test_a_passage_without_its_vector_is_found(
    store: Database, admin: psycopg.Connection, filled: Settings
) -> None:
    admin.execute(f"DELETE FROM {RECORD}.passage_vector_1")
    (finding,) = faults(await examine(store, REALM))
    assert finding.detail.startswith("2 passages have none: run post-graph-rag index --reindex ")


async def test_a_missing_extension_is_found_with_the_words_to_create_it(
    store: Database, admin: psycopg.Connection
) -> None:
    admin.execute("DROP EXTENSION age; DROP EXTENSION vector")
    details = {finding.check: finding.detail for finding in faults(await examine(store))}
    assert "CREATE EXTENSION age" in details["extension age"]
    assert "CREATE EXTENSION vector" in details["extension vector"]


async def test_without_a_graph_age_is_not_missed(store: Database, admin: psycopg.Connection) -> None:
    await ensure_realm(store, "plain", "model", 8, graph="none")
    admin.execute("DROP EXTENSION age")
    assert faults(await examine(store, "plain", graph="none")) == []


async def test_migrations_that_contradict_ours_are_found_and_no_command_is_promised(
    store: Database, admin: psycopg.Connection, filled: Settings
) -> None:
    admin.execute("UPDATE post_graph_rag.migration SET checksum = 'x' WHERE scope = %s", (RECORD,))
    (finding,) = faults(await examine(store, REALM))
    assert (finding.repair, "not the one this version ships" in finding.detail) == (None, True)


async def test_a_server_that_cannot_be_reached_is_a_finding_without_a_password() -> None:
    closed = Database("postgresql://someone:secret@127.0.0.1:1/nothing")
    (finding,) = await examine(closed)
    assert (finding.check, finding.ok, "secret" in str(finding)) == ("server", False, False)


async def test_what_optimize_mends_of_past_belief_holds_from_then_on(
    database: str, admin: psycopg.Connection, filled: Settings
) -> None:
    admin.execute(f"DELETE FROM {RECORD}.standing")
    await run(database, "realm", "optimize", f"--realm={REALM}")
    query = f"SELECT lower(s.recorded) = c.stamp FROM {RECORD}.standing s, {RECORD}.clock c"
    assert admin.execute(query).fetchall() == [(True,)]
