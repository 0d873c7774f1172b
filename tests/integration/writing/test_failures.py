"""Models that fail, talk nonsense or come too late, and a database that refuses: what is lost and what is not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from post_graph_rag.errors import DatabaseError, EmbeddingError, ExtractionError, LLMError
from post_graph_rag.models.protocols import ChatRequest, EmbeddingKind, Vectors
from post_graph_rag.records import Document
from post_graph_rag.store import write
from post_graph_rag.store.database import Session
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, plain_facts
from tests.integration.writing.support import DIMENSIONS, Place, document, faults, small_embedding

FIRST = "Acme Corp acquired Birch Labs."
SECOND = "Birch Labs hired Cora Doe."
THIRD = "Cora Doe founded Delta Inc."


class Fussy:
    """Says plain facts, but of texts that hold one of `refuses` something else, while it is set."""

    def __init__(self, *refuses: str, says: object = None) -> None:
        self.refuses = set(refuses)
        self.says = says if says is not None else LLMError("no answer")

    def __call__(self, request: ChatRequest) -> object:
        text = request.inputs["text"]
        return self.says if any(part in text for part in self.refuses) else plain_facts(text)


def fussy_chat(fussy: Callable[[ChatRequest], object]) -> ScriptedChat:
    return ScriptedChat({"extraction": fussy})  # type: ignore[dict-item]


class FussyEmbedding(ScriptedEmbedding):
    """Fails for a request that holds a text with one of `refuses` in it; each text ends with a line's end there."""

    def __init__(self, *refuses: str) -> None:
        super().__init__(DIMENSIONS)
        self.refuses = set(refuses)

    async def embed(self, texts: list[str], kind: EmbeddingKind = "passage") -> Vectors:  # type: ignore[override]
        if any(part in f"{text}\n" for text in texts for part in self.refuses):
            raise EmbeddingError("this text not")
        return await super().embed(texts, kind)


# ---------------------------------------------------------------- extraction


async def test_a_passage_whose_extraction_fails_is_published_and_counted(place: Place) -> None:
    rag = place.engine(fussy_chat(Fussy("hired")))
    report = await rag.index_document(document("a", FIRST, SECOND, THIRD))
    assert (report.status, report.passages, report.pending) == ("new", 3, 1)
    assert report.errors == ("LLMError: no answer",)
    found = await place.content()
    assert ("passage", "default", SECOND) in found["vectors"]
    assert found["pending"] == {("passage", SECOND)}
    assert (await rag.realm_stats()).pending_passages == 1


async def test_the_next_run_reads_exactly_the_pending_passage(place: Place) -> None:
    fussy = Fussy("hired")
    chat, embedding = fussy_chat(fussy), small_embedding()
    rag = place.engine(chat, embedding)
    await rag.index_document(document("a", FIRST, SECOND, THIRD))
    fussy.refuses.clear()
    chat.calls.clear()
    embedding.texts.clear()
    report = await rag.index_document(document("a", FIRST, SECOND, THIRD))
    assert (report.status, report.pending, report.model_calls) == ("completed", 0, 1)
    assert [request.inputs["text"] for request in chat.calls] == [SECOND]
    assert not {FIRST, SECOND, THIRD} & set(embedding.texts)
    assert ("birch labs", "hired", "cora doe") in await place.relations()
    assert (await place.content())["pending"] == frozenset()
    assert await faults(rag) == []


async def test_complete_pending_reads_exactly_the_pending_passage(place: Place) -> None:
    fussy = Fussy("hired")
    chat = fussy_chat(fussy)
    rag = place.engine(chat)
    await rag.index_document(document("a", FIRST, SECOND, THIRD))
    fussy.refuses.clear()
    chat.calls.clear()
    done = await rag.complete_pending()
    assert (done.passages_completed, done.passages_left, done.vectors_left, done.errors) == (1, 0, 0, ())
    assert [request.inputs["text"] for request in chat.calls] == [SECOND]
    assert ("birch labs", "hired", "cora doe") in await place.relations()
    assert await faults(rag) == []
    assert (await rag.index_document(document("a", FIRST, SECOND, THIRD))).status == "unchanged"


