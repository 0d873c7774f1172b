"""Rights on one realm for a role that does not own it: to read, or to read and write; never to change its shape."""

from __future__ import annotations

from contextlib import suppress
from typing import Literal, get_args

from post_graph_rag.errors import InputError, RightMissing
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.identifiers import quoted_name
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.statements import render, sources

Access = Literal["read", "write"]


async def grant_realm(database: Database, realm: Realm, role: str, access: Access) -> None:
    """Let `role` read the realm, or read and write it, in one transaction; granting twice changes nothing.

    Tables that the realm's owner makes later are included. A right that was granted before is not taken back.
    Raises InputError for a role or right that does not exist, DatabaseError when this role may not grant.
    """
    quoted_name(role)
    if access not in get_args(Access):
        raise InputError(f'there is no right {access!r}: grant "read" or "write"')
    async with database.transaction(realm.statements) as session:
        if not await session.value("role_exists", role):
            raise InputError(f"the server has no role {role!r}: create it first (CREATE ROLE … LOGIN)")
        await _open_extension(session, await session.value("vectors_in") or "public", role)
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
    await _open_extension(session, "ag_catalog", role)


async def _open_extension(session: Session, schema: str, role: str) -> None:
    """Open an extension's schema to the role. Who may not grant it is refused, or merely warned and ignored."""
    if not await session.value("schema_closed_to", role, schema):
        return
    grant = render(sources()["grant_schema"], {"schema": quoted_name(schema), "role": quoted_name(role)})
    with suppress(RightMissing):
        async with session.savepoint():
            await session.script(grant)
    if await session.value("schema_closed_to", role, schema):
        raise RightMissing(f"the role cannot use schema {schema} of an extension, only a superuser can let it: {grant}")


async def grant_again(session: Session, realm: Realm) -> None:
    """Give all who were granted the realm the same right on its graph, after the graph was made anew."""
    for row in await session.rows("readers_and_writers"):
        await grant_graph(session, realm, row["role"], "write" if row["writes"] else "read")
