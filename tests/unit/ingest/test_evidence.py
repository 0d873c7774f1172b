"""What a model quotes is found in its passage, up to the end of the sentence, or counted."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.ingest.evidence import LONGEST_SPAN, located, span_of
from post_graph_rag.records import ExtractedRelation, Extraction

TEXT = "Ada left. “In May 2019\nBo led Acme, a mill.” Then 3.5 tons came: all good!\n- Cy owns Dorn\n東京は大きい。次。"


def said(quote: str, text: str = TEXT) -> str | None:
    span = span_of(quote, text)
    return None if span is None else text[slice(*span)]


@pytest.mark.parametrize(
    ("quote", "sentence"),
    [
        ("Ada left", "Ada left."),
        ("In May 2019 Bo led", "In May 2019\nBo led Acme, a mill.”"),
        ('"in may 2019 bo…"', "In May 2019\nBo led Acme, a mill.”"),
        ("Then 3.5 tons", "Then 3.5 tons came: all good!"),
        ("Cy owns", "Cy owns Dorn"),
        ("Cy owns Dorn", "Cy owns Dorn"),
        ("東京は", "東京は大きい。"),
        ("次", "次。"),
    ],
)
def test_a_quote_reaches_to_the_end_of_its_sentence(quote: str, sentence: str) -> None:
    assert said(quote) == sentence


@pytest.mark.parametrize("quote", ["", " … ", "Ada stayed", "x" * 10_000])
def test_what_does_not_stand_there_has_no_place(quote: str) -> None:
    assert said(quote) is None


def test_a_sentence_without_end_is_cut() -> None:
    assert span_of("Ada", "Ada " * 10_000) == (0, LONGEST_SPAN)


@given(st.text(max_size=60), st.data())
def test_any_piece_of_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    span = span_of(text[start : start + 10], text)
    assert span is None or 0 <= span[0] < span[1] <= len(text)


def test_evidence_that_is_not_found_is_counted_and_the_relation_kept() -> None:
    both = Extraction(
        relations=tuple(
            ExtractedRelation(subject="Ada", predicate="left", object=str(n), evidence=evidence)
            for n, evidence in enumerate(("Ada left", "Ada stayed", ""))
        )
    )
    repairs: Counter[str] = Counter()
    assert [relation.span for relation in located(both, TEXT, repairs).relations] == [(0, 9), None, None]
    assert repairs == Counter(evidence=1)


def test_a_place_is_no_part_of_what_a_model_is_taken_to_have_said() -> None:
    relation = ExtractedRelation(subject="A", predicate="p", object="B", span=(0, 1))
    assert "span" not in relation.model_dump()
