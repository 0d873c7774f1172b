"""Documents that are hardly texts, and what becomes of them."""

from __future__ import annotations

import asyncio
from typing import Any

import psycopg
import pytest

from post_graph_rag import ChatRequest, Document, DocumentContext, InputError, QueryParam
from post_graph_rag.errors import EmptyText, ImpossibleDate
from post_graph_rag.names import MAX_KEY, name_key
from post_graph_rag.records import Extraction, Progress
from post_graph_rag.testing import ScriptedChat
from tests.integration.hostile.conftest import OpenRag

ALL = QueryParam(mode="naive", top_k=500)


@pytest.mark.parametrize("text", ["", " ", "\n\t \r\n", "\u2003\u00a0\u2028"])
async def test_a_text_of_blanks_is_refused(open_rag: OpenRag, some_realm: str, text: str) -> None:
    with pytest.raises(EmptyText, match="nothing to index"):
        await open_rag(realm=some_realm).index_text(text)


async def test_chunks_of_blanks_are_refused(open_rag: OpenRag, some_realm: str) -> None:
    with pytest.raises(EmptyText):
        await open_rag(realm=some_realm).index_documents([Document(chunks=("", "  "))])


async def test_an_empty_text_among_others_fails_alone(open_rag: OpenRag) -> None:
    rag = open_rag()
    reports = await rag.index_documents([Document(text="Words."), Document(text=" ", key="empty")])
    assert [report.status for report in reports] == ["new", "failed"]
    assert reports[1].errors == ("EmptyText: The text of 'empty' is empty or only blanks: there is nothing to index.",)
    assert [hit.text for hit in (await rag.query_data("words", ALL)).passages] == ["Words."]


async def test_no_documents_are_no_error(open_rag: OpenRag) -> None:
    assert await open_rag().index_documents([]) == []


async def test_a_text_of_one_character_is_a_passage(open_rag: OpenRag) -> None:
    rag = open_rag()
    await rag.index_text("x")
    assert [hit.text for hit in (await rag.query_data("x", ALL)).passages] == ["x"]


WORD = "".join(f"{n:x}q" for n in range(8_000))
LINES = {
    "one word": WORD[:25_000],
    "words": " ".join(f"w{n}" for n in range(5_000))[:25_000],
    "han": "".join(chr(0x4E00 + n * 7 % 20_000) for n in range(25_000)),
}
MARKS = [".", "!", "…", "-=", "#", "*", "| ", "\n.", "a.b/c@", "?!\u201d", "e\u0301", "\u200d", "天。"]


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
async def test_a_giant_line_is_cut_into_passages_that_hold_all_of_it(open_rag: OpenRag, line: str) -> None:
    rag = open_rag(gleaning_passes=0, chunk_tokens=400)
    report = await rag.index_text(line)
    hits = (await rag.query_data("x", ALL)).passages
    spans = sorted((source.start, source.end) for hit in hits for source in hit.sources)
    assert report.passages > 5
    assert max(end - start for start, end in spans) < 2_000
    assert "".join(line[start:end] for start, end in spans).replace(" ", "") == line.replace(" ", "")


async def test_every_row_of_a_table_and_every_line_of_a_dialogue_is_kept(open_rag: OpenRag) -> None:
    table = "\n".join(f"| {row} | x{row} |" for row in range(100))
    dialogue = "\n".join(f"{'AB'[turn % 2]}: No {turn}." for turn in range(100))
    rag = open_rag(chunk_tokens=60, gleaning_passes=0)
    await rag.index_documents([Document(text=table, key="table"), Document(text=dialogue, key="dialogue")])
    found = "\n".join(hit.text for hit in (await rag.query_data("No", ALL)).passages)
    assert set(f"{table}\n{dialogue}".splitlines()) <= set(found.splitlines())


async def test_two_texts_without_a_key_do_not_replace_each_other(open_rag: OpenRag) -> None:
    rag = open_rag()
    await rag.index_documents([Document(text="First words."), Document(text="Second words.")])
    assert (await rag.realm_stats()).documents == 2


async def test_keys_longer_than_an_index_row_are_told_apart(open_rag: OpenRag) -> None:
    rag, key = open_rag(), "k" * 100_000
    await rag.index_documents([Document(text="One.", key=key + "a"), Document(text="Two.", key=key + "b")])
    assert (await rag.realm_stats()).documents == 2


