"""Migrations are append-only and numbered without a gap."""

from __future__ import annotations

import re

import pytest

from post_graph_rag.errors import SchemaError
from post_graph_rag.store.migrations import Kind, Migration, migrations, missing
from tests.migration_checksums import actual, recorded


def test_no_migration_that_was_listed_has_changed_and_none_is_unlisted() -> None:
    assert actual() == recorded(), (
        "never change a listed migration; list a new one: python -m tests.migration_checksums"
    )


@pytest.mark.parametrize("kind", ["catalog", "realm"])
def test_migrations_are_numbered_from_one_without_a_gap(kind: Kind) -> None:
    assert [migration.number for migration in migrations(kind)] == list(range(1, len(migrations(kind)) + 1))


@pytest.mark.parametrize("kind", ["catalog", "realm"])
def test_migrations_name_every_schema_by_a_placeholder(kind: Kind) -> None:
    known = {"catalog", "record", "graph", "vector", "dimensions", "generation", "signs", "sign_operators"}
    known |= {"passage_vector", "entity_vector", "relation_vector"}
    for migration in migrations(kind):
        assert set(re.findall(r"\{(\w+)\}", migration.text)) <= known


ONE, TWO = Migration(1, "one", "SELECT 1"), Migration(2, "two", "SELECT 2")


def test_what_is_not_applied_is_missing() -> None:
    assert missing([ONE, TWO], [{"number": 1, "checksum": ONE.checksum}], "here") == [TWO]


def test_a_migration_from_a_newer_version_is_refused() -> None:
    with pytest.raises(SchemaError, match="newer version"):
        missing([ONE], [{"number": 2, "checksum": TWO.checksum}], "here")


def test_a_migration_that_differs_from_the_one_applied_is_refused() -> None:
    with pytest.raises(SchemaError, match="not the one this version ships"):
        missing([ONE], [{"number": 1, "checksum": TWO.checksum}], "here")