async def test_a_passage_that_somebody_else_completed_is_not_counted(place: Place) -> None:
    fussy = Fussy("hired")
    await place.engine(fussy_chat(fussy)).index_document(document("a", FIRST, SECOND))

    async def slowly(request: ChatRequest) -> object:
        await place.engine().complete_pending()
        return plain_facts(request.inputs["text"])

    done = await place.engine(fussy_chat(slowly)).complete_pending()
    assert (done.passages_completed, done.passages_left) == (0, 0)


async def test_what_fails_again_stays_pending_and_is_told(place: Place) -> None:
    rag = place.engine(fussy_chat(Fussy("hired")))
    await rag.index_document(document("a", FIRST, SECOND))
    before = await place.content()
    again = await rag.index_document(document("a", FIRST, SECOND))
    assert (again.status, again.pending, again.passages) == ("kept", 1, 2)
    done = await rag.complete_pending()
    assert (done.passages_completed, done.passages_left) == (0, 1)
    assert done.errors == ("LLMError: no answer",)
    assert await place.content() == before


async def test_a_new_document_without_any_extraction_is_published_and_told(place: Place) -> None:
    rag = place.engine(fussy_chat(Fussy(".")))
    with pytest.raises(ExtractionError) as raised:
        await rag.index_document(document("a", FIRST, SECOND))
    [report] = raised.value.reports
    assert (report.key, report.status, report.pending) == ("a", "new", 2)
    found = await place.content()
    assert [row[-1] for row in found["documents"]] == [(FIRST, SECOND)]
    assert {row[-1] for row in found["vectors"]} == {FIRST, SECOND}
    assert (await rag.query_data(SECOND)).passages[0].text == SECOND


async def test_a_changed_document_without_any_extraction_keeps_its_old_version(place: Place) -> None:
    fussy = Fussy("hired", "founded")
    rag = place.engine(fussy_chat(fussy))
    await rag.index_document(document("a", FIRST))
    before = await place.content()
    with pytest.raises(ExtractionError) as raised:
        await rag.index_document(document("a", SECOND, THIRD))
    [report] = raised.value.reports
    assert (report.status, report.passages, report.pending) == ("kept", 1, 2)
    assert await place.content() == before
    fussy.refuses.clear()
    assert (await rag.index_document(document("a", SECOND, THIRD))).status == "changed"
    assert await place.relations() == {("birch labs", "hired", "cora doe"), ("cora doe", "founded", "delta inc")}


async def test_a_changed_document_with_some_structure_is_exchanged(place: Place) -> None:
    rag = place.engine(fussy_chat(Fussy("hired")))
    await rag.index_document(document("a", FIRST, THIRD))
    report = await rag.index_document(document("a", FIRST, SECOND))
    assert (report.status, report.pending) == ("changed", 1)
    assert await place.relations() == {("acme corp", "acquired", "birch labs")}


async def test_a_failed_reindex_leaves_the_old_structure(place: Place) -> None:
    await place.engine().index_document(document("a", FIRST, SECOND))
    before = await place.content()
    other = ScriptedChat({"extraction": LLMError("down")}, name="other")
    with pytest.raises(ExtractionError) as raised:
        await place.engine(other).index_document(document("a", FIRST, SECOND), reindex=True)
    assert [(report.status, report.pending) for report in raised.value.reports] == [("kept", 0)]
    assert await place.content() == before


async def test_of_several_documents_one_without_extraction_raises_nothing(place: Place) -> None:
    rag = place.engine(fussy_chat(Fussy("hired")))
    reports = await rag.index_documents([document("a", FIRST), document("b", SECOND)])
    assert [(report.status, report.pending) for report in reports] == [("new", 0), ("new", 1)]


