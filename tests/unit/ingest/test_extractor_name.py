"""The name of an extractor changes with whatever changes what it makes of a passage."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from post_graph_rag.ingest import extract
from post_graph_rag.ingest.extract import Extractor
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.records import ExtractionSchema, PredicateSpec
from post_graph_rag.testing import ScriptedChat

GLEANING = Prompts({"gleaning": "$context $found $document"})
TEXT = Prompts({"extraction_text": "$context $document"})


def name(prompts: Prompts | None = None, gleaning: int = 1, chat: str = "model", **more: Any) -> str:
    return Extractor(ScriptedChat(name=chat), None, prompts or Prompts(), gleaning, **more).name  # type: ignore[arg-type]


def test_it_changes_with_model_rounds_and_prompts() -> None:
    names = [name(), name(chat="other"), name(gleaning=2), name(GLEANING), name(TEXT)]
    assert len(set(names)) == len(names)


def test_it_changes_with_all_that_a_schema_says_and_with_open_gates() -> None:
    alias = ExtractionSchema(predicates={"owns": PredicateSpec(aliases=("holds",))})
    names = [
        name(),
        name(schema=ExtractionSchema(predicates={"owns": PredicateSpec()})),
        name(schema=alias),
        name(open_gates=("pronoun",)),
        name(open_gates=("pronoun", "self_loop")),
    ]
    assert len(set(names)) == len(names)


class Warm(ScriptedChat):
    """A model that is set to another temperature than requests have."""

    parameters: ClassVar[dict[str, float]] = {"temperature": 0.7}


def test_it_and_the_keys_of_replies_change_with_what_is_set_for_every_reply() -> None:
    plain, warm = (Extractor(kind(name="model"), None, Prompts(), 1) for kind in (ScriptedChat, Warm))  # type: ignore[arg-type]
    assert plain.name != warm.name
    assert not set(plain.keys(b"text", b"context")) & set(warm.keys(b"text", b"context"))


def test_it_does_not_change_with_a_prompt_that_is_not_used() -> None:
    assert name(GLEANING, gleaning=0) == name(gleaning=0)


def test_it_changes_with_how_replies_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    before = name()
    monkeypatch.setattr(extract, "READING", extract.READING + 1)
    assert name() != before


def test_a_schema_may_hold_what_utf8_cannot() -> None:
    schema = ExtractionSchema(entity_types={"a\ud800": ""}, predicates={"p\x00": PredicateSpec(description="\udfff")})
    assert name(schema=schema) != name()
