"""Names of schemas are made, names of roles are quoted; nothing else reaches SQL."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.errors import InputError
from post_graph_rag.store.identifiers import graph_name, quoted, quoted_name, schema_name


@given(st.text())
def test_a_schema_name_is_a_plain_identifier_whatever_the_realm_is_called(realm: str) -> None:
    assert re.fullmatch(r"pgr_[a-z0-9_]{1,37}", schema_name(realm))
    assert quoted(graph_name(schema_name(realm)))


@pytest.mark.parametrize(("one", "other"), [("a b", "a_b"), ("A", "a"), ("é", "è"), ("x" * 200, "x" * 199)])
def test_realms_with_equal_slugs_have_schemas_of_their_own(one: str, other: str) -> None:
    assert schema_name(one) != schema_name(other)


@pytest.mark.parametrize("name", ['a"b', "a b", "", "a;b", "A", "é", "a" * 64, "a\n"])
def test_an_identifier_that_is_not_ours_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        quoted(name)


def test_quotes_in_a_role_are_doubled() -> None:
    assert quoted_name('a"; DROP SCHEMA public; --') == '"a""; DROP SCHEMA public; --"'


@pytest.mark.parametrize("role", ["", "a\0b", "é" * 32, "\ud800"])
def test_a_role_that_the_server_cannot_have_is_refused(role: str) -> None:
    with pytest.raises(InputError, match="1 to 63 bytes"):
        quoted_name(role)
