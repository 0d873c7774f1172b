"""A function of the caller's own that finds what a passage holds: read, gated and counted as a model's reply is."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import numpy as np
import pytest

from post_graph_rag.errors import InputError
from post_graph_rag.ingest.callback import Callback
from post_graph_rag.ingest.extract import Extracted, Extractor
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatReply
from post_graph_rag.models.replies import About, Kept
from post_graph_rag.records import DocumentContext, ExtractedRelation, Extraction
from post_graph_rag.testing import ScriptedChat, plain_facts

TEXT = "Ada Lane wrote Birch Notes."
WROTE = ("Ada Lane", "wrote", "Birch Notes")
MET = ("Ada Lane", "met", "Tom Reed")


class Replies:
    """Keeps replies in memory."""

    def __init__(self) -> None:
        self.kept: dict[bytes, Kept] = {}
        self.about: list[About] = []

    async def keep(self, key: bytes, reply: ChatReply, about: About, milliseconds: int) -> None:
        self.kept[key] = Kept(reply.text, reply.model)
        self.about.append(about)


class Reading:
    """An extractor with a function of the caller's own, and what it keeps."""

    def __init__(self, function: Any, mode: Any = "replace", version: str | None = None, most: int = 8) -> None:
        self.replies = Replies()
        self.chat = None if mode == "replace" else ScriptedChat(extract=plain_facts)
        own = Callback(function, mode, version, most)
        self.extractor = Extractor(self.chat, self.replies, Prompts(), 0, own=own)  # type: ignore[arg-type]

    async def read(self, text: str = TEXT, passage: bytes = b"p") -> Extracted:
        context = DocumentContext(title="Letters")
        self.extractor.expect(passage, b"c")
        return await self.extractor.extract(text, passage, b"c", context, (), self.replies.kept)


def triples(done: Extracted) -> list[tuple[str, str, str]]:
    assert done.extraction is not None, done.failure
    return [(found.subject, found.predicate, found.object) for found in done.extraction.relations]


ANSWERS: list[Callable[[], Any]] = [
    lambda: [WROTE],
    lambda: [list(WROTE)],
    lambda: (triple for triple in [WROTE]),
    lambda: {"triples": [WROTE]},
    lambda: {"relations": [dict(zip(("subject", "predicate", "object"), WROTE, strict=True))]},
    lambda: Extraction(relations=(ExtractedRelation(subject=WROTE[0], predicate=WROTE[1], object=WROTE[2]),)),
    lambda: [ExtractedRelation(subject=WROTE[0], predicate=WROTE[1], object=WROTE[2])],
    lambda: '```json\n{"relations": [["Ada Lane", "wrote", "Birch Notes"]]}\n```',
]


@pytest.mark.parametrize("answer", ANSWERS)
async def test_it_may_give_an_extraction_a_mapping_bare_triples_or_a_text(answer: Callable[[], Any]) -> None:
    assert triples(await Reading(lambda text, context: answer()).read()) == [WROTE]


async def test_ends_that_only_triples_name_become_entities() -> None:
    done = await Reading(lambda text, context: [WROTE]).read()
    assert done.extraction is not None
    assert [entity.name for entity in done.extraction.entities] == ["Ada Lane", "Birch Notes"]


async def test_dates_and_numbers_of_other_libraries_are_read() -> None:
    found = {
        "subject": "Ada Lane",
        "predicate": "born",
        "object": 1815,
        "valid_from": date(1815, 12, 10),
        "confidence": np.float32(0.5),
    }
    done = await Reading(lambda text, context: {"relations": [found]}).read()
    assert done.extraction is not None
    [relation] = done.extraction.relations
    assert (relation.object, relation.valid_from, relation.confidence) == ("1815", "1815-12-10", 0.5)


async def test_it_is_given_the_passage_and_what_is_known_of_its_document() -> None:
    seen: list[tuple[str, str | None]] = []

    async def extract(text: str, context: DocumentContext) -> list[tuple[str, str, str]]:
        seen.append((text, context.title))
        return [WROTE]

    await Reading(extract).read()
    assert seen == [(TEXT, "Letters")]


async def test_an_async_one_runs_in_the_event_loop_and_a_sync_one_in_a_thread() -> None:
    threads: list[int] = []

    async def slow(text: str, context: DocumentContext) -> list[Any]:
        threads.append(threading.get_ident())
        return [WROTE]

    def plain(text: str, context: DocumentContext) -> list[Any]:
        threads.append(threading.get_ident())
        return [WROTE]

    await Reading(slow).read()
    await Reading(plain).read()
    assert [thread == threading.get_ident() for thread in threads] == [True, False]


async def test_an_object_with_an_async_call_is_awaited() -> None:
    class Own:
        async def __call__(self, text: str, context: DocumentContext) -> list[Any]:
            return [WROTE]

    assert triples(await Reading(Own()).read()) == [WROTE]


async def test_so_many_calls_run_at_once_as_the_role_allows() -> None:
    under_way: Counter[str] = Counter()
    most = 0

    async def extract(text: str, context: DocumentContext) -> list[Any]:
        nonlocal most
        under_way["now"] += 1
        most = max(most, under_way["now"])
        await asyncio.sleep(0.01)
        under_way["now"] -= 1
        return [WROTE]

    reading = Reading(extract, most=2)
    await asyncio.gather(*(reading.read(passage=bytes([n])) for n in range(6)))
    assert most == 2


async def test_what_it_finds_goes_through_the_gates() -> None:
    done = await Reading(
        lambda text, context: [WROTE, ("She", "met", "Tom Reed"), ("Ada Lane", "is", "Ada Lane")]
    ).read()
    assert triples(done) == [WROTE]
    assert (done.gates["pronoun"], done.gates["self_loop"]) == (2, 1)


