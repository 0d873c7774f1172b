"""A granted role can do what it was granted and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest

from post_graph_rag.errors import DatabaseError, InputError
from post_graph_rag.store.database import Database
from post_graph_rag.store.grants import Access, grant_realm
from post_graph_rag.store.realms import Realm, ensure_realm, find_realm
from tests.servers import with_user

MakeRole = Callable[[str], str]
HOSTILE = 'r"; DROP SCHEMA public; --'


@contextmanager
def connected(database: str, role: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(with_user(database, role), autocommit=True) as connection:
        yield connection


async def granted(store: Database, role: str, access: Access) -> Realm:
    realm = await ensure_realm(store, "one", "model", 8)
    await grant_realm(store, realm, role, access)
    return realm


async def readable(database: str, role: str, realm: Realm) -> set[str]:
    query = "SELECT c.oid::regclass::text FROM pg_class c WHERE c.relnamespace = %s::regnamespace AND c.relkind = 'r'"
    with connected(database, role) as connection:
        tables = [row[0] for row in connection.execute(query, (realm.info.schema_name,)).fetchall()]
        return {table for table in tables if connection.execute(f"SELECT count(*) FROM {table}").fetchone()}


async def test_a_reader_reads_every_table_of_the_realm(store: Database, database: str, make_role: MakeRole) -> None:
    realm = await granted(store, make_role(HOSTILE), "read")
    assert len(await readable(database, HOSTILE, realm)) > 15


async def test_a_reader_finds_the_realm_and_may_use_its_graph(
    store: Database, database: str, make_role: MakeRole
) -> None:
    realm = await granted(store, make_role("pgr_test_reader"), "read")
    theirs = Database(with_user(database, "pgr_test_reader"), pool_size=1)
    assert await find_realm(theirs, "one") == realm
    await theirs.close()
    with connected(database, "pgr_test_reader") as connection:
        connection.execute("SELECT '0'::ag_catalog.agtype; SET search_path = public, ag_catalog")
        query = f"SELECT * FROM cypher('{realm.info.graph_name}', $$ MATCH (n) RETURN count(n) $$) AS (n agtype)"
        assert connection.execute(query).fetchone() == ("0",)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO {record}.space (name) VALUES ('x')",
        "UPDATE {record}.clock SET epoch = 2",
        "DELETE FROM {record}.clock",
        "CREATE TABLE {record}.mine (id integer)",
        "UPDATE post_graph_rag.realm SET dimensions = 3",
        'DELETE FROM {graph}."Entity"',
    ],
)
async def test_a_reader_changes_nothing(store: Database, database: str, make_role: MakeRole, statement: str) -> None:
    realm = await granted(store, make_role("pgr_test_reader"), "read")
    text = statement.format(record=realm.info.schema_name, graph=realm.info.graph_name)
    with connected(database, "pgr_test_reader") as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(text)


async def test_a_writer_writes_but_makes_and_drops_no_table(
    store: Database, database: str, make_role: MakeRole
) -> None:
    realm = await granted(store, make_role("pgr_test_writer"), "write")
    record = realm.info.schema_name
    with connected(database, "pgr_test_writer") as connection:
        connection.execute(f"INSERT INTO {record}.space (name) VALUES ('x'); DELETE FROM {record}.space")
        connection.execute(f"SELECT nextval('{record}.entity_id_seq')")
        for statement in (f"CREATE TABLE {record}.mine ()", f"DROP TABLE {record}.mention"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)


@pytest.mark.parametrize("change", ["extractor = 'x'", "generation = 7"])
async def test_a_writer_changes_nothing_in_the_registry(
    store: Database, database: str, make_role: MakeRole, change: str
) -> None:
    await granted(store, make_role("pgr_test_writer"), "write")
    with connected(database, "pgr_test_writer") as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(f"UPDATE post_graph_rag.realm SET {change} WHERE name = 'one'")


async def test_tables_that_the_owner_makes_later_are_granted_too(
    store: Database, admin: psycopg.Connection, database: str, make_role: MakeRole
) -> None:
    realm = await granted(store, make_role("pgr_test_writer"), "write")
    table = f"{realm.info.schema_name}.passage_vector_2"
    admin.execute(f"CREATE TABLE {table} (id bigint)")
    with connected(database, "pgr_test_writer") as connection:
        written = connection.execute(f"INSERT INTO {table} SELECT 1 WHERE NOT EXISTS (SELECT FROM {table})")
    assert written.rowcount == 1


async def test_another_realm_stays_closed(store: Database, database: str, make_role: MakeRole) -> None:
    await granted(store, make_role("pgr_test_writer"), "write")
    other = await ensure_realm(store, "two", "model", 8)
    with connected(database, "pgr_test_writer") as connection:
        for schema in (other.info.schema_name, other.info.graph_name):
            usage = connection.execute("SELECT has_schema_privilege(%s, 'USAGE')", (schema,)).fetchone()
            assert usage == (False,)


async def test_granting_twice_changes_nothing(store: Database, admin: psycopg.Connection, make_role: MakeRole) -> None:
    realm = await granted(store, make_role("pgr_test_writer"), "write")
    rights = "SELECT array_agg(relacl::text ORDER BY oid) FROM pg_class WHERE relnamespace = %s::regnamespace"
    before = admin.execute(rights, (realm.info.schema_name,)).fetchone()
    await grant_realm(store, realm, "pgr_test_writer", "write")
    assert admin.execute(rights, (realm.info.schema_name,)).fetchone() == before


async def test_a_role_that_does_not_exist_is_refused(store: Database) -> None:
    with pytest.raises(InputError, match="no role 'vector_reader'"):
        await granted(store, "vector_reader", "read")


async def test_only_who_owns_a_realm_can_grant_it(store: Database, database: str, make_role: MakeRole) -> None:
    realm = await granted(store, make_role("pgr_test_reader"), "read")
    theirs = Database(with_user(database, "pgr_test_reader"), pool_size=1)
    with pytest.raises(DatabaseError):
        await grant_realm(theirs, realm, make_role("pgr_test_friend"), "read")
    await theirs.close()


async def test_an_owner_who_is_no_superuser_makes_grants_and_drops_realms(
    store: Database, admin: psycopg.Connection, database: str, make_role: MakeRole
) -> None:
    from post_graph_rag.store.realms import drop_realm

    owner, reader = make_role("pgr_test_owner"), make_role("pgr_test_reader")
    admin.execute(f'GRANT CREATE ON DATABASE "{admin.info.dbname}" TO {owner}')
    admin.execute(f"GRANT USAGE ON SCHEMA ag_catalog TO {owner}")
    theirs = Database(with_user(database, owner), pool_size=1)
    realm = await ensure_realm(theirs, "theirs", "model", 8)
    with pytest.raises(DatabaseError, match="only a superuser"):
        await grant_realm(theirs, realm, reader, "read")
    admin.execute(f"GRANT USAGE ON SCHEMA ag_catalog TO {reader}")
    await grant_realm(theirs, realm, reader, "read")
    assert len(await readable(database, reader, realm)) > 15
    await drop_realm(theirs, "theirs")
    await theirs.close()
