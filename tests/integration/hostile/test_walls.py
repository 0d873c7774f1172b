"""Realms never meet, whatever they are called; spaces do not leak into questions that do not name them."""

from __future__ import annotations

import unicodedata
from typing import Any

import psycopg
import pytest

from post_graph_rag import Document, GraphRAG, InputError, QueryData, QueryParam
from post_graph_rag.errors import RealmNotFound
from post_graph_rag.records import Mode
from tests.integration.hostile.conftest import OpenRag, filled_realm
from tests.integration.hostile.strings import SHORT

MODES: tuple[Mode, ...] = ("mix", "local", "naive")
FAR: dict[str, Any] = {"top_k": 100, "max_hops": 5, "max_total_tokens": 50_000}

ONE = ["Acme Corp acquired Birch Labs.", "Birch Labs employs Carol Onesided.", "Dana Oneway likes Acme Corp."]
OTHER = [
    "Acme Corp never acquired Birch Labs.",
    "Birch Labs employs Carol Othersided.",
    "Dana Otherway likes Acme Corp.",
]


def documents(texts: list[str], space: str | None = None) -> list[Document]:
    return [Document(text=text, key=f"{n}.md", title="Same title", space=space) for n, text in enumerate(texts)]


def everything_said(data: QueryData) -> str:
    return data.model_dump_json()


# ---------------------------------------------------------------- realms


@pytest.fixture
async def neighbours(open_rag: OpenRag) -> tuple[GraphRAG, GraphRAG]:
    """Two realms with the same keys, titles and names, and opposite facts."""
    one, other = open_rag(), open_rag()
    await one.index_documents(documents(ONE))
    await other.index_documents(documents(OTHER))
    return one, other


@pytest.mark.parametrize("mode", MODES)
async def test_a_realm_answers_with_its_own_facts_only(neighbours: tuple[GraphRAG, GraphRAG], mode: Mode) -> None:
    one, other = neighbours
    for question in ("Did Acme Corp acquire Birch Labs?", "Who is Carol Othersided?", "Dana Oneway"):
        param = QueryParam(mode=mode, space="*", **FAR)
        assert "Other" not in everything_said(await one.query_data(question, param)).replace("Othersided?", "")
        assert "One" not in everything_said(await other.query_data(question, param)).replace('"Dana Oneway"', "")


async def test_opposite_facts_stay_opposite(neighbours: tuple[GraphRAG, GraphRAG]) -> None:
    asked = [(await rag.query_data("Did Acme Corp acquire Birch Labs?")).relations for rag in neighbours]
    assert [{hit.negated for hit in hits if hit.predicate == "acquired"} for hits in asked] == [{False}, {True}]


async def test_the_graph_shows_one_realm_only(neighbours: tuple[GraphRAG, GraphRAG]) -> None:
    rows = [await rag.cypher("MATCH (e:Entity) RETURN e.name", columns=["name"]) for rag in neighbours]
    one, other = ({row["name"] for row in found} for found in rows)
    assert one ^ other == {"Carol Onesided", "Carol Othersided", "Dana Oneway", "Dana Otherway"}


async def test_dropping_a_realm_leaves_the_other_whole(neighbours: tuple[GraphRAG, GraphRAG]) -> None:
    one, other = neighbours
    before = await other.query_data("Who is Carol Othersided?")
    await one.drop_realm()
    assert await other.query_data("Who is Carol Othersided?") == before
    assert [finding for finding in await other.doctor() if not finding.ok] == []
    for call in (one.query("Who?"), one.realm_stats(), one.drop_realm()):
        with pytest.raises(RealmNotFound):
            await call


COMPOSED = unicodedata.normalize("NFC", "Café")
COLLIDING = [
    *("a b", "a_b", "A B", "a b ", "ａ ｂ", "a-b"),
    *(COMPOSED, unicodedata.normalize("NFD", COMPOSED), "x" * 200, "x" * 199 + "y"),
    *("pg_catalog", "post_graph_rag"),
]


