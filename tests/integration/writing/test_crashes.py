"""A process killed with -9 at each fail point: old or new is there, and the next run does only what is left."""

from __future__ import annotations

import asyncio
import signal
from typing import Any

import pytest

from post_graph_rag import failpoints
from post_graph_rag.models.protocols import ChatRequest
from post_graph_rag.models.replies import content_key
from post_graph_rag.records import Extraction
from post_graph_rag.testing import ScriptedChat, plain_facts
from tests.integration.writing.conftest import Workers
from tests.integration.writing.support import (
    DIMENSIONS,
    Content,
    Place,
    differences,
    document,
    facts_chat,
    faults,
    small_embedding,
)

DOCUMENTS = [
    ("a", [["Acme hired Cora Doe.", "Acme sued Delta Inc."], ["Acme hired Cora Doe.", "Acme bought Echo Ltd."]]),
    ("b", [["Delta Inc hired Eve Fox."], ["Delta Inc hired Eve Fox."]]),
    ("c", [[], ["Acme Corporation also known as Acme sold Golf Inc since 2001.", "Golf Inc hired Hal Ito."]]),
    ("d", [[], ["Golf Inc hired Hal Ito.", "Hal Ito founded Indigo Labs."]]),
]
BEFORE = [document(key, *versions[0]) for key, versions in DOCUMENTS if versions[0]]
AFTER = [document(key, *versions[1]) for key, versions in DOCUMENTS]
NEW = {line for _, (old, new) in DOCUMENTS for line in new} - {line for _, (old, _) in DOCUMENTS for line in old}

COMPLETION = ("before_completion_commit", "after_completion_commit")
LATER = (("before_extraction", 3), ("after_extraction", 2), ("reply_kept", 2), ("before_embedding", 2))
CASES = [
    *((point, 1) for point in failpoints.POINTS if point not in COMPLETION),
    ("after_embedding", 2),
    *(pytest.param(point, times, marks=pytest.mark.extended) for point, times in LATER),
]


@pytest.fixture(scope="module")
def uninterrupted(writing_dsn: str) -> Content:
    async def run() -> Content:
        place = Place(writing_dsn)
        rag = place.engine()
        await rag.index_documents(BEFORE)
        await rag.index_documents(AFTER)
        found = await place.content()
        await place.close()
        return found

    return asyncio.run(run())


def plan(place: Place, kill: tuple[str, int], **more: Any) -> dict[str, Any]:
    versions = [1] * len(DOCUMENTS)
    return {"dsn": place.dsn, "realm": place.realm, "documents": DOCUMENTS, "versions": versions, "kill": kill, **more}


async def held(place: Place) -> dict[str, tuple[str, ...]]:
    return {row[1]: row[-1] for row in (await place.content())["documents"]}


async def stored_vectors(place: Place) -> set[str]:
    """Which of the new texts have a stored vector."""
    keys = {content_key("scripted-embedding", DIMENSIONS, "passage", text): text for text in NEW}
    return {keys[bytes(key)] for (key,) in await place.rows("SELECT key FROM {r}.stored_vector") if key in keys}


@pytest.mark.parametrize(("point", "times"), CASES, ids=lambda value: str(value))
async def test_a_killed_run_leaves_old_or_new_and_the_next_does_what_is_left(
    place: Place, workers: Workers, uninterrupted: Content, point: str, times: int
) -> None:
    await place.engine().index_documents(BEFORE)
    [(told_before,)] = await place.rows("SELECT count(*) FROM {r}.reply")
    assert workers.run([plan(place, (point, times))]) == [-signal.SIGKILL]

    left = await held(place)
    for one in AFTER:
        old = next((item.chunks for item in BEFORE if item.key == one.key), None)
        assert left.get(one.key or "") in (old, one.chunks)
    [(told,)] = await place.rows("SELECT count(*) FROM {r}.reply")
    embedded = await stored_vectors(place)

    chat, embedding = facts_chat(), small_embedding()
    rag = place.engine(chat, embedding)
    await rag.index_documents(AFTER)
    assert differences(await place.content(), uninterrupted) == {}
    assert len(chat.calls) == len(NEW) - (told - told_before)
    assert not embedded & set(embedding.texts)
    assert await faults(rag) == []


def all_but_hal(request: ChatRequest) -> Extraction | str:
    """Nonsense about Hal Ito, the plain facts of everything else."""
    text = request.inputs["text"]
    return "no" if "Ito" in text else plain_facts(text)


@pytest.mark.parametrize("point", [*COMPLETION, "reply_kept"])
async def test_a_killed_completion_is_finished_by_the_next(
    place: Place, workers: Workers, uninterrupted: Content, point: str
) -> None:
    await place.engine().index_documents(BEFORE)
    await place.engine(ScriptedChat({"extraction": all_but_hal})).index_documents(AFTER)
    assert workers.run([plan(place, (point, 1), complete=True)]) == [-signal.SIGKILL]
    rag = place.engine()
    await rag.complete_pending()
    assert differences(await place.content(), uninterrupted) == {}
    assert await faults(rag) == []
