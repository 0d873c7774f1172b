"""What doctor asks the server: its version, its extensions, what this role may do, the state of the migrations."""

from __future__ import annotations

import re
from typing import Any

from post_graph_rag.errors import RAGError
from post_graph_rag.records import Finding
from post_graph_rag.store.database import Session
from post_graph_rag.store.identifiers import CATALOG
from post_graph_rag.store.repairs import command
from post_graph_rag.store.upgrade import Upgrade

OLDEST_SERVER = 15  # the first with unique indexes that take nulls as equal
OLDEST_VECTOR = (0, 8)  # the first that goes on scanning an index when a filter leaves too little
KNOWN_AGE = ((1, 5), (1, 7), (1, 8))


async def check_server(session: Session) -> list[Finding]:
    """The server's version and encoding, and what this role may make."""
    facts = await session.row("server_facts")
    makes = "may create realms" if facts["may_create"] and not facts["replica"] else "may not create realms"
    return [
        Finding(
            check="server",
            ok=facts["number"] >= OLDEST_SERVER * 10_000,
            detail=f"PostgreSQL {facts['version']}; {OLDEST_SERVER} is the oldest that will do",
        ),
        Finding(check="encoding", ok=facts["encoding"] == "UTF8", detail=f"{facts['encoding']}; UTF8 is needed"),
        Finding(check="role", ok=True, detail=f"{facts['role']!r} {makes} in database {facts['base']!r}"),
    ]


async def check_vector(session: Session) -> list[Finding]:
    """pgvector: there, new enough, and where statements look for it."""
    facts = await _extension(session, "vector")
    if facts["version"] is None:
        return [_absent(facts)]
    if version_of(facts["version"]) < OLDEST_VECTOR:
        wanted = ".".join(map(str, OLDEST_VECTOR))
        detail = f"{facts['version']} is too old, {wanted} is needed: a superuser runs ALTER EXTENSION vector UPDATE"
        return [Finding(check="extension vector", ok=False, detail=detail)]
    return [Finding(check="extension vector", ok=True, detail=f"{facts['version']} in schema {facts['schema']}")]


async def check_age(session: Session) -> list[Finding]:
    """Apache AGE: there, of a version that was tried, and loadable by this role."""
    facts = await _extension(session, "age")
    if facts["version"] is None:
        return [_absent(facts)]
    tried = "" if version_of(facts["version"]) in KNOWN_AGE else " (this version was never tried)"
    found = Finding(
        check="extension age",
        ok=version_of(facts["version"]) >= KNOWN_AGE[0],
        detail=f"{facts['version']}{tried}; 1.5 is the oldest that will do",
    )
    return [found, await _loads(session)]


async def _extension(session: Session, name: str) -> Any:
    return next(row for row in await session.rows("extension_facts") if row["name"] == name)


def _absent(facts: Any) -> Finding:
    name = facts["name"]
    there = f"a superuser runs CREATE EXTENSION {name}" if facts["available"] else "install it on the server first"
    without = ', or use graph="none"' if name == "age" else ""
    return Finding(check=f"extension {name}", ok=False, detail=f"not in this database: {there}{without}")


async def _loads(session: Session) -> Finding:
    try:
        async with session.savepoint():
            await session.run("load_age")
    except RAGError as error:
        role = (await session.row("server_facts"))["role"]
        detail = f"this role cannot load it: {error}; its owner lets it: GRANT USAGE ON SCHEMA ag_catalog TO {role}"
        return Finding(check="age loads", ok=False, detail=detail)
    return Finding(check="age loads", ok=True, detail="this role can use it")


async def catalog_is_closed(session: Session) -> bool:
    """Whether the catalog is there but not for this role."""
    return bool(await session.value("catalog_closed", CATALOG))


def migration_finding(state: Upgrade) -> Finding:
    """What one scope lacks, and the command that brings it up to date."""
    check = "migrations" if state.realm is None else f"{state.realm}: migrations"
    if state.problem:
        return Finding(check=check, ok=False, detail=state.problem)
    if state.migrations:
        names = ", ".join(f"{migration.number:04} {migration.name}" for migration in state.migrations)
        return Finding(check=check, ok=False, detail=f"missing: {names}", repair=command("migrate", realm=state.realm))
    return Finding(check=check, ok=True, detail="up to date")


def version_of(text: str) -> tuple[int, int]:
    """Major and minor of an extension's version."""
    numbers = [int(part) for part in re.findall(r"\d+", text)[:2]]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (numbers[0] if numbers else 0, 0)