@pytest.mark.parametrize("nonsense", ["I am sorry, I cannot do that.", "", "\x00{] \ud800"])
async def test_nonsense_is_a_failure_and_is_asked_again(place: Place, nonsense: str) -> None:
    fussy = Fussy("hired", says=nonsense)
    chat = fussy_chat(fussy)
    rag = place.engine(chat)
    report = await rag.index_document(document("a", FIRST, SECOND))
    assert report.pending == 1
    assert report.errors[0].startswith("ExtractionError")
    fussy.refuses.clear()
    assert (await rag.index_document(document("a", FIRST, SECOND))).model_calls == 1
    assert (await place.content())["pending"] == frozenset()


async def test_unstorable_characters_in_a_reply_are_replaced(place: Place) -> None:
    reply = json.dumps(
        {
            "entities": [{"name": "Acme\x00 Corp", "type": "org\ud800", "description": "d\x00", "aliases": ["A\x00"]}],
            "relations": [
                {"subject": "Acme\x00 Corp", "predicate": "has\x00", "object": "B\udfff", "description": "\0"}
            ],
        }
    )
    rag = place.engine(ScriptedChat({"extraction": reply}))
    report = await rag.index_document(document("a", FIRST))
    assert (report.status, report.pending) == ("new", 0)
    assert await faults(rag) == []


async def test_unstorable_characters_in_an_error_do_no_harm(place: Place) -> None:
    rag = place.engine(fussy_chat(Fussy("hired", says=LLMError("bad \x00 \ud800 words"))))
    report = await rag.index_document(document("a", FIRST, SECOND))
    assert report.pending == 1
    assert report.errors == ("LLMError: bad \ufffd \ufffd words",)


async def test_a_failed_gleaning_pass_does_not_lose_the_first(place: Place) -> None:
    def script(request: ChatRequest) -> object:
        return LLMError("tired") if request.round else plain_facts(request.inputs["text"])

    rag = place.engine(fussy_chat(script), gleaning_passes=1)
    report = await rag.index_document(document("a", FIRST))
    assert (report.status, report.pending, report.model_calls) == ("new", 0, 2)
    assert report.errors == ("LLMError: tired",)
    assert await place.relations() == {("acme corp", "acquired", "birch labs")}


async def test_a_failed_gleaning_pass_is_made_up_for_at_a_reindex(place: Place) -> None:
    tired = True

    def script(request: ChatRequest) -> object:
        later = LLMError("tired") if tired else plain_facts(THIRD)
        return later if request.round else plain_facts(request.inputs["text"])

    rag = place.engine(fussy_chat(script), gleaning_passes=1)
    await rag.index_document(document("a", FIRST))
    again = await rag.index_document(document("a", FIRST), reindex=True)
    assert (again.model_calls, again.replayed) == (1, 1)
    tired = False
    report = await rag.index_document(document("a", FIRST), reindex=True)
    assert (report.model_calls, report.replayed) == (1, 1)
    assert await place.relations() == {("acme corp", "acquired", "birch labs"), ("cora doe", "founded", "delta inc")}
    assert await faults(rag) == []


async def test_gleaning_adds_what_the_first_pass_missed(place: Place) -> None:
    def script(request: ChatRequest) -> object:
        return plain_facts(THIRD if request.round else request.inputs["text"])

    rag = place.engine(fussy_chat(script), gleaning_passes=1)
    await rag.index_document(document("a", FIRST))
    assert await place.relations() == {("acme corp", "acquired", "birch labs"), ("cora doe", "founded", "delta inc")}


