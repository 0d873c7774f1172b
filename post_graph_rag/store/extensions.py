"""The extensions a realm needs: found, or created where the role may."""

from __future__ import annotations

from post_graph_rag.errors import DatabaseError, ExtensionMissing
from post_graph_rag.store.database import Session

_HOMES = {"vector": " SCHEMA public", "age": ""}


async def ensure_extensions(session: Session, age: bool) -> str:
    """Create the extensions where the role may; returns the schema that vector is in.

    Raises ExtensionMissing, which says which one is missing and who can mend it.
    """
    there = {row["name"]: row["schema"] for row in await session.rows("extensions")}
    for extension in ("vector", "age") if age else ("vector",):
        if extension not in there:
            await _create_extension(session, extension)
    return str(there.get("vector") or "public")


async def _create_extension(session: Session, extension: str) -> None:
    hint = ', or use graph="none"' if extension == "age" else ""
    try:
        async with session.savepoint():
            await session.script(f"CREATE EXTENSION IF NOT EXISTS {extension}{_HOMES[extension]}")
    except DatabaseError as error:
        raise ExtensionMissing(
            f"the database lacks the extension {extension}: install it on the server and let a superuser run "
            f"CREATE EXTENSION {extension}{hint} ({error})"
        ) from error
