"""Servers that will not do are told as faults, with what to do: too old, of another encoding, closed to a role."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from post_graph_rag.records import Finding
from post_graph_rag.store.checks_server import check_age, check_server, check_vector
from post_graph_rag.store.database import Database
from post_graph_rag.store.doctor import examine
from tests.servers import with_database, with_user


class Server:
    """Answers doctor's statements as a server of other versions would."""

    def __init__(self, number: int = 170_000, **extensions: str) -> None:
        self.number = number
        self.extensions = extensions

    async def row(self, name: str) -> dict[str, Any]:
        facts = {"number": self.number, "version": f"{self.number // 10_000}.0", "encoding": "UTF8", "role": "me"}
        return facts | {"base": "db", "may_create": True, "replica": False}

    async def rows(self, name: str) -> list[dict[str, Any]]:
        return [{"name": kind, "version": said, "schema": "public"} for kind, said in self.extensions.items()]

    def savepoint(self) -> Any:
        return self

    async def __aenter__(self) -> None: ...

    async def __aexit__(self, *_: object) -> None: ...

    async def run(self, name: str) -> None: ...


def faults(findings: list[Finding]) -> dict[str, str]:
    return {finding.check: finding.detail for finding in findings if not finding.ok}


@pytest.mark.parametrize(("number", "fits"), [(140_010, False), (150_000, True), (180_001, True)])
async def test_an_old_server_is_told_with_the_oldest_that_will_do(number: int, fits: bool) -> None:
    told = faults(await check_server(Server(number)))  # type: ignore[arg-type]
    assert told == ({} if fits else {"server": "PostgreSQL 14.0; 15 is the oldest that will do"})


@pytest.mark.parametrize(("version", "fits"), [("0.5.1", False), ("0.7.4", False), ("0.8.0", True), ("0.10.0", True)])
async def test_an_old_pgvector_is_told_with_the_words_that_update_it(version: str, fits: bool) -> None:
    told = faults(await check_vector(Server(vector=version)))  # type: ignore[arg-type]
    assert list(told) == ([] if fits else ["extension vector"])
    assert fits or "ALTER EXTENSION vector UPDATE" in told["extension vector"]


@pytest.mark.parametrize(("version", "fits"), [("1.4.0", False), ("1.5.0", True), ("1.8.0", True)])
async def test_an_old_age_is_told_with_the_oldest_that_will_do(version: str, fits: bool) -> None:
    told = faults(await check_age(Server(age=version)))  # type: ignore[arg-type]
    assert list(told) == ([] if fits else ["extension age"])
    assert fits or "1.5 is the oldest that will do" in told["extension age"]


async def test_an_age_that_was_never_tried_is_no_fault_but_said() -> None:
    [found, _] = await check_age(Server(age="1.9.0"))  # type: ignore[arg-type]
    assert (found.ok, found.detail) == (True, "1.9.0 (this version was never tried); 1.5 is the oldest that will do")


async def test_a_database_of_another_encoding_is_a_fault(server_dsn: str, admin: psycopg.Connection) -> None:
    name = f"pgr_{uuid.uuid4().hex[:12]}"
    admin.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'")
    theirs = Database(with_database(server_dsn, name), pool_size=1)
    try:
        assert faults(await examine(theirs))["encoding"] == "LATIN1; UTF8 is needed"
    finally:
        await theirs.close()
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


async def test_a_role_that_cannot_load_age_is_told_what_lets_it(
    database: str, admin: psycopg.Connection, make_role: Callable[[str], str]
) -> None:
    role = make_role("pgr_test_stranger")
    admin.execute(f"GRANT CREATE ON DATABASE {admin.info.dbname} TO {role}")
    admin.execute(f"ALTER ROLE {role} SET session_preload_libraries = 'plpgsql'")
    theirs = Database(with_user(database, role), pool_size=1)
    told = faults(await examine(theirs))["age loads"]
    repair = told.rpartition("its owner lets it: ")[2]
    assert repair == f"GRANT USAGE ON SCHEMA ag_catalog TO {role}"
    admin.execute(repair)
    assert "age loads" not in faults(await examine(theirs))
    await theirs.close()