@pytest.mark.parametrize(
    ("rounds", "calls"),
    [
        ([FIRST, THIRD, SECOND, ""], 4),
        ([FIRST, THIRD, ""], 3),
        ([FIRST, FIRST], 2),
        ([FIRST, THIRD, f"{THIRD} {FIRST}"], 3),
        ([""], 1),
    ],
)
async def test_gleaning_ends_with_the_first_round_that_finds_nothing_new(
    place: Place, rounds: list[str], calls: int
) -> None:
    chat = fussy_chat(lambda request: plain_facts(rounds[request.round]))
    report = await place.engine(chat, gleaning_passes=5, graph="none").index_document(document("a", "Any text."))
    assert report.model_calls == calls
    assert [request.round for request in chat.calls_for("extraction")] == list(range(calls))


async def test_a_further_pass_over_what_is_there_asks_only_for_that_pass(place: Place) -> None:
    def script(request: ChatRequest) -> object:
        return plain_facts(THIRD if request.round else request.inputs["text"])

    await place.engine(fussy_chat(script)).index_document(document("a", FIRST))
    rag = place.engine(fussy_chat(script), gleaning_passes=1)
    report = await rag.index_document(document("a", FIRST), reindex=True)
    assert (report.model_calls, report.replayed) == (1, 1)
    assert await place.relations() == {("acme corp", "acquired", "birch labs"), ("cora doe", "founded", "delta inc")}
    assert await faults(rag) == []


async def test_another_gleaning_prompt_replaces_the_structure_at_a_reindex(place: Place) -> None:
    def script(request: ChatRequest) -> object:
        again = "OTHER" in request.messages[-1].content
        return plain_facts((SECOND if again else THIRD) if request.round else request.inputs["text"])

    await place.engine(fussy_chat(script), gleaning_passes=1).index_document(document("a", FIRST))
    prompts = {"gleaning": "OTHER $context $found $document"}
    rag = place.engine(fussy_chat(script), prompts=prompts, gleaning_passes=1)
    report = await rag.index_document(document("a", FIRST), reindex=True)
    assert (report.model_calls, report.replayed) == (1, 1)
    assert await place.relations() == {("acme corp", "acquired", "birch labs"), ("birch labs", "hired", "cora doe")}


# ---------------------------------------------------------------- embedding


async def test_without_a_vector_nothing_is_exchanged(place: Place) -> None:
    embedding = FussyEmbedding()
    chat = ScriptedChat(extract=plain_facts)
    rag = place.engine(chat, embedding)
    await rag.index_document(document("a", FIRST))
    before = await place.content()
    embedding.refuses.add("hired")
    with pytest.raises(EmbeddingError):
        await rag.index_document(document("a", SECOND))
    with pytest.raises(EmbeddingError):
        await rag.index_document(document("new", SECOND))
    assert await place.content() == before
    embedding.refuses.clear()
    assert (await rag.index_document(document("a", SECOND))).status == "changed"


async def test_a_failed_embedding_fails_its_document_and_is_reported(place: Place) -> None:
    embedding = FussyEmbedding("hired")
    rag = place.engine(None, embedding)
    await rag.index_document(document("a", FIRST))
    reports = await rag.index_documents([document("a", FIRST), document("b", SECOND)])
    assert [report.status for report in reports] == ["unchanged", "failed"]
    assert reports[1].errors == ("EmbeddingError: this text not",)


async def test_vectors_of_entities_and_relations_may_come_later(place: Place) -> None:
    embedding = FussyEmbedding("named with", "Acme Corp:", "Corp acquired Birch Labs\n")
    rag = place.engine(None, embedding)
    report = await rag.index_document(document("a", FIRST))
    assert (report.status, report.pending_vectors) == ("new", 3)
    assert report.errors == ("EmbeddingError: this text not",)
    assert {row[0] for row in (await place.content())["pending"]} == {"entity", "relation"}
    assert (await rag.realm_stats()).pending_vectors == 3
    embedding.refuses.clear()
    done = await rag.complete_pending()
    assert (done.vectors_completed, done.vectors_left) == (3, 0)
    assert (await place.content())["pending"] == frozenset()
    assert await faults(rag) == []


