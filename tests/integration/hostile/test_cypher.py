"""Queries of the graph: whatever is asked, the answer is data or a typed error, and nothing is changed."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from post_graph_rag import DatabaseError, GraphRAG, InputError
from post_graph_rag.store import cypher
from tests.integration.hostile.conftest import OpenRag


@pytest.fixture
def rag(open_rag: OpenRag, some_realm: str) -> GraphRAG:
    return open_rag(realm=some_realm)


BROKEN = [
    "",
    "MATCH (",
    "RETURN $$x$$",
    "RETURN 1, 2",
    "RETURN 1/0",
    "RETURN {record}",
    "RETURN 1) AS (x agtype); DROP SCHEMA public CASCADE; --",
    "RETURN 1 $q",
    "'",
    "RETURN 1" + " " * 200_000 + "x y z",
]


@pytest.mark.parametrize("query", BROKEN, ids=range(len(BROKEN)))
async def test_a_query_that_the_graph_refuses_says_why(rag: GraphRAG, query: str) -> None:
    with pytest.raises(DatabaseError) as raised:
        await rag.cypher(query)
    assert "25P02" not in str(raised.value)
    assert len(str(raised.value)) < 600
    assert await rag.cypher("RETURN 1") == [{"result": 1}]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("MATCH (n) RETURN m", "m"),
        ("MATCH (n) WHERE n.name = o.name RETURN n", "o"),
        ("RETURN no_such_function(1)", "no_such_function"),
        ("RETURN no_such_schema.function(1)", "no_such_schema"),
        ("MATCH (n) RETURN n + point(1)", "point"),
    ],
)
async def test_a_query_that_names_what_is_not_there_is_refused_once(
    rag: GraphRAG, monkeypatch: pytest.MonkeyPatch, query: str, named: str
) -> None:
    tried = []
    fetch = cypher._fetch
    monkeypatch.setattr(cypher, "_fetch", lambda *given: tried.append(given) or fetch(*given))
    with pytest.raises(DatabaseError, match=rf"refused the query .*\b{named}\b"):
        await rag.cypher(query)
    assert len(tried) == 1


async def test_a_query_that_returns_more_than_its_columns_says_to_name_them(rag: GraphRAG) -> None:
    with pytest.raises(DatabaseError, match=r"name each thing that it returns, columns="):
        await rag.cypher("RETURN 1, 2")


@pytest.mark.parametrize("query", ["RETURN 'a\0'", "RETURN '\ud800'", None, 5])
async def test_a_query_that_cannot_be_sent_is_refused(rag: GraphRAG, query: Any) -> None:
    with pytest.raises(InputError, match="query"):
        await rag.cypher(query)
    assert await rag.cypher("RETURN 1") == [{"result": 1}]


@pytest.mark.parametrize("columns", [[], ["a b"], ["a", "a"], ["x" * 64], ["é" * 40], ["a;"], ['a"'], [""], [1]])
async def test_columns_that_are_no_names_are_refused(rag: GraphRAG, columns: Any) -> None:
    with pytest.raises(InputError, match="columns"):
        await rag.cypher("RETURN 1", columns=columns)


@pytest.mark.parametrize("value", [float("nan"), object(), 10**5_000, {1: 2}], ids=range(4))
async def test_parameters_that_are_no_json_are_refused(rag: GraphRAG, value: Any) -> None:
    with pytest.raises(InputError):
        await rag.cypher("RETURN $value", {"value": value})


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("RETURN '::vertex'", "::vertex"),
        ("RETURN '\\\"::edge\\\\'", '"::edge\\'),
        ("RETURN 1.5::numeric", 1.5),
        ("RETURN [1, null, {a: 'b::path'}]", [1, None, {"a": "b::path"}]),
        ("RETURN $missing", None),
        ("RETURN '$q$ $$'", "$q$ $$"),
        ("RETURN '{graph_name} %s {0}'", "{graph_name} %s {0}"),
    ],
)
async def test_values_come_as_json(rag: GraphRAG, query: str, value: Any) -> None:
    assert await rag.cypher(query) == [{"result": value}]


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) DETACH DELETE n",
        "MATCH (n) SET n.name = 'x' RETURN n",
        "CREATE (n:Entity {name: 'x'})",
        "MERGE (n:Entity {name: 'x'})",
        "CREATE (:NewLabel)",
    ],
)
async def test_nothing_is_kept_of_what_a_query_changes(rag: GraphRAG, query: str) -> None:
    before = await rag.cypher("MATCH (n) RETURN n")
    with suppress(DatabaseError):
        await rag.cypher(query)
    assert await rag.cypher("MATCH (n) RETURN n") == before
