"""Replies that real models gave pass through the parser without loss."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from post_graph_rag.errors import ExtractionError
from post_graph_rag.models.parsing import parse_extraction

DATA = Path(os.environ.get("POST_GRAPH_RAG_DATA", Path(__file__).parents[3].parent / "shared" / "data"))
GPT4O = DATA / "nano_graphrag_llm_cache" / "mock_cache.json"
GPT35 = DATA / "musique" / "openie_gpt35.jsonl"
ENTITY = re.compile(r'\("entity"<\|>"([^"\n]+)"<\|>"[^"\n]*"<\|>"[^\n]*"\)')
RELATION = re.compile(r'\("relationship"<\|>"([^"\n]+)"<\|>"([^"\n]+)"<\|>"[^\n]*"<\|>\d+\)')

pytestmark = [
    pytest.mark.skipif(not GPT4O.exists(), reason="POST_GRAPH_RAG_DATA holds no nano_graphrag_llm_cache"),
    pytest.mark.skipif(not GPT35.exists(), reason="POST_GRAPH_RAG_DATA holds no musique"),
]


def gpt4o_replies() -> list[str]:
    return [reply["return"] for reply in json.loads(GPT4O.read_text()).values()]


def test_every_well_formed_tuple_of_gpt4o_is_kept() -> None:
    for reply in (reply for reply in gpt4o_replies() if "<|>" in reply):
        extraction, _ = parse_extraction(reply)
        names = {entity.name for entity in extraction.entities}
        assert {name.strip().casefold() for name in ENTITY.findall(reply)} <= {name.casefold() for name in names}
        pairs = {(r.subject.casefold(), r.object.casefold()) for r in extraction.relations}
        assert {(s.strip().casefold(), o.strip().casefold()) for s, o in RELATION.findall(reply)} <= pairs


def test_no_entity_of_gpt4o_stands_twice_under_one_key_and_type() -> None:
    for reply in (reply for reply in gpt4o_replies() if "<|>" in reply):
        keys = [(e.name.casefold(), e.type.casefold()) for e in parse_extraction(reply)[0].entities]
        assert len(keys) == len(set(keys))


def test_reports_and_answers_of_gpt4o_are_not_taken_for_extractions() -> None:
    for reply in (reply for reply in gpt4o_replies() if "<|>" not in reply):
        with pytest.raises(ExtractionError):
            parse_extraction(reply)


def test_every_well_formed_triple_of_gpt35_is_kept_and_the_rest_counted() -> None:
    for line in GPT35.read_text().splitlines():
        found = json.loads(line)
        well_formed = [t for t in found["triples"] if len(t) == 3]
        extraction, repairs = parse_extraction(json.dumps(found))
        expected = {tuple(" ".join(part.split()).casefold() for part in t) for t in well_formed}
        kept = {tuple(p.casefold() for p in (r.subject, r.predicate, r.object)) for r in extraction.relations}
        assert {t for t in expected if all(t)} <= kept
        assert repairs["triple_shape"] == len(found["triples"]) - len(well_formed)
