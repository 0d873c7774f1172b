"""Whatever a user or a model writes into a text field comes out as the same text."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from post_graph_rag import Document, DocumentContext, GraphRAG, Message, QueryParam
from post_graph_rag.clean import clean_json, clean_text
from post_graph_rag.models.protocols import ChatRequest
from post_graph_rag.records import DocumentReport, QueryData
from post_graph_rag.testing import ScriptedChat
from tests.integration.hostile.conftest import OpenRag, filled_realm
from tests.integration.hostile.strings import HOSTILE, SHORT

EVERYTHING = QueryParam(top_k=100, space="*", max_total_tokens=400_000)


def stored(text: str) -> str:
    """What the server can hold of a text."""
    return clean_text(text)[0].strip()


def one_line(text: str) -> str:
    """What is kept of a name or sentence that a model wrote."""
    return " ".join(stored(text).split())


def document(text: str, number: int) -> Document:
    """A document that has `text` in each of its fields."""
    return Document(
        text=f"{number} {text}",
        key=f"{number} {text}",
        source=text,
        title=text,
        metadata={text[:1000]: [text, {text[:1000]: None}]},
        context=DocumentContext(title=text, source=text, summary=text, known_names=(text, text)),
    )


def said_of(request: ChatRequest) -> dict[str, object]:
    """What a model says that puts the passage's own text into each field it has."""
    text = request.inputs["text"]
    if request.round:
        return {"entities": [], "relations": []}
    one, other = f"A {text}", f"B {text}"
    return {
        "entities": [
            {"name": one, "type": text, "description": text, "aliases": [f"C {text}"]},
            {"name": other, "type": text, "description": text, "aliases": [text]},
        ],
        "relations": [
            {"subject": one, "predicate": f"knows {text}", "object": other, "description": f"D {text}",
             "valid_from": text, "valid_to": text, "confidence": 1, "negated": False},
        ],
    }  # fmt: skip


def hostile_chat() -> ScriptedChat:
    return ScriptedChat({"extraction": said_of})


async def index(rag: GraphRAG, texts: list[str]) -> list[DocumentReport]:
    return await rag.index_documents([document(text, number) for number, text in enumerate(texts)])


@pytest.fixture(scope="module")
def full_realm(hostile_dsn: str) -> str:
    """Name of a realm with each hostile text in each field of a document, a passage and a fact."""
    documents = [document(text, number) for number, text in enumerate(HOSTILE.values())]
    return filled_realm(hostile_dsn, documents, hostile_chat(), chunk_tokens=200_000, gleaning_passes=0)


@pytest.fixture
def full(open_rag: OpenRag, full_realm: str) -> GraphRAG:
    """An engine on that realm."""
    return open_rag(hostile_chat(), realm=full_realm, chunk_tokens=200_000, gleaning_passes=0)


async def found(rag: GraphRAG) -> QueryData:
    return await rag.query_data("everything", EVERYTHING)


async def test_every_document_is_published_with_its_structure(open_rag: OpenRag) -> None:
    reports = await index(open_rag(hostile_chat(), chunk_tokens=200_000), list(HOSTILE.values()))
    assert {report.status for report in reports} == {"new"}
    assert {(report.passages, report.pending, report.relations) for report in reports} == {(1, 0, 1)}


async def test_replaced_characters_are_counted(open_rag: OpenRag) -> None:
    [report] = await open_rag().index_documents([Document(text="a\0b\ud800", metadata={"k\0": "v"})])
    assert report.replaced_characters == 3


async def test_passages_come_back_as_they_were(full: GraphRAG) -> None:
    passages = {hit.text for hit in (await full.query_data("Wort", EVERYTHING)).passages}
    assert passages == {stored(f"{number} {text}") for number, text in enumerate(HOSTILE.values())}


async def test_titles_sources_and_metadata_come_back_as_they_were(full: GraphRAG) -> None:
    hits = {hit.text: hit for hit in (await found(full)).passages}
    for number, text in enumerate(HOSTILE.values()):
        hit, clean = hits[stored(f"{number} {text}")], clean_text(text)[0]
        assert (hit.sources[0].title, hit.sources[0].source) == (stored(text), stored(text))
        assert hit.sources[0].document == stored(f"{number} {text}")
        assert hit.metadata == {clean[:1000]: [clean, {clean[:1000]: None}]}


async def test_names_types_and_facts_come_back_as_they_were(full: GraphRAG) -> None:
    data = await found(full)
    entities, relations = {hit.name: hit for hit in data.entities}, {hit.fact: hit for hit in data.relations}
    for number, text in enumerate(HOSTILE.values()):
        words = one_line(f"{number} {text}")
        assert entities[f"A {words}"].type == words
        assert entities[f"A {words}"].description == words[:800].strip()
        assert relations[f"D {words}"].subject == f"A {words}"
        assert relations[f"D {words}"].object == f"B {words}"


