"""A new generation of vectors, built beside the one that answers, and put in its place by one commit."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from post_graph_rag.errors import Busy, ConfigurationError, InputError, RightMissing
from post_graph_rag.records import RealmInfo
from post_graph_rag.store import realms
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.identifiers import quoted, quoted_name
from post_graph_rag.store.realms import Realm, may_migrate, realm_names
from post_graph_rag.store.statements import Statements, render, sources
from post_graph_rag.store.write import hold_writes

Kind = Literal["passages", "entities", "relations"]
KINDS: tuple[Kind, ...] = ("passages", "entities", "relations")
_PLANNED = ("embedding_model", "dimensions", "query_prefix", "passage_prefix")


@dataclass(frozen=True, slots=True)
class Building:
    """A generation that is being built.

    realm: the realm as it will be, whose statements speak of the new tables. kept: vectors made by earlier runs.
    """

    realm: Realm
    kept: int = 0


@dataclass(frozen=True, slots=True)
class Begun:
    """A generation that is being built, or was left by a run that broke off. info: of the realm as it will be."""

    info: RealmInfo
    made: int


async def check_may_reembed(database: Database, realm: Realm) -> None:
    """Raises InputError inside a caller's transaction, RightMissing for a role that does not own the realm."""
    if database.inside_transaction:
        raise InputError("a realm cannot be embedded anew inside a transaction of yours: end it first")
    if not await may_migrate(database, realm.info.name):
        raise RightMissing(f"only the owner of realm {realm.info.name!r} and of the catalog may embed it anew")


async def begin(database: Database, realm: Realm, target: RealmInfo, *, restart: bool = False) -> Building:
    """Make the tables of the new generation, or find those of a run that broke off.

    restart: begin anew where what was begun is of another model, width or prefix.
    Raises ConfigurationError in that case without it, Busy when a lock is not had in time, RealmMoved.
    """
    async with database.transaction(realm.statements) as session:
        await session.run("lock_migrations", realms.LOCK_TIMEOUT)
        await session.run("limit_lock_wait", realms.DDL_TIMEOUT)
        await hold_writes(session)
        new = _new(realm, target, await session.value("vectors_in") or "public")
        there = Session(session.connection, new.statements)
        planned = await there.row("generation_planned") if await there.value("generation_begun") else None
        if planned is not None and _same(planned, target):
            return Building(new, planned["made"])
        if planned is not None:
            await _drop(there, planned, restart)
        await _create(there, new)
    return Building(new)


async def begun(session: Session, realm: Realm) -> Begun | None:
    """The generation beside the one that answers, if there is one."""
    target = realm.info.model_copy(update={"generation": realm.info.generation + 1})
    there = Session(session.connection, _new(realm, target, "public").statements)
    if not await there.value("generation_begun"):
        return None
    planned = await there.row("generation_planned")
    return planned and Begun(target.model_copy(update={name: planned[name] for name in _PLANNED}), planned["made"])


def _new(realm: Realm, target: RealmInfo, vectors_in: str) -> Realm:
    """The realm as it will be, with the names of what is there beside those of what is made."""
    record, number = quoted(target.schema_name), target.generation
    names = {
        **realm_names(target, vectors_in),
        "epoch": realm.names["epoch"],
        "plan": f"{record}.{quoted(f'generation_{number}')}",
    }
    for kind in ("passage", "entity", "relation"):
        names[f"old_{kind}_vector"] = realm.names[f"{kind}_vector"]
        names[f"{kind}_made"] = f"{record}.{quoted(f'{kind}_made_{number}')}"
    return Realm(target, names, Statements(names, realm.statements.search_path))


def _same(planned: Any, target: RealmInfo) -> bool:
    return all(planned[name] == getattr(target, name) for name in _PLANNED)


async def _drop(session: Session, planned: Any, restart: bool) -> None:
    if not restart:
        raise ConfigurationError(
            f"{planned['made']} vectors of {planned['embedding_model']} ({planned['dimensions']} dimensions, prefixes "
            f"{planned['query_prefix']!r} and {planned['passage_prefix']!r}) are made already by a run that broke off: "
            "go on with these, or give them up with restart=True (--restart)"
        )
    await session.run("drop_generation")


async def _create(session: Session, new: Realm) -> None:
    owner = {"owner": quoted_name(await session.value("schema_owner", new.info.schema_name))}
    for script in ("create_vector_tables", "create_generation", "own_generation"):
        await session.script(render(sources()[script], {**new.names, **owner}))
    await session.run("plan_generation", *(getattr(new.info, name) for name in _PLANNED))
    for row in await session.rows("readers_and_writers"):
        grant = sources()["grant_vectors_write" if row["writes"] else "grant_vectors_read"]
        await session.script(render(grant, {**new.names, "role": quoted_name(row["role"])}))


async def unmade(session: Session, kind: Kind, after: int, most: int) -> list[Any]:
    """What lacks its vector in the new generation: the next by id."""
    return await session.rows(f"unmade_{kind}", after, most)


async def make(session: Session, kind: Kind, rows: Sequence[Any], vectors: Sequence[str]) -> int:
    """Write the vectors of rows that `unmade` gave, as `as_vectors` writes them; returns how many were written."""
    columns = [[row["id"] for row in rows], list(vectors)]
    if kind != "passages":
        columns.append([row["digest"] for row in rows])
    written: int = await session.value(f"make_{kind}", *columns)
    return written


@asynccontextmanager
async def held(database: Database, new: Realm) -> AsyncIterator[Session]:
    """A transaction in which nobody else writes the realm, or changes its shape. Raises Busy, RealmMoved."""
    async with database.transaction(new.statements) as session:
        await session.run("lock_migrations", realms.LOCK_TIMEOUT)
        await hold_writes(session)
        yield session


async def swap(session: Session, new: Realm) -> datetime:
    """Put the new generation in the place of the old with the commit of this transaction, which `held` began.

    Whoever has the realm open notices by the epoch, and looks it up again. Returns the database's time.
    """
    await session.run("limit_lock_wait", realms.DDL_TIMEOUT)
    await session.run("follow_current")
    await session.script(render(sources()["release_generation"], new.names))
    await register(session, new.info)
    at: datetime = await session.value("database_time")
    return at


async def register(session: Session, info: RealmInfo) -> None:
    """Make the registry say this of the realm's vectors, and whoever has it open look it up again."""
    values = (info.embedding_model, info.dimensions, info.generation, info.query_prefix, info.passage_prefix)
    await session.run("register_generation", info.name, *values)
    await session.run("begin_epoch")


async def forget_stored(database: Database, realm: Realm, before: datetime) -> None:
    """Remove the vectors of passages that were kept until they were put to use, all of another model."""
    async with database.transaction(realm.statements) as session:
        await session.run("forget_stored_vectors", before)


async def drop_past(database: Database, realm: Realm) -> bool:
    """Remove vector tables of earlier generations; False when they are still being read and stay for now.

    Readers that have not noticed the swap meet a table that is not there, and look the realm up again.
    """
    try:
        async with database.transaction(realm.statements) as session:
            await session.run("limit_lock_wait", realms.DDL_TIMEOUT)
            rows = await session.rows("past_generations", realm.info.schema_name, realm.info.generation)
            if rows:
                record = quoted(realm.info.schema_name)
                await session.script("DROP TABLE " + ", ".join(f"{record}.{quoted(row['name'])}" for row in rows))
    except Busy:
        return False
    return True
