"""Realms, each a hard wall with its own schema, tables and graph: found, created, migrated, dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import asyncpg

from post_graph_rag.errors import ExtensionMissing, InputError, MigrationNeeded, RealmNotFound, SchemaError
from post_graph_rag.records import RealmInfo
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.identifiers import CATALOG, graph_name, quoted, schema_name
from post_graph_rag.store.migrations import apply, newest
from post_graph_rag.store.statements import Statements, render, sources

LOCK_TIMEOUT = "30s"
_CATALOG_NAMES = {"catalog": quoted(CATALOG)}
CATALOG_STATEMENTS = Statements(_CATALOG_NAMES)


@dataclass(frozen=True)
class Realm:
    """An open realm: what the registry says, and its statements."""

    info: RealmInfo
    statements: Statements = field(repr=False, compare=False)

    @classmethod
    def of(cls, info: RealmInfo) -> Realm:
        return cls(info, Statements(realm_names(info)))


def realm_names(info: RealmInfo) -> dict[str, str]:
    """Values of the placeholders in a realm's SQL: quoted identifiers, the vector type, its width."""
    record = quoted(info.schema_name)
    names = {
        **_CATALOG_NAMES,
        "record": record,
        "vector": vector_type(info.dimensions),
        "operators": f"{vector_type(info.dimensions)}_cosine_ops",
        "dimensions": str(info.dimensions),
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
    async with database.transaction(CATALOG_STATEMENTS, read_only=True) as session:
        row = await session.row("find_realm", name) if await session.value("catalog_exists") else None
    if row is None:
        raise RealmNotFound(f"realm {name!r} does not exist: run `post-graph-rag realm create {name}` or index into it")
    if (row["migration"] or 0) < newest("realm"):
        raise MigrationNeeded(f"realm {name!r} is older than this library: run `post-graph-rag migrate`")
    if row["migration"] > newest("realm"):
        raise SchemaError(f"realm {name!r} is newer than this library: upgrade post_graph_rag here")
    return Realm.of(realm_info(row))


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
    database: Database, name: str, embedding_model: str, dimensions: int, graph: Literal["age", "none"] = "age"
) -> Realm:
    """Find the realm or create it, in one transaction; of several that try at once one creates, the others find it.

    Raises InputError for an unusable name or width, ExtensionMissing, DatabaseError without the right to create.
    """
    _check_name(name)
    vector_type(dimensions)
    async with database.transaction(CATALOG_STATEMENTS) as session:
        await session.run("lock_migrations", LOCK_TIMEOUT)
        await migrate_catalog(session)
        if await session.row("find_realm", name) is None:
            await _create(session, name, embedding_model, dimensions, graph)
    return await find_realm(database, name)


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > 200 or "\0" in name:
        raise InputError("a realm's name has 1 to 200 characters, not all blank, and no NUL")


async def migrate_catalog(session: Session) -> int:
    """Bring the catalog up to date under the caller's lock; returns how many migrations were applied."""
    if not await session.value("catalog_exists"):
        await session.script(CATALOG_STATEMENTS["create_catalog"])
    return len(await apply(session, "catalog", "catalog", _CATALOG_NAMES))


async def _create(session: Session, name: str, model: str, dimensions: int, graph: Literal["age", "none"]) -> None:
    schema = schema_name(name)
    info = RealmInfo(
        name=name,
        schema_name=schema,
        graph_name=graph_name(schema) if graph == "age" else None,
        embedding_model=model,
        dimensions=dimensions,
        generation=1,
    )
    await ensure_extensions(session, graph)
    names = realm_names(info)
    await session.script(render(sources()["create_schema"], names))
    await session.run("register_realm", name, schema, info.graph_name, model, dimensions)
    await apply(session, "realm", schema, names)
    await session.script(render(sources()["create_vector_tables"], names))
    if info.graph_name is not None:
        await create_graph(session, info.graph_name, names)


async def ensure_extensions(session: Session, graph: Literal["age", "none"]) -> None:
    """Create the extensions where the role may; else say which one is missing and who can mend it."""
    there = {row["name"] for row in await session.rows("extensions")}
    for extension in ("vector", "age") if graph == "age" else ("vector",):
        if extension not in there:
            await _create_extension(session, extension)


async def _create_extension(session: Session, extension: str) -> None:
    hint = ', or use graph="none"' if extension == "age" else ""
    try:
        async with session.connection.transaction():
            await session.connection.execute(f"CREATE EXTENSION IF NOT EXISTS {extension}")
    except asyncpg.PostgresError as error:
        raise ExtensionMissing(
            f"the database lacks the extension {extension}: install it on the server and let a superuser run "
            f"CREATE EXTENSION {extension}{hint} ({error.sqlstate})"
        ) from error


async def create_graph(session: Session, graph: str, names: Mapping[str, str]) -> None:
    """Make the Apache AGE graph with all its labels and indexes, in the caller's transaction."""
    await session.run("load_age")
    await session.run("create_graph", graph)
    await session.rows("create_labels", graph)
    await session.script(render(sources()["create_graph_indexes"], names))


async def migrate_realm(database: Database, name: str) -> int:
    """Bring one realm up to date; returns how many migrations were applied. Raises RealmNotFound."""
    async with database.transaction(CATALOG_STATEMENTS) as session:
        await session.run("lock_migrations", LOCK_TIMEOUT)
        await migrate_catalog(session)
        row = await session.row("find_realm", name)
        if row is None:
            raise RealmNotFound(f"realm {name!r} does not exist")
        info = realm_info(row)
        return len(await apply(session, "realm", info.schema_name, realm_names(info)))


async def drop_realm(database: Database, name: str) -> None:
    """Remove exactly this realm: its two schemas and its lines in the catalog. Raises RealmNotFound."""
    async with database.transaction(CATALOG_STATEMENTS) as session:
        await session.run("lock_migrations", LOCK_TIMEOUT)
        row = await session.row("find_realm", name) if await session.value("catalog_exists") else None
        if row is None:
            raise RealmNotFound(f"realm {name!r} does not exist")
        info = realm_info(row)
        if info.graph_name is not None:
            await drop_graph(session, info.graph_name)
        await session.script(render(sources()["drop_schema"], realm_names(info)))
        await session.run("forget_migrations", info.schema_name)
        await session.run("unregister_realm", name)


async def drop_graph(session: Session, graph: str) -> None:
    """Drop the graph if it is there; its schema holds nothing but the graph."""
    await session.run("load_age")
    if await session.value("graph_exists", graph):
        await session.run("drop_graph", graph)
