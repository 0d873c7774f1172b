"""Commands that doctor prints come through a shell as they were meant."""

from __future__ import annotations

import shlex

from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.store.repairs import command

NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@given(NAMES)
def test_a_shell_reads_any_realm_name_back_as_it_is(name: str) -> None:
    assert shlex.split(command("realm", "stats", realm=name)) == ["post-graph-rag", "realm", "stats", f"--realm={name}"]


def test_a_command_for_the_whole_database_names_no_realm() -> None:
    assert command("migrate", "--all") == "post-graph-rag migrate --all"
