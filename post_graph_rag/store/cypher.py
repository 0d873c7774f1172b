"""openCypher for the user's own eyes: on a connection of its own, with a time limit, always rolled back.

Apache AGE 1.5 lets SET and DELETE through even in a READ ONLY transaction, so the rollback is what protects the graph.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from post_graph_rag.clean import clean_json, clean_text
from post_graph_rag.errors import DatabaseError, InputError, RealmMoved, SchemaError
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.driver_errors import query_errors
from post_graph_rag.store.identifiers import quoted_name
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.rows import as_json
from post_graph_rag.store.statements import render, sources

TIME_LIMIT = 30_000
"""Milliseconds one query may take."""
_COLUMN = re.compile(r"[^\W\d]\w{0,62}\Z")
_MOST_BYTES = 63
_MISCOUNTED = "return row and column definition list do not match"
"""What Apache AGE says of a query that returns another number of items than the columns it is asked for."""
_STRING_OR_MARK = re.compile(r'"(?:[^"\\]|\\.)*"|::[a-z]+')


async def run_cypher(
    database: Database, realm: Realm, query: str, params: Mapping[str, JsonValue], columns: Sequence[str]
) -> list[dict[str, JsonValue]]:
    """Run one query: `params` are what `$name` in it means, `columns` name what it returns, in order.

    Vertices and edges come as dicts with id, label and properties. Raises InputError, SchemaError for a realm without
    a graph, DatabaseError for what Apache AGE refuses.
    """
    if realm.info.graph_name is None:
        raise SchemaError(f"realm {realm.info.name!r} was made with graph='none': there is nothing to query")
    text = _statement(realm.info.graph_name, query, columns)
    async with database.rehearsal(realm.statements) as session:
        await session.run("load_age")
        if not await session.value("cypher_limits", TIME_LIMIT, realm.info.graph_name):
            raise RealmMoved
        rows = await _fetch(session, text, as_json(clean_json(dict(params))[0]))
    return [{name: _value(row[name]) for name in columns} for row in rows]


def _statement(graph: str, query: str, columns: Sequence[str]) -> str:
    if not columns or not all(map(_is_column, columns)) or len(set(columns)) != len(columns):
        raise InputError("columns are different names of letters, digits and underscores, one for each RETURN item")
    if not isinstance(query, str) or clean_text(query)[1]:
        raise InputError("a query is text without NUL and halves of surrogate pairs")
    quoted = [quoted_name(name) for name in columns]
    tag = _tag(query)
    return render(
        sources()["cypher"],
        {
            "graph_name": graph,
            "tag": tag,
            "query": query,
            "columns": ", ".join(f"{name} ag_catalog.agtype" for name in quoted),
            "results": ", ".join(f"pg_catalog.format('%s', {name}) AS {name}" for name in quoted),
        },
    )


def _is_column(name: object) -> bool:
    return isinstance(name, str) and _COLUMN.match(name) is not None and len(name.encode()) <= _MOST_BYTES


def _tag(query: str) -> str:
    while (tag := f"$q{secrets.token_hex(8)}$") in query:
        pass
    return tag


async def _fetch(session: Session, text: str, params: str) -> list[Mapping[str, str | None]]:
    try:
        with query_errors():
            return list(await session.connection.fetch(text, params))
    except DatabaseError as error:
        if _MISCOUNTED not in str(error):
            raise
        raise DatabaseError(f"{error}: name each thing that it returns, columns=(…)") from error.__cause__


def _value(text: str | None) -> JsonValue:
    """An agtype as JSON: the marks behind vertices, edges, paths and numerics are taken off."""
    if text is None or text == "":
        return None
    plain = _STRING_OR_MARK.sub(lambda match: match[0] if match[0].startswith('"') else "", text)
    value: JsonValue = json.loads(plain)
    return value