async def test_the_graph_holds_the_same_texts(full: GraphRAG) -> None:
    query = "MATCH (d:Document)-[:CONTAINS]->(p:Passage)-[:MENTIONS]->(e:Entity) RETURN d.key, d.title, p.text, e.name"
    rows = await full.cypher(query, columns=["key", "title", "text", "name"])
    expected = set()
    for number, text in enumerate(HOSTILE.values()):
        words = f"{number} {text}"
        expected |= {(stored(words), stored(text), stored(words), f"{side} {one_line(words)}") for side in "AB"}
    assert {tuple(row.values()) for row in rows} == expected


async def test_the_graph_is_asked_for_hostile_names_by_parameter(full: GraphRAG) -> None:
    for number, text in enumerate(HOSTILE.values()):
        name = f"A {one_line(f'{number} {text}')}"
        rows = await full.cypher(
            "MATCH (e:Entity {name: $name})-[r:RELATES]->(o) RETURN o.name, r.fact", {"name": name}, ["o", "fact"]
        )
        assert rows == [{"o": "B" + name[1:], "fact": "D" + name[1:]}]


async def test_a_cypher_parameter_comes_back_as_it_was(full: GraphRAG) -> None:
    values = [{"key": [text, {"a": text}]} for text in HOSTILE.values()]
    assert await full.cypher("RETURN $values", {"values": values}) == [{"result": clean_json(values)[0]}]


async def test_doctor_finds_nothing_wrong_with_hostile_texts(full: GraphRAG) -> None:
    assert [finding for finding in await full.doctor() if not finding.ok] == []


async def test_a_graph_drawn_anew_holds_the_same(full: GraphRAG) -> None:
    query = "MATCH (a)-[r]->(b) RETURN a, r, b"
    before = await full.cypher(query, columns=["a", "r", "b"])
    await full.rebuild_graph()
    after = await full.cypher(query, columns=["a", "r", "b"])
    assert sorted(map(json.dumps, after)) == sorted(map(json.dumps, before))


async def test_the_same_hostile_documents_are_unchanged(full: GraphRAG) -> None:
    assert {report.status for report in await index(full, list(HOSTILE.values()))} == {"unchanged"}


async def test_a_space_may_have_any_name(open_rag: OpenRag) -> None:
    rag = open_rag()
    await rag.index_documents([Document(text="Acme Corp acquired Birch Labs.", space=text) for text in SHORT.values()])
    for text in SHORT.values():
        data = await rag.query_data("Acme", QueryParam(space=text))
        assert [hit.space for hit in data.passages] == [stored(text)]
        assert {hit.space for hit in data.entities} == {hit.space for hit in data.relations} == {stored(text)}


async def test_hostile_texts_find_their_passage(full: GraphRAG) -> None:
    for number, text in enumerate(SHORT.values()):
        data = await full.query_data(text, EVERYTHING)
        assert stored(f"{number} {text}") in {hit.text for hit in data.passages[:3]}, text


def asking(text: str) -> QueryParam:
    """A parameter object with `text` in each of its fields."""
    turns = (Message(role="user", content=text), Message(role="assistant", content=text))
    return QueryParam(
        search_query=text,
        hl_keywords=(text, text),
        ll_keywords=(text,),
        subqueries=(text,),
        response_type=text,
        conversation_history=turns,
    )


async def test_every_text_of_a_question_is_data(full: GraphRAG) -> None:
    for text in SHORT.values():
        answer = await full.query(text, asking(text))
        assert (answer.text, answer.data.question) == ("scripted answer", stored(text))


@given(text=st.text(min_size=1, max_size=80))
@hypothesis_settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_any_text_round_trips(round_trip: GraphRAG, text: str) -> None:
    report = await round_trip.index_text(f"{text}|", key=f"k{text}", title=text, metadata={text: text})
    data = await round_trip.query_data(f"{text}|", QueryParam(top_k=200, fold=None))
    hits = {hit.sources[0].document: hit for hit in data.passages if hit.sources[0].document == report.key}
    assert hits[report.key].text == clean_text(f"{text}|")[0].strip()
    assert hits[report.key].metadata == {clean_text(text)[0]: clean_text(text)[0]}
    rows = await round_trip.cypher("MATCH (d:Document {key: $key}) RETURN d.title", {"key": report.key}, ["title"])
    assert rows == [{"title": stored(text) or None}]


@pytest.fixture
async def round_trip(open_rag: OpenRag) -> GraphRAG:
    return open_rag(hostile_chat(), gleaning_passes=0)
