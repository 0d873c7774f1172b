"""A realm is a wall: whatever it is called, it is made, found and dropped without touching anything else."""

from __future__ import annotations

import psycopg
import pytest

from post_graph_rag.errors import ExtensionMissing, InputError, RealmNotFound
from post_graph_rag.store.database import Database
from post_graph_rag.store.identifiers import graph_name, schema_name
from post_graph_rag.store.realms import drop_realm, ensure_realm, find_realm, list_realms
from post_graph_rag.store.stats import realm_stats

HOSTILE = [
    'x"; DROP SCHEMA public CASCADE; --',
    "x'; DROP TABLE realm; --",
    "$$ {record} $$",
    "\\",
    "r" * 200,
    "実験 \N{ROCKET}",
    "\n\t\x1b[2J!",
    "--help",
]


def schemas(admin: psycopg.Connection) -> set[str]:
    return {row[0] for row in admin.execute("SELECT nspname::text FROM pg_namespace WHERE nspname !~ '^pg_'")}


def contents(admin: psycopg.Connection) -> set[tuple[str, str]]:
    """Everything in every schema but the server's own, with the realms registered."""
    relations = admin.execute(
        "SELECT n.nspname::text, c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname !~ '^pg_(toast|catalog)' UNION ALL SELECT 'registry', name FROM post_graph_rag.realm "
        "UNION ALL SELECT 'migration', scope FROM post_graph_rag.migration "
        "UNION ALL SELECT 'graph', name::text FROM ag_catalog.ag_graph"
    )
    return {(row[0], row[1]) for row in relations}


async def test_dropping_a_realm_drops_exactly_it(store: Database, admin: psycopg.Connection) -> None:
    for other in ("x", "r"):
        await ensure_realm(store, other, "model", 8)
    admin.execute("CREATE TABLE public.precious (id integer)")
    before = contents(admin)
    for name in HOSTILE:
        await ensure_realm(store, name, "model", 8)
        assert contents(admin) > before, name
        await drop_realm(store, name)
        assert contents(admin) == before, name


async def test_a_realm_is_found_under_exactly_the_name_it_was_given(store: Database) -> None:
    for name in HOSTILE:
        await ensure_realm(store, name, "model", 8)
        assert (await find_realm(store, name)).info.name == name
    assert {realm.name for realm in await list_realms(store)} == set(HOSTILE)


async def test_realms_with_equal_slugs_live_and_die_apart(store: Database, admin: psycopg.Connection) -> None:
    for name in ("a b", "a_b", "A B"):
        await ensure_realm(store, name, "model", 8)
    await drop_realm(store, "a b")
    assert [realm.name for realm in await list_realms(store)] == ["A B", "a_b"]
    assert {schema_name("a_b"), graph_name(schema_name("a_b"))} <= schemas(admin)
    assert schema_name("a b") not in schemas(admin)


async def test_opening_a_realm_that_is_there_changes_nothing(store: Database, admin: psycopg.Connection) -> None:
    first = await ensure_realm(store, "one", "model", 8)
    before = contents(admin)
    again = await ensure_realm(store, "one", "another model", 99)
    assert (again.info, contents(admin)) == (first.info, before)


@pytest.mark.parametrize("name", ["", "  ", "a\0b", "a" * 201, "\ud800"])
async def test_a_name_that_no_realm_can_have_is_refused(store: Database, name: str) -> None:
    with pytest.raises(InputError, match="1 to 200 characters"):
        await ensure_realm(store, name, "model", 8)


@pytest.mark.parametrize("name", ["nowhere", "", "a\0b", "\ud800"])
async def test_a_realm_that_is_not_there_is_not_found_and_the_message_says_how_to_make_it(
    store: Database, name: str
) -> None:
    with pytest.raises(RealmNotFound, match="realm create"):
        await find_realm(store, name)


async def test_dropping_a_realm_that_is_not_there_says_so(store: Database) -> None:
    with pytest.raises(RealmNotFound):
        await drop_realm(store, "nowhere")


async def test_a_realm_without_a_graph_needs_no_age(store: Database, admin: psycopg.Connection) -> None:
    admin.execute("DROP EXTENSION age CASCADE; DROP SCHEMA ag_catalog")
    realm = await ensure_realm(store, "plain", "model", 8, graph="none")
    assert realm.info.graph_name is None
    await drop_realm(store, "plain")
    assert await list_realms(store) == []


async def test_a_role_that_may_not_create_an_extension_is_told_who_can(
    store: Database, admin: psycopg.Connection, database: str, make_role
) -> None:
    from tests.servers import with_user

    owner = make_role("pgr_test_owner")
    admin.execute("DROP EXTENSION age CASCADE; DROP SCHEMA ag_catalog")
    admin.execute(f'GRANT CREATE ON DATABASE "{admin.info.dbname}" TO {owner}')
    theirs = Database(with_user(database, owner), pool_size=1)
    try:
        with pytest.raises(ExtensionMissing, match="CREATE EXTENSION age"):
            await ensure_realm(theirs, "one", "model", 8)
    finally:
        await theirs.close()


async def test_a_failed_creation_leaves_nothing(store: Database, admin: psycopg.Connection) -> None:
    await ensure_realm(store, "one", "model", 8)
    admin.execute(f"CREATE SCHEMA {graph_name(schema_name('two'))}")
    before = contents(admin)
    with pytest.raises(Exception, match="refused a statement"):
        await ensure_realm(store, "two", "model", 8)
    assert contents(admin) == before


async def test_a_new_realm_holds_nothing(store: Database) -> None:
    realm = await ensure_realm(store, "one", "model", 8)
    counted = (await realm_stats(store, realm)).model_dump(exclude={"realm", "bytes"})
    assert set(counted.values()) == {0}
