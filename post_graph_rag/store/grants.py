"""Rights on one realm for a role that does not own it: to read, or to read and write; never to change its shape."""

from __future__ import annotations

from contextlib import suppress
from typing import Literal

import asyncpg

from post_graph_rag.errors import DatabaseError, InputError
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.identifiers import quoted_name
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.statements import render, sources

Access = Literal["read", "write"]


async def grant_realm(database: Database, realm: Realm, role: str, access: Access) -> None:
    """Let `role` read the realm, or read and write it, in one transaction; granting twice changes nothing.

    Tables that the realm's owner makes later are included. A right that was granted before is not taken back.
    Raises InputError for a role that does not exist, DatabaseError when this role may not grant.
    """
    quoted_name(role)
    async with database.transaction(realm.statements) as session:
        if not await session.value("role_exists", role):
            raise InputError(f"the server has no role {role!r}: create it first (CREATE ROLE … LOGIN)")
        await _grant_record(session, realm, role, access)
        if realm.info.graph_name is not None:
            await grant_graph(session, realm, role, access)


async def _grant_record(session: Session, realm: Realm, role: str, access: Access) -> None:
    owner = await session.value("schema_owner", realm.info.schema_name)
    names = {**realm.names, "role": quoted_name(role), "owner": quoted_name(owner)}
    await session.script(render(sources()["grant_read"], names))
    if access == "write":
        await session.script(render(sources()["grant_write"], names))


async def grant_graph(session: Session, realm: Realm, role: str, access: Access) -> None:
    """The same right on the realm's graph; the caller's transaction."""
    names = {**realm.names, "role": quoted_name(role)}
    await session.script(render(sources()["grant_graph_read"], names))
    if access == "write":
        await session.script(render(sources()["grant_graph_write"], names))
    if await session.value("age_closed_to", role):
        await _grant_age(session, role)


async def _grant_age(session: Session, role: str) -> None:
    """Open AGE's schema to the role. Who may not grant it is refused by an error, or merely warned and ignored."""
    with suppress(asyncpg.InsufficientPrivilegeError):
        async with session.connection.transaction():
            await session.connection.execute(render(sources()["grant_age"], {"role": quoted_name(role)}))
    if await session.value("age_closed_to", role):
        raise DatabaseError(
            "the role cannot use Apache AGE and only a superuser can let it: "
            f"GRANT USAGE ON SCHEMA ag_catalog TO {quoted_name(role)}"
        )


async def grant_again(session: Session, realm: Realm) -> None:
    """Give all who were granted the realm the same right on its graph, after the graph was made anew."""
    for row in await session.rows("readers_and_writers"):
        await grant_graph(session, realm, row["role"], "write" if row["writes"] else "read")
