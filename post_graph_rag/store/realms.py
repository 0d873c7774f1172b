"""Realms, each a hard wall with its own schema, tables and graph: found, created, migrated, dropped."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from post_graph_rag.errors import (
    InputError,
    MigrationNeeded,
    RealmMoved,
    RealmNotFound,
    RightMissing,
    SchemaError,
)
from post_graph_rag.records import RealmInfo
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.driver_errors import database_errors
from post_graph_rag.store.extensions import ensure_extensions
from post_graph_rag.store.graph_ddl import create_graph, drop_graph
from post_graph_rag.store.identifiers import CATALOG, graph_name, quoted, quoted_name, schema_name
from post_graph_rag.store.migrations import Migration, apply, newest
from post_graph_rag.store.repairs import command
from post_graph_rag.store.statements import Statements, render, sources

LOCK_TIMEOUT = "30s"  # for the one lock of all who create, migrate or drop
DDL_TIMEOUT = "5s"  # for a table's own lock: whoever waits for it holds up all readers behind
_CATALOG_NAMES = {"catalog": quoted(CATALOG)}
CATALOG_STATEMENTS = Statements(_CATALOG_NAMES)


@dataclass(frozen=True)
class Realm:
    """An open realm: what the registry says, the values of its SQL's placeholders, and its statements."""

    info: RealmInfo
    names: Mapping[str, str] = field(repr=False, compare=False)
    statements: Statements = field(repr=False, compare=False)

    @classmethod
    def of(cls, info: RealmInfo, vectors_in: str, epoch: int) -> Realm:
        """A realm whose server has the vector extension in schema `vectors_in`.

        epoch: which life of the realm this is; statements refuse another, as when it was dropped and made anew.
        """
        names = {**realm_names(info, vectors_in), "epoch": str(epoch)}
        return cls(info, names, Statements(names, f"{quoted_name(vectors_in)}, ag_catalog"))


def unmade(name: str) -> Realm:
    """A realm that is not there, for those who ask nothing of it."""
    info = RealmInfo(name=name, schema_name="unmade", graph_name=None, embedding_model="", dimensions=1, generation=1)
    return Realm.of(info, "public", 0)


def realm_names(info: RealmInfo, vectors_in: str) -> dict[str, str]:
    """Values of the placeholders in a realm's SQL: quoted identifiers, the vector type, its width."""
    record = quoted(info.schema_name)
    extension = quoted_name(vectors_in)
    names = {
        **_CATALOG_NAMES,
        "record": record,
        "vector": f"{extension}.{vector_type(info.dimensions)}",
        "operators": f"{extension}.{vector_type(info.dimensions)}_cosine_ops",
        "signs": f"{extension}.binary_quantize",
        "sign_operators": f"{extension}.bit_hamming_ops",
        "dimensions": str(info.dimensions),
        "generation": str(info.generation),
    }
    for kind in ("passage", "entity", "relation"):
        names[f"{kind}_vector"] = f"{record}.{quoted(f'{kind}_vector_{info.generation}')}"
    if info.graph_name is not None:
        names["graph"] = quoted(info.graph_name)
    return names


def vector_type(dimensions: int) -> str:
    """`vector` up to 2,000 dimensions, `halfvec` up to 4,000: what pgvector can index.

    Raises InputError beyond that.
    """
    if not 1 <= dimensions <= 4000:
        raise InputError(
            f"{dimensions} dimensions cannot be indexed (4,000 at most); set POST_GRAPH_RAG_EMBEDDING_DIMENSIONS"
        )
    return "vector" if dimensions <= 2000 else "halfvec"


async def find_realm(database: Database, name: str) -> Realm:
    """The realm of that name, ready for use.

    Raises RealmNotFound; MigrationNeeded when the realm is older than this version, SchemaError when newer.
    """
    # One snapshot: a realm that is swapped meanwhile must not get the one's tables and the other's epoch.
    async with database.transaction(CATALOG_STATEMENTS, read_only=True, isolation="repeatable_read") as session:
        row = await _registered(session, name)
        _check_version(f"realm {name!r}", row["migration"], newest("realm"))
        return Realm.of(realm_info(row), row["vectors_in"] or "public", await _epoch(session, row["schema_name"]))


async def _epoch(session: Session, schema: str) -> int:
    """0 where it cannot be read: what is wrong with the realm is said by whatever reads it next."""
    with suppress(RealmMoved, RightMissing):
        async with session.savepoint():
            text = render(sources()["epoch"], {"record": quoted(schema)})
            with database_errors():
                return int(await session.connection.fetchval(text))
    return 0


async def open_realm(database: Database, name: str) -> Realm:
    """The realm of that name, brought up to date first where it is older and this role owns it.

    Nothing is migrated on a caller's connection, nor for a role that does not own the realm.
    Raises as find_realm does, and Busy when another process holds the lock for too long.
    """
    try:
        return await find_realm(database, name)
    except MigrationNeeded:
        if not (database.owned and await may_migrate(database, name)):
            raise
    await migrate_realm(database, name)
    return await find_realm(database, name)


async def may_migrate(database: Database, name: str) -> bool:
    """Whether this role owns the catalog and the realm's schema."""
    async with database.transaction(CATALOG_STATEMENTS, read_only=True) as session:
        return bool(await session.value("may_migrate", CATALOG, name))


async def _registered(session: Session, name: str) -> Any:
    """The registry's row. Raises RealmNotFound, or for a catalog of another version as _check_version does."""
    found = None
    if _usable(name) and await session.value("catalog_exists"):
        _check_version("the catalog", await session.value("catalog_migration"), newest("catalog"))
        found = await session.row("find_realm", name)
    if found is None:
        raise RealmNotFound(
            f"realm {name!r} does not exist: run {command('realm', 'create', realm=name)} or index into it"
        )
    return found