async def test_realms_whose_names_look_alike_are_different_realms(open_rag: OpenRag, hostile_dsn: str) -> None:
    rags = {name: open_rag(realm=name, gleaning_passes=0, pool_size=1) for name in COLLIDING}
    for number, rag in enumerate(rags.values()):
        await rag.index_text(f"Number{number} Realm is Alone Here.", key="same")
    for name in COLLIDING[::2]:
        await rags[name].drop_realm()
    left = COLLIDING[1::2]
    found = {name: (await rags[name].query_data("Realm Alone Here")).passages for name in left}
    assert {name: [hit.text for hit in hits] for name, hits in found.items()} == {
        name: [f"Number{COLLIDING.index(name)} Realm is Alone Here."] for name in left
    }
    for name in left:
        await rags[name].drop_realm()


async def test_hostile_realm_names_run_no_sql(open_rag: OpenRag, hostile_dsn: str, some_realm: str) -> None:
    storable = [text for text in SHORT.values() if "\0" not in text and "\ud83d" not in text]
    for name in storable:
        rag = open_rag(realm=name, graph="none", create=True, pool_size=1)
        await rag.initialize()
        assert (await rag.realm_stats()).realm.name == name
        await rag.drop_realm()
    with psycopg.connect(hostile_dsn) as connection:
        rows = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|pgr_)'").fetchall()
    assert {name for (name,) in rows} == {"public", "information_schema", "ag_catalog", "post_graph_rag"}
    assert (await open_rag(realm=some_realm).realm_stats()).documents == 1


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "x" * 100_000, "a\0b", "a\ud800"])
async def test_a_name_that_no_realm_can_have_is_refused(open_rag: OpenRag, name: str) -> None:
    rag = open_rag(realm=name)
    with pytest.raises(InputError, match="a realm's name has 1 to 200 characters"):
        await rag.index_text("Words.")
    with pytest.raises(RealmNotFound):
        await rag.query("Who?")


# ---------------------------------------------------------------- spaces


@pytest.fixture(scope="module")
def spaced_realm(hostile_dsn: str) -> str:
    """One chain of facts that runs through three spaces, with equal texts and names in all of them."""
    chain = [
        ("red", "Acme Corp acquired Birch Labs. Redonly Person likes Acme Corp."),
        ("blue", "Birch Labs employs Carol Jones. Blueonly Person likes Birch Labs."),
        ("green", "Carol Jones founded Delta Works. Greenonly Person likes Carol Jones."),
    ]
    made = [Document(text=text, key="chain.md", space=space) for space, text in chain]
    made += [Document(text="Acme Corp sued Cedar Inc.", key="same.md", space=space) for space, _ in chain]
    return filled_realm(hostile_dsn, made)


@pytest.fixture
def spaced(open_rag: OpenRag, spaced_realm: str) -> GraphRAG:
    return open_rag(realm=spaced_realm, space="red")


QUESTIONS = ("Acme Corp", "Who does Birch Labs employ?", "Carol Jones Delta Works Blueonly Greenonly")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("space", [None, "red"])
async def test_one_space_sees_itself_only(spaced: GraphRAG, mode: Mode, space: str | None) -> None:
    for question in QUESTIONS:
        data = await spaced.query_data(question, QueryParam(mode=mode, space=space, **FAR))
        assert {hit.space for hit in (*data.passages, *data.entities, *data.relations)} == {"red"}
        assert "employs" not in data.context
        assert "founded" not in data.context


@pytest.mark.parametrize("mode", MODES)
async def test_several_spaces_see_each_other_and_no_more(spaced: GraphRAG, mode: Mode) -> None:
    data = await spaced.query_data(QUESTIONS[2], QueryParam(mode=mode, space=("red", "blue"), **FAR))
    assert {hit.space for hit in (*data.passages, *data.entities, *data.relations)} == {"red", "blue"}
    assert "founded" not in data.context


@pytest.mark.parametrize("mode", MODES)
async def test_every_space_is_seen_by_the_star(spaced: GraphRAG, mode: Mode) -> None:
    data = await spaced.query_data("Acme Corp", QueryParam(mode=mode, space="*", **FAR))
    assert {hit.space for hit in data.passages} == {"red", "blue", "green"}


async def test_the_same_key_in_two_spaces_is_two_documents(spaced: GraphRAG) -> None:
    assert (await spaced.realm_stats()).documents == 6