async def test_an_exception_fails_the_passage_and_says_what_it_was() -> None:
    def extract(text: str, context: DocumentContext) -> list[Any]:
        raise KeyError("no such thing")

    done = await Reading(extract).read()
    assert (done.extraction, done.failure) == (
        None,
        "ExtractionError: extraction_fn failed with KeyError: 'no such thing'",
    )


NOTHING: list[Any] = [None, [], {}, "", Extraction(), {"entities": []}, [("it", "is", "it")], "I found nothing.", 7]


@pytest.mark.parametrize("found", NOTHING)
async def test_in_place_of_a_model_nothing_usable_is_a_failure_and_leaves_nothing(found: Any) -> None:
    done = await Reading(lambda text, context: found).read()
    assert done.extraction is None
    assert done.failure is not None
    assert done.failure.startswith("ExtractionError: ")


async def test_what_it_was_asked_and_found_nothing_in_is_read_but_what_it_failed_on_is_not() -> None:
    def fail(text: str, context: DocumentContext) -> list[Any]:
        raise KeyError("no such thing")

    assert (await Reading(lambda text, context: []).read()).extractor != ""
    assert (await Reading(fail).read()).extractor == ""


def broken_off(text: str, context: DocumentContext) -> Iterator[tuple[str, str, str]]:
    yield WROTE
    raise KeyError("no such thing")


async def test_a_generator_that_breaks_off_is_the_failure_of_that_passage_only() -> None:
    done = await Reading(broken_off).read()
    assert done.failure == "ExtractionError: extraction_fn failed with KeyError: 'no such thing'"


@pytest.mark.parametrize("found", [[object()], [("Ada Lane", "earned", 10**5000)]])
async def test_something_that_cannot_be_written_down_is_a_failure(found: Any) -> None:
    done = await Reading(lambda text, context: found).read()
    assert done.failure == (
        "ExtractionError: extraction_fn gave list that is no Extraction, mapping with entities and relations, "
        "or list of triples (subject, predicate, object)"
    )


async def test_beside_a_model_both_findings_are_joined_and_gated_as_one() -> None:
    done = await Reading(lambda text, context: [WROTE, MET, ("He", "saw", "Tom Reed")], "merge").read()
    assert triples(done) == [WROTE, MET]
    assert (done.repairs["duplicate"], done.gates["pronoun"]) == (1, 2)
    assert done.extraction is not None
    assert [(entity.name, entity.type) for entity in done.extraction.entities] == [
        ("Ada Lane", "Thing"),
        ("Birch Notes", "Thing"),
        ("Tom Reed", ""),
    ]


async def test_beside_a_model_finding_nothing_is_no_failure() -> None:
    assert triples(await Reading(lambda text, context: None, "merge").read()) == [WROTE]


async def test_beside_a_model_an_exception_fails_the_passage_and_the_models_reply_stays_kept() -> None:
    def extract(text: str, context: DocumentContext) -> list[Any]:
        raise RuntimeError("down")

    reading = Reading(extract, "merge")
    failed, again = await reading.read(), await reading.read()
    assert (failed.failure, failed.calls) == ("ExtractionError: extraction_fn failed with RuntimeError: down", 1)
    assert (again.calls, again.replayed) == (0, 1)


async def test_what_it_finds_is_not_kept_unless_it_has_a_version() -> None:
    calls: list[str] = []

    def extract(text: str, context: DocumentContext) -> list[Any]:
        calls.append(text)
        return [WROTE]

    reading = Reading(extract)
    await reading.read()
    await reading.read()
    assert (len(calls), reading.replies.kept) == (2, {})


async def test_under_its_version_what_it_found_is_kept_and_used_again() -> None:
    calls: list[str] = []

    def extract(text: str, context: DocumentContext) -> list[Any]:
        calls.append(text)
        return [WROTE]

    reading = Reading(extract, version="2")
    await reading.read()
    done = await reading.read()
    assert (len(calls), done.replayed, triples(done)) == (1, 1, [WROTE])


async def test_of_equal_passages_read_at_the_same_time_it_sees_one() -> None:
    calls: list[str] = []

    async def extract(text: str, context: DocumentContext) -> list[Any]:
        calls.append(text)
        await asyncio.sleep(0.01)
        return [WROTE]

    reading = Reading(extract)
    for _ in range(3):
        reading.extractor.expect(b"p", b"c")
    await asyncio.gather(*(reading.read() for _ in range(3)))
    assert len(calls) == 1


def find_people(text: str, context: DocumentContext) -> list[Any]:
    return []


def find_places(text: str, context: DocumentContext) -> list[Any]:
    return []


def test_the_extractors_name_says_whose_function_it_is_and_changes_with_its_version() -> None:
    chosen = [(find_people, None), (find_people, "1"), (find_people, "2"), (find_places, "1")]
    names = [Reading(function, "replace", version).extractor.name for function, version in chosen]
    names.append(Reading(find_people, "merge", "1").extractor.name)
    assert len(set(names)) == len(names)
    assert names[1].startswith("test_callback.find_people 1 ") or ".test_callback.find_people 1 " in names[1]
    assert names[-1].startswith("scripted + ")


def test_another_mode_is_refused() -> None:
    with pytest.raises(InputError, match="extraction_mode is 'beside'"):
        Callback(find_people, "beside", None, 8)  # type: ignore[arg-type]


def test_something_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(InputError, match="extraction_fn must be a function"):
        Callback("find_people", "merge", None, 8)  # type: ignore[arg-type]
