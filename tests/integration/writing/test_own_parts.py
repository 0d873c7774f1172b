"""An engine with an extractor, a chunker and a reranker of the caller's own."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest

from post_graph_rag import Document, DocumentContext, ExtractionError, GraphRAG, Models, QueryParam, Settings
from post_graph_rag.errors import ChunkingError
from tests.integration.writing.support import Place, document, facts_chat, faults, small_embedding

FACTS = ("Ada Lane wrote Birch Notes.", "Tom Reed sued Cedar Works.")


def last_word(text: str, context: DocumentContext) -> list[tuple[str, ...]]:
    """First word, "ends with", last word; fails on text that says so."""
    words = text.rstrip(".").split()
    if "fail" in words:
        raise RuntimeError("cannot read this")
    return [] if "nothing" in words else [(words[0], "ends with", words[-1])]


def engine(place: Place, models: Models | None = None, **own: Any) -> GraphRAG:
    made = GraphRAG(
        Settings(dsn=place.dsn, realm=place.realm, graph="none", gleaning_passes=0),
        models=models or Models(embedding=small_embedding()),
        **own,
    )
    place.engines.append(made)
    return made


async def test_in_place_of_a_model_none_need_be_configured(place: Place) -> None:
    rag = engine(place, extraction_fn=last_word)
    report = await rag.index_document(document("a", *FACTS))
    assert (report.relations, report.pending, report.model_calls) == (2, 0, 0)
    assert await place.relations() == {("ada", "ends_with", "notes"), ("tom", "ends_with", "works")}
    assert await faults(rag) == []


async def test_its_exception_fails_that_passage_only_and_leaves_no_placeholder(place: Place) -> None:
    rag = engine(place, extraction_fn=last_word)
    report = await rag.index_document(
        document("a", "Ada Lane met Tom.", "This will fail now.", "There is nothing here.")
    )
    assert (report.status, report.relations, report.pending) == ("new", 1, 1)
    assert sorted(report.errors) == [
        "ExtractionError: extraction_fn failed with RuntimeError: cannot read this",
        "ExtractionError: extraction_fn found nothing in the passage that can be used",
    ]
    assert await place.relations() == {("ada", "ends_with", "tom")}


async def test_where_it_finds_nothing_at_all_the_error_is_raised_and_the_passages_are_kept(place: Place) -> None:
    rag = engine(place, extraction_fn=lambda text, context: None)
    with pytest.raises(ExtractionError, match="found nothing in the passage"):
        await rag.index_document(document("a", FACTS[0]))
    assert [hit.text for hit in (await rag.query_data("Birch Notes")).passages] == [FACTS[0]]


async def test_a_passage_in_which_it_found_nothing_is_not_asked_about_again_until_it_is_read_anew(place: Place) -> None:
    asked: list[str] = []

    def nothing(text: str, context: DocumentContext) -> list[Any]:
        asked.append(text)
        return []

    rag = engine(place, extraction_fn=nothing)
    for _ in range(2):
        with suppress(ExtractionError):
            await rag.index_document(document("a", FACTS[0]))
        await rag.complete_pending()
    assert asked == [FACTS[0]]
    [passage] = (await rag.get_document("a")).passages
    assert (passage.pending, passage.failure) == (
        False,
        "ExtractionError: extraction_fn found nothing in the passage that can be used",
    )
    assert await faults(rag) == []
    with pytest.raises(ExtractionError):
        await rag.index_document(document("a", FACTS[0]), reindex=True)
    assert len(asked) == 2


async def test_a_passage_that_it_failed_on_may_turn_out_to_hold_nothing(place: Place) -> None:
    answers: list[Any] = [RuntimeError("try later"), [], [], []]

    def late(text: str, context: DocumentContext) -> Any:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    rag = engine(place, extraction_fn=late)
    for _ in range(3):
        with suppress(ExtractionError):
            await rag.index_document(document("a", FACTS[0]))
    assert len(answers) == 2


async def test_beside_a_model_both_find(place: Place) -> None:
    models = Models(facts_chat(), small_embedding())
    report = await engine(place, models, extraction_fn=last_word, extraction_mode="merge").index_document(
        document("a", FACTS[0])
    )
    assert (report.model_calls, report.relations) == (1, 2)
    assert await place.relations() == {("ada", "ends_with", "notes"), ("ada lane", "wrote", "birch notes")}


async def test_what_a_version_found_is_not_asked_for_again(place: Place) -> None:
    first = await engine(place, extraction_fn=last_word, extraction_version="1").index_document(document("a", *FACTS))
    again = await engine(place, extraction_fn=last_word, extraction_version="1").index_document(
        document("a", *FACTS), reindex=True
    )
    assert (first.replayed, again.replayed) == (0, 2)


async def test_a_chunkers_failure_is_its_documents_alone(place: Place) -> None:
    def lines(text: str) -> list[tuple[int, int]]:
        return [(0, 9_999)] if "bad" in text else [(0, text.index("\n")), (text.index("\n") + 1, len(text))]

    rag = engine(place, extraction_fn=last_word, chunker=lines)
    good, bad = await rag.index_documents(
        [Document(text="\n".join(FACTS), key="good"), Document(text="bad\ntext", key="bad")]
    )
    assert (good.passages, bad.status) == (2, "failed")
    assert bad.errors[0].startswith("ChunkingError: the chunker gave the span 0 to 9999")
    with pytest.raises(ChunkingError):
        await rag.index_text("bad\ntext", key="bad")


class Shortest:
    """The shortest passage first."""

    def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        return [-float(len(passage)) for passage in passages]


async def test_a_reranker_settles_which_passages_come_first(place: Place) -> None:
    rag = engine(place, extraction_fn=last_word, reranker=Shortest())
    await rag.index_document(
        document(
            "a", "Ada Lane wrote all of the long Birch Notes.", "Birch Notes by Tom.", "Ada Lane wrote Birch Notes."
        )
    )
    data = await rag.query_data("Who wrote Birch Notes, Ada Lane?", QueryParam(mode="naive", top_k=2))
    assert [hit.text for hit in data.passages] == ["Birch Notes by Tom.", "Ada Lane wrote Birch Notes."]
    assert data.passages[0].channels[-1].channel == "rerank"
