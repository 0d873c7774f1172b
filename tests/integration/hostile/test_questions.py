"""Questions and parameters that other systems stumble over."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import ValidationError

from post_graph_rag import Document, GraphRAG, InputError, QueryData, QueryParam
from post_graph_rag.errors import BudgetTooSmall, NoCommunities, SpaceNotFound
from tests.integration.hostile.conftest import OpenRag, filled_realm

IDENTIFIER = "3f2b8c1e-9d4a-4c6b-8e21-5a7f0c9d1b2e"


@pytest.fixture(scope="module")
def asked_realm(hostile_dsn: str) -> str:
    """A realm of twenty short documents."""
    texts = [f"Person{n} Smith leads Company{n} Ltd. Company{n} Ltd builds Machine{n} Mark." for n in range(17)]
    texts += [f"Ticket {IDENTIFIER} of INV-2024/07 is open.", 'The parser reads `a & b | !c : d* ( "e"`.', "It is so."]
    return filled_realm(hostile_dsn, [Document(text=text, key=f"{n}.md") for n, text in enumerate(texts)])


@pytest.fixture
def rag(open_rag: OpenRag, asked_realm: str) -> GraphRAG:
    """An engine on that realm."""
    return open_rag(realm=asked_realm)


def found(data: QueryData) -> list[str]:
    return [hit.sources[0].document for hit in data.passages]


def best_by_words(data: QueryData) -> list[str]:
    """The documents that the lexical channel placed first."""
    firsts = [
        hit for hit in data.passages if ("passage_text", 1) in {(rank.channel, rank.rank) for rank in hit.channels}
    ]
    return [hit.sources[0].document for hit in firsts]


@pytest.mark.parametrize("question", ["", " ", "\n\t"])
async def test_an_empty_question_is_refused(rag: GraphRAG, question: str) -> None:
    with pytest.raises(InputError, match="ask something"):
        await rag.query(question)


@pytest.mark.parametrize("question", [None, 5, b"bytes", ["a"]])
async def test_a_question_that_is_no_text_is_refused(rag: GraphRAG, question: Any) -> None:
    with pytest.raises(InputError, match="give it as text"):
        await rag.query(question)


@pytest.mark.parametrize("param", [{"top_k": 3}, "mix", 5])
async def test_parameters_of_another_type_are_refused(rag: GraphRAG, param: Any) -> None:
    for ask in (rag.query, rag.query_data):
        with pytest.raises(InputError, match=r"give a QueryParam"):
            await ask("Who leads Company1 Ltd?", param)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"top_k": -1}, "top_k: Input should be greater than or equal to 1"),
        ({"top_k": 0}, "top_k"),
        ({"top_k": 10**9}, "top_k: Input should be less than or equal to 500"),
        ({"top_k": "many"}, "top_k"),
        ({"max_hops": -1}, "max_hops"),
        ({"max_total_tokens": 0}, "max_total_tokens"),
        ({"rrf_k": 0}, "rrf_k"),
        ({"mode": "magic"}, "mode: Input should be 'mix', 'local'"),
        ({"topk": 5}, "topk is not known; there are as_believed_at, as_of, condense, conversation_history"),
        ({"documents": "a.md"}, r"documents: several values are wanted, in a list or tuple, and one as \(value,\)"),
        ({"weights": {"walk": float("nan")}}, "weights.walk"),
        ({"weights": {"walk": -1}}, "weights.walk"),
        ({"weights": {"running": 1}}, "weights.running"),
        ({"conversation_history": [{"role": "devil", "content": "x"}]}, "Message cannot be made: role"),
        ({"search_query": 5}, "search_query"),
    ],
)
def test_unusable_parameters_are_named(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        QueryParam(**fields)


@pytest.mark.parametrize("space", ["nowhere", ("default", "nowhere")])
async def test_an_unknown_space_is_refused_by_name(rag: GraphRAG, space: Any) -> None:
    with pytest.raises(SpaceNotFound, match="'nowhere'"):
        await rag.query("Who?", QueryParam(space=space))


@pytest.mark.parametrize("space", ["", "  ", (), "x" * 100_000])
async def test_what_names_no_space_is_refused(rag: GraphRAG, space: Any) -> None:
    with pytest.raises(InputError, match="space"):
        await rag.query("Who?", QueryParam(space=space))


@pytest.mark.parametrize("mode", ["global", "hybrid"])
async def test_modes_that_need_communities_say_so(rag: GraphRAG, mode: Any) -> None:
    with pytest.raises(NoCommunities, match="use mode mix, local or naive"):
        await rag.query("Who?", QueryParam(mode=mode))


async def test_a_question_of_stop_words_finds_by_words(rag: GraphRAG) -> None:
    assert best_by_words(await rag.query_data("is it so")) == ["19.md"]


@pytest.mark.parametrize(
    ("question", "document"),
    [
        (IDENTIFIER, "17.md"),
        ("INV-2024/07", "17.md"),
        ("inv-2024", "17.md"),
        ('a & b | !c : d* ( "e"', "18.md"),
        ("Company3 Ltd", "3.md"),
    ],
)
async def test_identifiers_and_operators_are_found(rag: GraphRAG, question: str, document: str) -> None:
    assert best_by_words(await rag.query_data(question)) == [document]


@pytest.mark.parametrize("question", ["?", '& | ! : * ( "', "\0", "\ud800", "🙂", "---", "''", "%", "\\"])
async def test_a_question_of_marks_is_answered(rag: GraphRAG, question: str) -> None:
    assert (await rag.query(question)).text == "scripted answer"


async def test_a_question_of_50000_characters_is_bounded_by_the_budget(rag: GraphRAG) -> None:
    question = "Who leads Company3 Ltd? " + "Tell me more about it. " * 2_200
    with pytest.raises(BudgetTooSmall, match="raise it"):
        await rag.query(question)
    data = await rag.query_data(question, QueryParam(max_total_tokens=60_000))
    assert "3.md" in found(data)


async def test_a_parameter_object_that_is_used_again_brings_nothing_along(rag: GraphRAG) -> None:
    param = QueryParam(top_k=3, ll_keywords=("Company5 Ltd",))
    before = param.model_dump_json()
    questions = ("Who leads Company1 Ltd?", "Machine9 Mark", "Who leads Company1 Ltd?")
    first, _, again = [await rag.query_data(question, param) for question in questions]
    assert again == first
    assert param.model_dump_json() == before


async def test_a_parameter_object_cannot_be_changed() -> None:
    param: Any = QueryParam()
    with pytest.raises(ValidationError, match="frozen"):
        param.top_k = 3


async def test_questions_at_once_find_what_they_find_one_by_one(rag: GraphRAG) -> None:
    param = QueryParam(top_k=4)
    questions = [f"What does Company{n % 17} Ltd build, question {n}?" for n in range(20)]
    one_by_one = [await rag.query_data(question, param) for question in questions]
    assert await asyncio.gather(*(rag.query_data(question, param) for question in questions)) == one_by_one


async def test_every_kind_of_hit_has_scores_and_sources(rag: GraphRAG) -> None:
    data = await rag.query_data("Who leads Company3 Ltd?")
    assert all((data.passages, data.entities, data.relations))
    hits: list[Any] = [*data.passages, *data.entities, *data.relations]
    for hit in hits:
        assert hit.score > 0
        assert all(rank.rank >= 1 and rank.score == rank.score for rank in hit.channels)
    assert all(relation.passages for relation in data.relations)


async def test_a_question_about_the_object_finds_the_subject(rag: GraphRAG) -> None:
    data = await rag.query_data("Which company builds Machine3 Mark?", QueryParam(mode="local"))
    assert data.relations[0].subject == "Company3 Ltd"
