"""Reading what an extractor model replied, however it wrote it down."""

from __future__ import annotations

from collections import Counter

from post_graph_rag.errors import ExtractionError
from post_graph_rag.models.parsing.items import Collector
from post_graph_rag.models.parsing.json_text import json_values
from post_graph_rag.models.parsing.tidy import tidied
from post_graph_rag.models.parsing.tuples import is_tuple_reply, tuple_records
from post_graph_rag.models.thinking import strip_thinking
from post_graph_rag.records import Extraction

__all__ = ["parse_extraction"]


def parse_extraction(text: str) -> tuple[Extraction, Counter[str]]:
    """Read a reply to an extraction request, tolerantly.

    text: the model's words: JSON of the asked shape, or nearly so (fenced, in prose, broken off, other field names,
        triples as lists), or the tuple format of the GraphRAG prompts.

    Returns what it holds, each thing once and every end of a relation among the entities; and how often what was
    mended or dropped, by name. An answer that says there is nothing is an empty Extraction.

    Raises ExtractionError when nothing in it can be read as an answer: prose, a refusal, another format, no text.
    """
    repairs: Counter[str] = Counter()
    answer = strip_thinking(text)
    repairs["thinking"] += answer != text
    collector = Collector(repairs)
    _collect(answer, collector, repairs)
    if not collector.recognised:
        raise ExtractionError(_unreadable(text))
    extraction = tidied(collector.entities, collector.relations, repairs)
    return extraction, +repairs


def _collect(answer: str, collector: Collector, repairs: Counter[str]) -> None:
    if is_tuple_reply(answer):
        collector.recognised = True
        for record in tuple_records(answer, repairs):
            collector.read_tuple(record)
    else:
        for value in json_values(answer, repairs):
            collector.read(value)


def _unreadable(text: str) -> str:
    # The reply itself may quote anything; only its size goes into the message.
    return (
        f"The model's reply ({len(text)} characters) holds no entities or relations that can be read. "
        "Check that the extraction model follows instructions and that its output is not cut to nothing."
    )
