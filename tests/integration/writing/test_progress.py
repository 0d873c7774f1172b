"""What a caller hears while documents are indexed."""

from __future__ import annotations

from collections import Counter

import pytest

from post_graph_rag.errors import LLMError
from post_graph_rag.records import Document, Progress
from post_graph_rag.testing import ScriptedChat, plain_facts
from tests.integration.writing.support import Place, document

FIRST = "Acme Corp acquired Birch Labs."
SECOND = "Birch Labs hired Cora Doe."
THIRD = "Cora Doe founded Delta Inc."


class Heard:
    """Takes in what it is told, waiting for nothing."""

    def __init__(self) -> None:
        self.steps: list[Progress] = []

    def __call__(self, step: Progress) -> None:
        self.steps.append(step)

    async def awaited(self, step: Progress) -> None:
        self.steps.append(step)

    def stages(self, document: str) -> Counter[str]:
        return Counter(step.stage for step in self.steps if step.document == document)


@pytest.mark.parametrize("way", ["called", "awaited"])
async def test_each_step_is_told(place: Place, way: str) -> None:
    heard = Heard()
    documents = [document("a", FIRST, SECOND), document("b", SECOND, THIRD)]
    await place.engine().index_documents(documents, progress=heard if way == "called" else heard.awaited)
    for key in ("a", "b"):
        assert heard.stages(key) == {"staged": 1, "extracted": 2, "published": 1}
    assert all(step.done <= step.total for step in heard.steps)
    assert [step.done for step in heard.steps] == sorted(step.done for step in heard.steps)
    assert (heard.steps[-1].done, heard.steps[-1].total) == (4, 4)


async def test_passages_that_need_no_reading_count_as_done(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FIRST, SECOND))
    heard = Heard()
    await rag.index_documents([document("a", FIRST, THIRD), document("b", FIRST)], progress=heard)
    assert heard.stages("a") == {"staged": 1, "extracted": 1, "published": 1}
    assert (heard.steps[-1].done, heard.steps[-1].total) == (3, 3)


async def test_an_unchanged_document_is_told_once(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FIRST, SECOND))
    heard = Heard()
    await rag.index_document(document("a", FIRST, SECOND), progress=heard)
    assert [(step.stage, step.done, step.total) for step in heard.steps] == [("unchanged", 2, 2)]


async def test_what_cannot_be_published_is_told_as_failed(place: Place) -> None:
    chat = ScriptedChat(extract=plain_facts)
    rag = place.engine(chat)
    await rag.index_document(document("kept", FIRST))
    heard = Heard()
    chat._script = {"extraction": LLMError("down")}
    reports = await rag.index_documents(
        [document("kept", SECOND), Document(key="blank", text=" "), document("same", FIRST)], progress=heard
    )
    assert [report.status for report in reports] == ["kept", "failed", "new"]
    assert heard.stages("kept") == {"staged": 1, "extracted": 1, "failed": 1}
    assert heard.stages("blank") == {"failed": 1}
    assert (heard.steps[-1].done, heard.steps[-1].total) == (2, 2)


async def test_an_error_of_the_callback_is_the_callers_own(place: Place) -> None:
    def stop(step: Progress) -> None:
        raise KeyError(step.document)

    with pytest.raises(KeyError):
        await place.engine().index_document(document("a", FIRST), progress=stop)
