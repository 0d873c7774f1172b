"""No statement of a question reads a table from end to end that grows with what is indexed."""

from __future__ import annotations

import re

import psycopg
import pytest

from post_graph_rag.store.local_settings import script
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.statements import ANYWHERE, render, sources

NAMED = [name for name in sources() if name.startswith("search_")]
SEARCHES = [*NAMED, *(f"{name}{ANYWHERE}" for name in NAMED if name.startswith("search_timed_"))]
SMALL = {"space", "clock"}
"""Tables that do not grow: a row for each space, and one."""
READ = re.compile(r"Seq Scan on (\w+)")


@pytest.fixture
def indexed(realm: Realm, admin: psycopg.Connection) -> Realm:
    """An empty realm whose vectors have their indexes: nothing is known of what it will hold."""
    for kind in ("passage_vector", "entity_vector", "relation_vector"):
        names = {**realm.names, "table": realm.names[kind], "index": f"{kind}_1_hnsw"}
        admin.execute(render(sources()["create_vector_indexes"], names))
    return realm


def read_whole(admin: psycopg.Connection, realm: Realm, name: str) -> set[str]:
    """The tables that a statement reads from end to end, planned as it is when its values are not known."""
    with admin.transaction():
        admin.execute(script(realm.statements.search_path))
        plan = admin.execute(f"EXPLAIN (GENERIC_PLAN) {realm.statements[name]}").fetchall()
    return {table for (line,) in plan for table in READ.findall(line)}


async def test_questions_read_what_grows_by_indexes(admin: psycopg.Connection, indexed: Realm) -> None:
    read = {name: read_whole(admin, indexed, name) - SMALL for name in SEARCHES}
    assert len(read) >= 8
    assert {name: tables for name, tables in read.items() if tables} == {}
