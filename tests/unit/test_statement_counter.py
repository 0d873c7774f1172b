"""The counter that other tests trust: what it takes for a statement."""

from __future__ import annotations

import pytest

from benchmarks.sqlcount import Count, kind_of, shape_of, split


def test_a_script_is_split_at_semicolons_outside_quotes_and_comments() -> None:
    script = "select ';', $a$ ; $b$ ; $a$ -- x;\n; /* ; */ select \"a;b\", $1; do $$ begin; end $$;"
    assert split(script) == [
        "select ';', $a$ ; $b$ ; $a$",
        'select "a;b", $1',
        "do $$ begin; end $$",
    ]


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "transaction"),
        ("commit", "transaction"),
        ("SELECT set_config('a.b', $1, true), set_config('c.d', '(1)', true)", "setting"),
        ("SET LOCAL statement_timeout = 0", "setting"),
        ("SELECT pg_advisory_unlock_all()", "pool_reset"),
        ("CREATE TABLE a (b int)", "ddl"),
        ("SELECT set_config('a.b', $1, true), (SELECT count(*) FROM t)", "statement"),
        ("WITH a AS (INSERT INTO t VALUES (1) RETURNING 1) SELECT * FROM a", "statement"),
        ("COPY t", "statement"),
        ("SELECT pg_advisory_xact_lock($1)", "statement"),
    ],
)
def test_a_statement_has_the_kind(statement: str, kind: str) -> None:
    assert kind_of(statement) == kind


def test_each_argument_set_of_executemany_counts() -> None:
    count = Count()
    count.add("INSERT INTO t VALUES ($1)", 3)
    assert (count.statements, count.messages) == (3, 1)


def test_a_shape_leaves_out_constants_and_schema() -> None:
    assert shape_of("""INSERT INTO  "r_a"."reply"\nVALUES ('it''s')""") == """INSERT INTO "reply" VALUES ('?')"""


def test_shapes_are_found_by_pattern() -> None:
    count = Count()
    count.add('INSERT INTO "r_a".reply VALUES ($1)', 1)
    count.add("SELECT 1", 1)
    assert count.matching(r"INSERT INTO (?:reply|ledger)\b") == 1
