"""The shape of a schema as the server's catalogue has it, to compare two of them."""

from __future__ import annotations

import psycopg

_COLUMNS = """
SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
       pg_get_expr(d.adbin, d.adrelid)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = %s::regnamespace AND c.relkind IN ('r', 'v', 'S')
"""
_INDEXES = "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = %s"
_CONSTRAINTS = """
SELECT c.conrelid::regclass::text, c.conname, pg_get_constraintdef(c.oid) FROM pg_constraint c
WHERE c.connamespace = %s::regnamespace
"""
_ROUTINES = "SELECT proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = %s::regnamespace"


def shape(connection: psycopg.Connection, schema: str) -> set[tuple[object, ...]]:
    """Columns with types and defaults, indexes, constraints and functions, the schema's own name left out."""
    found: set[tuple[object, ...]] = set()
    for query in (_COLUMNS, _INDEXES, _CONSTRAINTS, _ROUTINES):
        for row in connection.execute(query, (schema,)):
            found.add(tuple(str(value).replace(schema, "SCHEMA") for value in row))
    return found
