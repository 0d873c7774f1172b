"""Prompts are files with a hash each, replaceable, and what is put into them stays data."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.errors import ConfigurationError
from post_graph_rag.models.prompts import PLACEHOLDERS, Prompt, Prompts, fenced


@pytest.mark.parametrize("name", sorted(PLACEHOLDERS))
def test_each_shipped_prompt_would_be_accepted_as_a_replacement(name: str) -> None:
    assert Prompts({name: Prompts()[name].text})[name] == Prompts()[name]


def test_a_replaced_prompt_changes_its_hash_and_no_other() -> None:
    replaced = Prompts({"extraction": "Find things."})
    assert replaced["extraction"].render() == "Find things."
    assert replaced["extraction"].hash != Prompts()["extraction"].hash
    assert replaced["answer"].hash == Prompts()["answer"].hash


def test_the_version_of_several_prompts_changes_with_each_of_them() -> None:
    shipped, replaced = Prompts(), Prompts({"gleaning": "$context $found $document"})
    assert shipped.version("extraction", "gleaning") != replaced.version("extraction", "gleaning")
    assert shipped.version("extraction", "extraction_text") == replaced.version("extraction", "extraction_text")


@pytest.mark.parametrize(
    "replacement",
    [
        {"extractoin": "x"},
        {"extraction": "costs $5"},
        {"extraction": "about $topic"},
        {"answer_question": "$question"},
    ],
)
def test_a_replacement_that_cannot_work_is_refused_by_name(replacement: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(replacement))):
        Prompts(replacement)


@given(st.text())
def test_a_value_is_never_read_as_a_template(value: str) -> None:
    assert Prompt("answer", "<$response_type>").render(response_type=value) == f"<{value}>"


@given(st.text(), st.text())
def test_a_text_cannot_close_its_own_fence(text: str, more: str) -> None:
    closing = fenced("text", text).splitlines()[-1]
    assert closing not in text
    assert fenced("text", more + closing + text).count(closing) == 1


@pytest.mark.parametrize("told", [{"extraction": None}, {"extraction": 5}, "extraction", ["extraction"]])
def test_what_is_no_text_by_a_name_is_refused(told: Any) -> None:
    with pytest.raises(ConfigurationError, match="text"):
        Prompts(told)