async def test_a_derived_text_that_is_refused_leaves_only_its_own_vector_pending(place: Place) -> None:
    embedding = FussyEmbedding("Birch Labs, named with")
    rag = place.engine(None, embedding)
    report = await rag.index_document(document("a", FIRST, THIRD))
    assert (report.status, report.pending_vectors) == ("new", 1)
    assert (await place.content())["pending"] == {("entity", "birch labs")}
    done = await rag.complete_pending()
    assert (done.vectors_completed, done.vectors_left) == (0, 1)
    assert done.errors == ("EmbeddingError: this text not",)


async def test_a_refused_passage_fails_its_document_and_not_the_others_of_its_batch(place: Place) -> None:
    rag = place.engine(None, FussyEmbedding("hired"))
    reports = await rag.index_documents([document("a", FIRST), document("b", SECOND), document("c", THIRD)])
    assert [report.status for report in reports] == ["new", "failed", "new"]


async def test_the_next_run_makes_vectors_that_are_missing(place: Place) -> None:
    embedding = FussyEmbedding("named with")
    rag = place.engine(None, embedding)
    await rag.index_document(document("a", FIRST))
    embedding.refuses.clear()
    assert (await rag.index_document(document("a", FIRST))).status == "unchanged"
    assert (await place.content())["pending"] == frozenset()
    assert await faults(rag) == []


async def test_the_next_run_makes_only_vectors_of_its_own_documents(place: Place) -> None:
    embedding = FussyEmbedding("named with", "Corp:", "Doe:", "Corp acquired Birch Labs\n", "Doe founded Delta Inc\n")
    rag = place.engine(None, embedding)
    await rag.index_documents([document("a", FIRST), document("b", THIRD)])
    embedding.refuses.clear()
    await rag.index_document(document("b", THIRD))
    assert (await place.content())["pending"] == {
        ("entity", "acme corp"),
        ("entity", "birch labs"),
        ("relation", FIRST),
    }


async def test_a_merged_entity_gets_its_vector_when_a_document_that_mentions_it_comes_again(place: Place) -> None:
    alias = document("a", "Acme Corp also known as Acme hired Cora Doe.")
    embedding = FussyEmbedding("Acme Corp: ")
    rag = place.engine(None, embedding)
    await rag.index_documents([alias, document("b", "Acme sued Birch Labs.")])
    embedding.refuses.clear()
    await rag.index_document(document("b", "Acme sued Birch Labs."))
    assert (await place.content())["pending"] == frozenset()


async def test_pending_vectors_of_a_group_are_counted_once(place: Place) -> None:
    rag = place.engine(None, FussyEmbedding("named with"))
    reports = await rag.index_documents([document("a", FIRST), document("b", THIRD)])
    stats = await rag.realm_stats()
    assert sum(report.pending_vectors for report in reports) == stats.pending_vectors > 0
    assert all(report.errors for report in reports)


VECTOR = "SELECT v.embedding::real[] FROM {r}.entity_vector_1 v JOIN {r}.entity e ON e.id = v.id WHERE e.key = $1"
PROFILE = "SELECT name, description FROM {r}.entity_profile JOIN {r}.entity e ON e.id = entity WHERE e.key = $1"


async def vector_of(place: Place, key: str) -> list[float]:
    [(vector,)] = await place.rows(VECTOR, key)
    return list(vector)


async def text_of(place: Place, key: str) -> str:
    query = (
        "SELECT p.name, p.description FROM {r}.entity_profile p JOIN {r}.entity e ON e.id = p.entity WHERE e.key = $1"
    )
    [(name, description)] = await place.rows(query, key)
    return f"{name}: {description}"


async def is_current(place: Place, key: str) -> bool:
    """Whether an entity's vector is that of its text."""
    [made] = await small_embedding().embed([await text_of(place, key)])
    return bool(np.allclose(made, await vector_of(place, key), atol=1e-3))