async def test_huge_metadata_comes_back_whole(open_rag: OpenRag) -> None:
    rag = open_rag()
    metadata: dict[str, Any] = {f"key {n}": ["v" * 100, n, None, 1.5, {"deep": True}] for n in range(5_000)}
    await rag.index_text("Words.", metadata=metadata)
    assert (await rag.query_data("words", ALL)).passages[0].metadata == metadata


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"metadata": {"a": float("nan")}}, "NaN"),
        ({"metadata": {"a": [float("inf")]}}, "NaN or an infinity"),
        ({"metadata": {"a": 10**5_000}}, "4,000 digits"),
        ({"space": ""}, "a space's name"),
        ({"space": " "}, "a space's name"),
        ({"space": "*"}, "a space's name"),
        ({"space": "x" * 201}, "a space's name"),
    ],
)
async def test_fields_that_cannot_be_stored_are_refused(
    open_rag: OpenRag, some_realm: str, fields: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        await open_rag(realm=some_realm).index_documents([Document(text="Words.", **fields)])


@pytest.mark.parametrize("date", ["yesterday", "2020-13", "2020-02-30", "294277-01-01", "'; DROP TABLE x", ""])
async def test_a_date_that_does_not_exist_is_refused(open_rag: OpenRag, some_realm: str, date: str) -> None:
    with pytest.raises(ImpossibleDate, match="give ISO"):
        await open_rag(realm=some_realm).index_documents([Document(text="Words.", observed_at=date)])


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"metadata": {1: 2}}, "metadata"),
        ({"metadata": {"a": object()}}, "metadata"),
        ({"text": None}, "text"),
        ({"txet": "x"}, "txet is not known; there are chunks"),
        ({"chunks": "abc"}, "chunks"),
    ],
)
def test_a_document_that_cannot_be_made_says_which_field(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=f"Document cannot be made: {said}"):
        Document(**fields)


def test_metadata_nested_without_end_is_refused_in_a_short_sentence() -> None:
    nested: dict[str, Any] = {}
    inner = nested
    for _ in range(300):
        inner["a"] = inner = {}
    with pytest.raises(InputError) as refused:
        Document(text="Words.", metadata=nested)
    assert len(str(refused.value)) < 1_000


@pytest.mark.parametrize("given", ["text", ["text"], [None], [{"text": "a"}], None, 5])
async def test_what_is_no_document_is_refused(open_rag: OpenRag, some_realm: str, given: Any) -> None:
    with pytest.raises(InputError, match="Document"):
        await open_rag(realm=some_realm).index_documents(given)


async def test_long_runs_of_marks_take_no_longer_than_other_text(open_rag: OpenRag) -> None:
    texts = [f"Title\n{(mark * 100_000)[:100_000]} End" for mark in MARKS]
    async with asyncio.timeout(30):
        reports = await open_rag(graph="none", gleaning_passes=0).index_documents(
            [Document(text=text) for text in texts]
        )
    assert {report.status for report in reports} == {"new"}


@pytest.mark.parametrize("name", ["&" * 5_000, "Co " * 5_000, "Limited, " * 5_000, "J. " * 5_000, " " * 50_000 + "x"])
def test_a_long_run_of_words_is_a_name_like_others(name: str) -> None:
    assert 0 < len(name_key(name)) <= MAX_KEY


async def test_what_is_known_of_a_document_cannot_swell_the_prompt(open_rag: OpenRag) -> None:
    chat, long = ScriptedChat(), "long " * 20_000
    context = DocumentContext(
        title=long, source=long, summary=long, known_names=(long, *(f"Name {n}" for n in range(5_000)))
    )
    await open_rag(chat).index_documents([Document(text="Words.", title=long, context=context)])
    assert sum(len(message.content) for message in chat.calls[0].messages) < 10_000


async def test_the_absence_of_a_relation_is_not_stored_as_one(open_rag: OpenRag) -> None:
    predicates = ("no relationship", "none", "N/A", "is not related to", "unknown", "")
    said = [{"subject": "Acme Corp", "predicate": predicate, "object": "Birch Labs"} for predicate in predicates]
    rag = open_rag(ScriptedChat({"extraction": {"relations": said}}))
    assert (await rag.index_text("Words.")).relations == 0
    assert await rag.cypher("MATCH ()-[r:RELATES]->() RETURN r") == []


async def test_a_slow_document_holds_up_no_other(open_rag: OpenRag) -> None:
    published: list[str] = []
    release = asyncio.Event()

    async def said(request: ChatRequest) -> Extraction:
        if "Slow" in request.inputs["text"]:
            await release.wait()
        return Extraction()

    def note(step: Progress) -> None:
        if step.stage == "published":
            published.append(step.document)
            if len(published) == 20:
                release.set()

    documents = [
        Document(text="Slow words.", key="slow"),
        *(Document(text=f"Word {n}.", key=f"{n}") for n in range(20)),
    ]
    await open_rag(ScriptedChat({"extraction": said})).index_documents(documents, progress=note)
    assert published[-1] == "slow"


async def test_dropping_a_realm_leaves_tables_of_others_alone(open_rag: OpenRag, hostile_dsn: str) -> None:
    rag = open_rag()
    await rag.index_text("Words.")
    with psycopg.connect(hostile_dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE public.document AS SELECT 1 AS id")
        await rag.drop_realm()
        assert connection.execute("SELECT id FROM public.document").fetchall() == [(1,)]
        connection.execute("DROP TABLE public.document")
