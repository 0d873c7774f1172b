"""Looks at the server, the catalog and the realms, and says of each thing whether it is as it should be."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from post_graph_rag.errors import ConfigurationError, RAGError, ServerUnavailable
from post_graph_rag.records import Finding
from post_graph_rag.store.checks_realm import (
    check_derived,
    check_graph,
    check_indexes,
    check_pending,
    check_reembedding,
    check_rights,
    check_vectors,
)
from post_graph_rag.store.checks_server import (
    catalog_is_closed,
    check_age,
    check_server,
    check_vector,
    migration_finding,
)
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.realms import CATALOG_STATEMENTS, Realm, find_realm
from post_graph_rag.store.repairs import command
from post_graph_rag.store.upgrade import Upgrade, missing_migrations

RealmCheck = Callable[[Session, Realm], Awaitable[list[Finding]]]
_REALM_CHECKS: Sequence[RealmCheck] = (
    check_rights,
    check_vectors,
    check_derived,
    check_pending,
    check_reembedding,
    check_indexes,
    check_graph,
)


async def examine(database: Database, name: str | None = None, graph: Literal["age", "none"] = "age") -> list[Finding]:
    """Examine the server and one realm, or all of them; changes nothing and needs only rights to read.

    name: the realm; None examines every one.
    graph: "none" where no Apache AGE is wanted; a realm that keeps a graph needs it all the same.
    Returns what was looked at, faults among it; a fault carries the command that mends it where one of ours can.
    """
    try:
        findings = await _server(database)
        states, closed = await _migrations(database, name)
        if closed is not None:
            return [*findings, closed]
        realms = await _realms(database, states)
        findings += await _age(database, graph, realms)
    except (ServerUnavailable, ConfigurationError) as error:
        return [Finding(check="server", ok=False, detail=str(error))]
    findings += [migration_finding(state) for state in states]
    if name is not None and all(state.realm != name for state in states):
        findings.append(_unknown(name))
    for realm in realms:
        findings += await _realm(database, realm)
    return findings


async def _server(database: Database) -> list[Finding]:
    async with database.transaction(CATALOG_STATEMENTS, read_only=True) as session:
        return [*await check_server(session), *await check_vector(session)]


async def _age(database: Database, graph: Literal["age", "none"], realms: Sequence[Realm]) -> list[Finding]:
    if graph == "none" and all(realm.info.graph_name is None for realm in realms):
        return []
    async with database.transaction(CATALOG_STATEMENTS, read_only=True) as session:
        return await check_age(session)


async def _migrations(database: Database, name: str | None) -> tuple[list[Upgrade], Finding | None]:
    """The state of the catalog and of the realms asked for, or the finding that this role may not even look."""
    async with database.transaction(CATALOG_STATEMENTS, read_only=True) as session:
        if await catalog_is_closed(session):
            role = (await session.row("server_facts"))["role"]
            repair = command("realm", "grant", "--read", f"--realm={name}", "--", role) if name is not None else None
            return [], Finding(
                check="rights", ok=False, detail=f"role {role!r} may not read the catalog", repair=repair
            )
    states = await missing_migrations(database)
    return [state for state in states if state.realm is None or name in (None, state.realm)], None


async def _realms(database: Database, states: Sequence[Upgrade]) -> list[Realm]:
    """The realms that can be examined further: those that nothing is wrong with so far."""
    if not all(_sound(state) for state in states if state.realm is None):
        return []
    return [await find_realm(database, state.realm) for state in states if state.realm is not None and _sound(state)]


def _sound(state: Upgrade) -> bool:
    return not (state.problem or state.migrations)


def _unknown(name: str) -> Finding:
    return Finding(
        check=f"{name}: realm",
        ok=False,
        detail="it does not exist: create it or index into it",
        repair=command("realm", "create", realm=name),
    )


async def _realm(database: Database, realm: Realm) -> list[Finding]:
    findings: list[Finding] = []
    for check in _REALM_CHECKS:
        if check is not check_graph or realm.info.graph_name is not None:
            findings += await _attempt(database, realm, check)
    return findings


async def _attempt(database: Database, realm: Realm, check: RealmCheck) -> list[Finding]:
    """One check in a transaction of its own, so that one that cannot be made hides no other."""
    try:
        async with database.transaction(realm.statements, read_only=True) as session:
            return await check(session, realm)
    except RAGError as error:
        what = check.__name__.removeprefix("check_").replace("_", " ")
        repair = command("realm", "rebuild-graph", realm=realm.info.name) if check is check_graph else None
        return [Finding(check=f"{realm.info.name}: {what}", ok=False, detail=str(error), repair=repair)]