async def test_an_old_vector_is_not_taken_for_that_of_a_new_text(place: Place) -> None:
    embedding = FussyEmbedding()
    rag = place.engine(None, embedding)
    await rag.index_document(document("a", FIRST))
    old = await vector_of(place, "birch labs")
    embedding.refuses.add("Birch Labs: Birch")  # the description that the next document makes
    report = await rag.index_document(document("b", SECOND))
    assert report.pending_vectors > 0
    assert await vector_of(place, "birch labs") == old
    assert ("entity", "birch labs") in (await place.content())["pending"]
    embedding.refuses.clear()
    await rag.complete_pending()
    assert await is_current(place, "birch labs")


async def test_a_late_vector_of_an_old_text_does_not_settle_the_new_one(place: Place) -> None:
    gate = asyncio.Event()
    waiting = asyncio.Event()

    class Held(ScriptedEmbedding):
        async def embed(self, texts: list[str], kind: EmbeddingKind = "passage") -> Vectors:  # type: ignore[override]
            if any("named with Acme" in text for text in texts):
                waiting.set()
                await gate.wait()
            return await super().embed(texts, kind)

    slow = asyncio.create_task(place.engine(None, Held(DIMENSIONS)).index_document(document("a", FIRST)))
    await waiting.wait()
    await place.engine().index_document(document("b", SECOND))
    gate.set()
    await slow
    assert await is_current(place, "birch labs")
    assert (await place.content())["pending"] == frozenset()


@pytest.mark.parametrize(
    "made", [np.zeros((1, 7)), np.full((1, DIMENSIONS), np.nan), np.zeros((2, DIMENSIONS)), np.zeros(DIMENSIONS)]
)
async def test_vectors_that_cannot_be_used_are_refused(place: Place, made: Vectors) -> None:
    class Odd(ScriptedEmbedding):
        async def embed(self, texts: list[str], kind: EmbeddingKind = "passage") -> Vectors:  # type: ignore[override]
            return made.astype(np.float32)

    rag = place.engine(None, Odd(DIMENSIONS))
    with pytest.raises(EmbeddingError):
        await rag.index_document(document("a", FIRST))
    assert (await place.content())["documents"] == frozenset()


# ---------------------------------------------------------------- the database and the task


REFUSE = """
    CREATE OR REPLACE FUNCTION {r}.refuse() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN IF NEW.key = ''bad'' THEN RAISE EXCEPTION ''not this one''; END IF; RETURN NEW; END';
"""
REFUSE_ON = "CREATE TRIGGER refuse BEFORE INSERT ON {r}.document FOR EACH ROW EXECUTE FUNCTION {r}.refuse()"


async def test_a_document_the_database_refuses_takes_no_other_with_it(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("first", THIRD))
    await place.rows(REFUSE)
    await place.rows(REFUSE_ON)
    documents = [document("bad" if n == 5 else f"d{n}", f"{FIRST} {n}.") for n in range(12)]
    reports = await rag.index_documents(documents)
    assert [report.key for report in reports if report.status == "failed"] == ["bad"]
    assert reports[5].errors[0].startswith("DatabaseError")
    assert {row[1] for row in (await place.content())["documents"]} == {"first", *(f"d{n}" for n in range(12))} - {"d5"}
    assert await faults(rag) == []
    with pytest.raises(DatabaseError):
        await rag.index_document(documents[5])


class Unlucky:
    """Stands in for a look-up of documents, and fails in its second turn."""

    def __init__(self) -> None:
        self._really, self._turn = write.find_documents, 0

    async def __call__(self, session: Session, wanted: write.Rows) -> dict[int, Any]:
        self._turn += 1
        if self._turn == 2:
            raise DatabaseError("the connection was lost")
        return await self._really(session, wanted)


