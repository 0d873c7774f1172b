"""A bulk load: in the end all is as if indexed one by one, and a kill leaves no more than vectors to be made."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Sequence

import pytest

from post_graph_rag.errors import EmbeddingError
from post_graph_rag.ingest import committer
from post_graph_rag.models.protocols import EmbeddingKind, Vectors
from post_graph_rag.records import ExtractedEntity, Extraction, QueryParam
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding
from tests.integration.writing.conftest import Workers
from tests.integration.writing.support import (
    DIMENSIONS,
    Place,
    differences,
    document,
    facts_chat,
    faults,
    small_embedding,
)

DOCUMENTS = [
    ("a", [["Acme hired Ada Lane.", "Acme sued Birch Inc since 2001."]]),
    ("b", [["Birch Inc hired Ben Moor.", "Ada Lane left Acme."]]),
    ("c", [["Acme Corporation also known as Acme hired Cora Doe.", "Cora Doe met Ben Moor."]]),
    ("d", [["Acme hired Ada Lane.", "Cedar Ltd never hired Dan Reed."]]),
]
LOAD = [document(key, *lines) for key, [lines] in DOCUMENTS]


class OnlyPassages(ScriptedEmbedding):
    """Fails when it is asked for what no passage says."""

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        if any(not text.endswith(".") for text in texts):
            raise EmbeddingError("no vectors today")
        return await super().embed(texts, kind)


@pytest.fixture
async def other_place(writing_dsn: str) -> AsyncIterator[Place]:
    """A second realm, to be compared with."""
    made = Place(writing_dsn)
    yield made
    await made.close()


async def test_a_realm_holds_the_same_after_a_bulk_load_as_after_one_document_a_call(
    place: Place, other_place: Place
) -> None:
    one_by_one, bulk = place.engine(), other_place.engine()
    for one in LOAD:
        await one_by_one.index_document(one)
    await bulk.index_documents(LOAD, bulk=True)
    assert differences(await other_place.content(), await place.content()) == {}
    assert await faults(bulk) == []


async def test_a_bulk_load_embeds_an_entity_as_it_is_in_the_end(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(committer, "GROUP_DOCUMENTS", 1)

    def described(text: str) -> Extraction:
        return Extraction(entities=(ExtractedEntity(name="Ada Lane", type="person", description=text),))

    embedding = small_embedding()
    rag = place.engine(ScriptedChat(extract=described), embedding)
    await rag.index_documents([document("x", "She swims."), document("y", "She reads.")], bulk=True)
    assert [set(text.split()) & {"swims.", "reads."} for text in embedding.texts if "Ada Lane" in text] == [
        {"swims.", "reads."}
    ]


async def test_vectors_that_a_bulk_load_cannot_make_are_counted_and_passages_are_found(place: Place) -> None:
    rag = place.engine(embedding=OnlyPassages(DIMENSIONS))
    reports = await rag.index_documents(LOAD, bulk=True)
    # Also of relations that a later commit of the same call took over, which are current no more.
    assert sum(report.pending_vectors for report in reports) >= len((await place.content())["pending"]) > 0
    assert [error for report in reports for error in report.errors] == ["EmbeddingError: no vectors today"]
    found = await rag.query_data("Cora Doe met Ben Moor.", QueryParam(mode="naive", top_k=1))
    assert [passage.text for passage in found.passages] == ["Cora Doe met Ben Moor."]


@pytest.mark.parametrize("bulk", [True, False])
async def test_the_next_run_makes_what_a_failed_bulk_load_left(place: Place, other_place: Place, bulk: bool) -> None:
    await place.engine(embedding=OnlyPassages(DIMENSIONS)).index_documents(LOAD, bulk=True)
    chat = facts_chat()
    rag = place.engine(chat)
    await rag.index_documents(LOAD, bulk=bulk)
    await other_place.engine().index_documents(LOAD)
    assert differences(await place.content(), await other_place.content()) == {}
    assert chat.calls == []


@pytest.mark.parametrize("point", ["before_commit", "after_commit", "before_vectors_commit", "after_vectors_commit"])
async def test_a_killed_bulk_load_is_finished_by_the_next_without_a_call_that_was_paid_for(
    place: Place, other_place: Place, workers: Workers, point: str
) -> None:
    plan = {"dsn": place.dsn, "realm": place.realm, "documents": DOCUMENTS, "versions": [0] * len(DOCUMENTS)}
    assert workers.run([{**plan, "kill": (point, 1), "bulk": True}]) == [-signal.SIGKILL]
    assert len((await place.content())["documents"]) in (0, len(LOAD))

    chat, embedding = facts_chat(), small_embedding()
    rag = place.engine(chat, embedding)
    await rag.index_documents(LOAD, bulk=True)
    await other_place.engine().index_documents(LOAD)
    assert differences(await place.content(), await other_place.content()) == {}
    assert chat.calls == []
    assert await faults(rag) == []


async def test_what_was_loaded_in_bulk_is_erased_without_a_trace(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(LOAD, bulk=True)
    for one in LOAD:
        await rag.erase_document(one.key or "")
    assert {name for name, rows in (await place.content()).items() if rows} == set()
    assert await faults(rag) == []


async def test_a_bulk_load_of_what_is_there_changes_only_what_changed(place: Place, other_place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(LOAD)
    chat = facts_chat()
    changed = [*LOAD[:3], document("d", "Acme hired Ada Lane.", "Cedar Ltd hired Dan Reed.")]
    reports = await place.engine(chat).index_documents(changed, bulk=True)
    assert [report.status for report in reports] == ["unchanged"] * 3 + ["changed"]
    assert len(chat.calls) == 1
    other = other_place.engine()
    await other.index_documents(LOAD)
    await other.index_documents(changed)
    assert differences(await place.content(), await other_place.content()) == {}
