"""Documents are listed in pages and shown with their passages and versions."""

from __future__ import annotations

import pytest

from post_graph_rag.errors import DocumentNotFound, InputError, SpaceNotFound
from post_graph_rag.testing import ScriptedChat, plain_facts
from tests.integration.writing.support import Place, document

FACT = "Acme Corp acquired Birch Labs."
OTHER = "Elm Works hired Dora Lind."


async def test_a_document_is_listed_with_what_is_known_of_it(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(
        document("a.md", FACT, OTHER, title="A", source="shelf", metadata={"n": [1]}, observed_at="2003-04")
    )
    [found] = (await rag.list_documents()).documents
    assert (found.key, found.space, found.title, found.source) == ("a.md", "default", "A", "shelf")
    assert (found.metadata, found.observed_at, found.passages, found.pending) == ({"n": [1]}, "2003-04", 2, 0)
    assert (found.recorded_at, found.deleted_at) == (await rag.watermark(), None)


async def test_documents_come_in_pages_those_indexed_first_in_front(place: Place) -> None:
    rag = place.engine()
    keys = ["z", "m", "a", "k", "b"]
    for key in keys:
        await rag.index_document(document(key, FACT))
    told, after, pages = [], None, 0
    while True:
        page = await rag.list_documents(limit=2, after=after)
        told += [one.key for one in page.documents]
        pages, after = pages + 1, page.after
        if after is None:
            break
    assert (told, pages) == (keys, 3)


async def test_a_last_page_that_is_full_says_that_it_is_the_last(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document(key, FACT) for key in "ab"])
    assert (await rag.list_documents(limit=2)).after is None


async def test_spaces_are_listed_apart_or_together(place: Place) -> None:
    rag = place.engine()
    for key, space in (("a", "one"), ("b", "two"), ("c", "one"), ("d", "three")):
        await rag.index_document(document(key, FACT, space=space))

    async def keys(space: str | tuple[str, ...]) -> list[str]:
        return [one.key for one in (await rag.list_documents(space)).documents]

    assert [await keys(space) for space in ("one", ("two", "one"), "*")] == [
        ["a", "c"],
        ["a", "b", "c"],
        ["a", "b", "c", "d"],
    ]


async def test_a_space_that_holds_nothing_is_refused(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    with pytest.raises(SpaceNotFound):
        await rag.list_documents("nowhere")


async def test_a_realm_without_documents_lists_none(place: Place) -> None:
    rag = place.engine(create=True)
    await rag.initialize()
    assert (await rag.list_documents()).documents == ()


async def test_deleted_documents_are_listed_when_asked_for(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document(key, FACT) for key in "ab"])
    await rag.delete_document("a")
    assert [one.key for one in (await rag.list_documents()).documents] == ["b"]
    told = {one.key: one.deleted_at for one in (await rag.list_documents(deleted=True)).documents}
    assert told == {"a": await rag.watermark(), "b": None}


async def test_a_page_behind_what_no_page_gave_is_refused(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    for after in ("", "x", "-1", "9" * 40, "1\x00", "\ud800"):
        with pytest.raises(InputError, match="after"):
            await rag.list_documents(after=after)


async def test_a_page_without_a_usable_size_is_refused(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    for limit in (0, 1_001):
        with pytest.raises(InputError, match="limit"):
            await rag.list_documents(limit=limit)


async def test_a_document_is_shown_with_its_passages_in_order(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT, OTHER, FACT))
    found = await rag.get_document("a")
    assert [(one.ordinal, one.text) for one in found.passages] == [(0, FACT), (1, OTHER), (2, FACT)]
    assert [(one.start, one.end) for one in found.passages] == [(0, 30), (31, 57), (58, 88)]
    assert found.passages[0].id == found.passages[2].id
    assert (found.document.passages, found.document.pending) == (3, 0)


async def test_a_passage_without_structure_says_why(place: Place) -> None:
    def say(request: object) -> object:
        text = request.inputs["text"]  # type: ignore[attr-defined]
        return plain_facts(text) if text == FACT else "no"

    rag = place.engine(ScriptedChat({"extraction": say}))  # type: ignore[dict-item]
    await rag.index_document(document("a", FACT, OTHER))
    found = await rag.get_document("a")
    assert [one.pending for one in found.passages] == [False, True]
    assert found.passages[0].failure is None
    assert found.passages[1].failure
    assert (found.document.pending, (await rag.list_documents()).documents[0].pending) == (1, 1)


async def test_all_versions_of_a_document_are_shown_oldest_first(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT, title="one"))
    first = await rag.watermark()
    await rag.index_document(document("a", FACT, OTHER, title="two"))
    second = await rag.watermark()
    versions = (await rag.get_document("a")).versions
    assert [(one.title, one.passages, one.recorded_from, one.recorded_to) for one in versions] == [
        ("one", 1, first, second),
        ("two", 2, second, None),
    ]


async def test_a_deleted_document_is_shown_as_it_was_last(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    await rag.index_document(document("a", OTHER))
    await rag.delete_document("a")
    found = await rag.get_document("a")
    assert [one.text for one in found.passages] == [OTHER]
    assert (found.document.deleted_at, found.versions[-1].recorded_to) == (await rag.watermark(),) * 2


async def test_an_erased_document_is_not_found(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document(key, FACT) for key in "ab"])
    await rag.erase_document("a")
    with pytest.raises(DocumentNotFound, match="'a'"):
        await rag.get_document("a")


async def test_one_key_in_two_spaces_is_two_documents(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT, space="one"))
    await rag.index_document(document("a", OTHER, space="two"))
    await rag.index_document(document("b", OTHER))
    assert (await rag.get_document("a", "two")).passages[0].text == OTHER
    with pytest.raises(DocumentNotFound, match="'default'"):
        await rag.get_document("a")


async def test_a_key_that_no_document_has_is_refused(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    for key in ("", " ", "*"):
        with pytest.raises((InputError, DocumentNotFound)):
            await rag.get_document(key)


async def test_a_key_is_found_as_it_was_cleaned_when_it_was_indexed(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document(" a\x00b\ud800 ", FACT))
    assert (await rag.get_document("a\x00b\ud800")).document.key == "a\ufffdb\ufffd"