async def test_a_failing_look_up_fails_its_own_documents_alone(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    rag = place.engine(ScriptedChat(extract=plain_facts, delay=0.05))
    await rag.index_document(document("first", THIRD))
    monkeypatch.setattr("post_graph_rag.ingest.pipeline.SLICE", 2)
    monkeypatch.setattr("post_graph_rag.store.write.find_documents", Unlucky())
    reports = await rag.index_documents([document(f"d{n}", f"{FIRST} {n}.") for n in range(6)])
    assert [report.status for report in reports] == ["new", "new", "failed", "failed", "new", "new"]
    assert reports[2].errors == ("DatabaseError: the connection was lost",)
    assert {row[1] for row in (await place.content())["documents"]} == {"first", "d0", "d1", "d4", "d5"}
    assert await faults(rag) == []


@pytest.mark.parametrize("step", ["store.optimize.optimize", "ingest.complete.Completion._rows"])
async def test_what_fails_after_the_commit_leaves_the_reports(
    place: Place, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    async def lost(*_: Any, **__: Any) -> None:
        raise DatabaseError("the connection was lost")

    rag = place.engine()
    await rag.index_document(document("a", FIRST))
    monkeypatch.setattr("post_graph_rag.store.optimize.MUCH", 1)
    monkeypatch.setattr(f"post_graph_rag.{step}", lost)
    reports = await rag.index_documents([document("a", FIRST), document("b", SECOND)])
    assert [report.status for report in reports] == ["unchanged", "new"]
    assert [error[-38:] for error in reports[0].errors] == ["DatabaseError: the connection was lost"]


@pytest.mark.parametrize("steps", [1, 6, 20, 50])
async def test_a_cancelled_call_leaves_old_or_new_and_the_next_finishes(place: Place, steps: int) -> None:
    first = [document(f"d{n}", f"{FIRST} {n}.") for n in range(4)]
    second = [document(f"d{n}", f"{SECOND} {n}.", f"{THIRD} {n}.") for n in range(4)]
    chat = ScriptedChat(extract=plain_facts, delay=0.001)
    rag = place.engine(chat)
    await rag.index_documents(first)
    task = asyncio.create_task(rag.index_documents(second))
    for _ in range(steps):
        await asyncio.sleep(0.002)
    task.cancel()
    await asyncio.wait([task])
    held = {row[1]: row[-1] for row in (await place.content())["documents"]}
    for one, other in zip(first, second, strict=True):
        assert held[one.key or ""] in (one.chunks, other.chunks)
    calls = len(chat.calls)
    await rag.index_documents(second)
    # 4 for the first version, 8 for the second: what was told before the cancel is not asked again.
    assert len(chat.calls) - calls <= 8
    held = {row[1]: row[-1] for row in (await place.content())["documents"]}
    assert held == {item.key: item.chunks for item in second}
    assert (await place.content())["pending"] == frozenset()
    assert await faults(rag) == []


async def test_nothing_of_a_cancelled_call_goes_on(place: Place) -> None:
    embedding = ScriptedEmbedding(DIMENSIONS, delay=10)
    rag = place.engine(None, embedding)
    task = asyncio.create_task(rag.index_document(document("a", FIRST)))
    while not embedding.behaviour.under_way:  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    task.cancel()
    await asyncio.wait([task])
    assert embedding.behaviour.under_way == 0


async def test_a_model_is_asked_once_however_often_a_call_is_cancelled(place: Place) -> None:
    chat = ScriptedChat(extract=plain_facts)
    rag = place.engine(chat, ScriptedEmbedding(DIMENSIONS, delay=10))
    read = asyncio.Event()
    task = asyncio.create_task(
        rag.index_document(
            Document(key="a", text=FIRST), progress=lambda step: step.stage == "extracted" and read.set()
        )
    )
    await read.wait()
    task.cancel()
    await asyncio.wait([task])
    report = await place.engine(chat).index_document(Document(key="a", text=FIRST))
    assert (report.model_calls, report.replayed, len(chat.calls)) == (0, 1, 1)
