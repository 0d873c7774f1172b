"""Prompts of the extraction hold no example, so that none can come back as something a passage said."""

from __future__ import annotations

import re

import pytest

from post_graph_rag.models.prompts import Prompts

NAME = re.compile(r"[a-z,(\"'] ?(\b[A-Z][a-z]+(?: [A-Z][a-z]+)*)")
LANGUAGE = {"English"}


@pytest.mark.parametrize("name", ["extraction", "extraction_text", "gleaning"])
def test_an_extraction_prompt_names_no_thing_of_any_world(name: str) -> None:
    text = Prompts()[name].text
    assert set(NAME.findall(text)) <= LANGUAGE
    assert not re.search(r"\b(1[89]|20)\d\d\b", text)


def test_a_name_inside_a_prompt_would_be_noticed() -> None:
    assert NAME.findall('Write it like this: "Ada Lovelace" worked for Acme.') == ["Ada Lovelace", "Acme"]