def _check_version(what: str, applied: int | None, known: int) -> None:
    if (applied or 0) < known:
        raise MigrationNeeded(f"{what} is older than this library: run `post-graph-rag migrate --all`")
    if (applied or 0) > known:
        raise SchemaError(f"{what} is newer than this library: upgrade post_graph_rag here")


def realm_info(row: Mapping[str, Any]) -> RealmInfo:
    """The registry's row as a record."""
    return RealmInfo(**{key: row[key] for key in RealmInfo.model_fields})


async def list_realms(database: Database) -> list[RealmInfo]:
    """All realms of the database by name; none where the catalog is not there yet."""
    async with database.transaction(CATALOG_STATEMENTS, read_only=True) as session:
        if not await session.value("catalog_exists"):
            return []
        return [realm_info(row) for row in await session.rows("list_realms")]


async def ensure_realm(
    database: Database,
    name: str,
    embedding_model: str,
    dimensions: int,
    graph: Literal["age", "none"] = "age",
    extractor: str = "",
    prefixes: tuple[str, str] = ("", ""),
) -> Realm:
    """Open the realm or create it, in one transaction; of several that try at once one creates, the others find it.

    extractor: name of the model that will extract, for people to see in the registry. prefixes: of questions and of
    passages, as they are embedded.
    Raises InputError for an unusable name or width, ExtensionMissing, DatabaseError without the right to create.
    """
    _check_name(name)
    vector_type(dimensions)
    try:
        return await open_realm(database, name)
    except RealmNotFound:
        info = RealmInfo(
            name=name,
            schema_name=(schema := schema_name(name)),
            graph_name=graph_name(schema) if graph == "age" else None,
            embedding_model=embedding_model,
            dimensions=dimensions,
            generation=1,
            extractor=extractor,
            query_prefix=prefixes[0],
            passage_prefix=prefixes[1],
        )
        await _create_where_allowed(database, info)
    return await find_realm(database, name)


async def _create_where_allowed(database: Database, info: RealmInfo) -> None:
    try:
        await _create_once(database, info)
    except RightMissing as error:
        raise RightMissing(
            f"this role may not create realm {info.name!r}: grant it CREATE on the database (and USAGE on the schema "
            f"ag_catalog for a graph), or let an owner run {command('realm', 'create', realm=info.name)} ({error})"
        ) from error


async def _create_once(database: Database, info: RealmInfo) -> None:
    async with database.transaction(CATALOG_STATEMENTS) as session:
        await session.run("lock_migrations", LOCK_TIMEOUT)
        await migrate_catalog(session)
        if await session.row("find_realm", info.name) is None:
            await _create(session, info)


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > 200 or not _usable(name):
        raise InputError(
            "a realm's name has 1 to 200 characters, not all blank, no NUL and no half of a surrogate pair"
        )


def _usable(name: str) -> bool:
    """Whether the server can hold the name at all; one that it cannot is no realm's."""
    return "\0" not in name and name.encode("utf-8", "replace").decode() == name


async def migrate_catalog(session: Session) -> list[Migration]:
    """Bring the catalog up to date under the caller's lock; returns what was applied."""
    if not await session.value("catalog_exists"):
        await session.script(CATALOG_STATEMENTS["create_catalog"])
    return await apply(session, "catalog", "catalog", _CATALOG_NAMES)


async def _create(session: Session, info: RealmInfo) -> None:
    names = realm_names(info, await ensure_extensions(session, info.graph_name is not None))
    await session.script(render(sources()["create_schema"], names))
    await session.run(
        "register_realm",
        *(info.name, info.schema_name, info.graph_name, info.embedding_model, info.dimensions, info.extractor),
    )
    if info.query_prefix or info.passage_prefix:
        await session.run("register_prefixes", info.name, info.query_prefix, info.passage_prefix)
    await apply(session, "realm", info.schema_name, names)
    await session.script(render(sources()["create_vector_tables"], names))
    await session.script(render(sources()["begin_epoch"], names))
    if info.graph_name is not None:
        await create_graph(session, info.graph_name, names)


async def migrate_realm(database: Database, name: str) -> list[Migration]:
    """Bring one realm up to date, and the catalog before it; returns what was applied to the realm.

    Raises RealmNotFound, SchemaError when the realm is newer or differs, Busy when a lock is not had in time.
    """
    async with database.transaction(CATALOG_STATEMENTS) as session:
        await session.run("lock_migrations", LOCK_TIMEOUT)
        await session.run("limit_lock_wait", DDL_TIMEOUT)
        await migrate_catalog(session)
        info = realm_info(await _registered(session, name))
        vectors_in = await session.value("vectors_in") or "public"
        return await apply(session, "realm", info.schema_name, realm_names(info, vectors_in))


async def drop_realm(database: Database, name: str) -> None:
    """Remove exactly this realm: its two schemas and its lines in the catalog. Raises RealmNotFound, Busy."""
    async with database.transaction(CATALOG_STATEMENTS, fresh=True) as session:
        await session.run("lock_migrations", LOCK_TIMEOUT)
        info = realm_info(await _registered(session, name))
        if info.graph_name is not None:
            await drop_graph(session, info.graph_name)
        await session.script(render(sources()["drop_schema"], {"record": quoted(info.schema_name)}))
        await session.run("forget_migrations", info.schema_name)
        await session.run("unregister_realm", name)
