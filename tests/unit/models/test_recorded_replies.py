"""Replies that real models gave pass through parser and gates without loss, and what was mended is counted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.recorded import DEFAULT_DATA
from benchmarks.replay import GPT4O, GPT35, Figures, replayed

DATA = Path(os.environ.get("POST_GRAPH_RAG_DATA", DEFAULT_DATA))

pytestmark = [
    pytest.mark.skipif(not (DATA / GPT4O).exists(), reason="POST_GRAPH_RAG_DATA holds no nano_graphrag_llm_cache"),
    pytest.mark.skipif(not (DATA / GPT35).exists(), reason="POST_GRAPH_RAG_DATA holds no musique"),
]


@pytest.fixture(scope="module")
def figures() -> Figures:
    return replayed(DATA)


@pytest.mark.parametrize("model", ["gpt4o", "gpt35"])
def test_well_formed_entities_and_triples_are_kept(figures: Figures, model: str) -> None:
    assert figures[model]["entities_share"] == 1.0
    assert figures[model]["triples_share"] >= 0.99


@pytest.mark.parametrize("model", ["gpt4o", "gpt35"])
def test_no_entity_stands_twice_under_one_key_and_type(figures: Figures, model: str) -> None:
    assert figures[model]["duplicates"] == 0


def test_reports_and_answers_are_not_taken_for_extractions(figures: Figures) -> None:
    assert (figures["gpt4o"]["replies"], figures["gpt4o"]["other_answers"]) == (187, 103)


def test_malformed_triples_are_counted_one_by_one(figures: Figures) -> None:
    assert figures["gpt35"]["malformed"] == figures["gpt35"]["repairs"]["triple_shape"] == 185


def test_triples_that_are_not_kept_were_stopped_by_a_gate_that_says_so(figures: Figures) -> None:
    gpt35 = figures["gpt35"]
    stopped = gpt35["gates"]["vague_predicate"] + gpt35["gates"]["self_loop"]
    assert gpt35["triples"] - gpt35["kept_triples"] == stopped
