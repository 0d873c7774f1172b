"""Steps before a search: taken only where they are asked for and used, and never in a question's way."""

from __future__ import annotations

import json

import pytest

from post_graph_rag.errors import ConfigurationError, LLMError
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatModel, ChatRequest
from post_graph_rag.models.tokens import tokenizer_for
from post_graph_rag.records import Message, QueryParam
from post_graph_rag.retrieve.modes import plan_for
from post_graph_rag.retrieve.question import Question, read_question
from post_graph_rag.retrieve.steps import Remembered, Steps, nobody
from post_graph_rag.store.usage import Call
from post_graph_rag.testing import ScriptedChat

ASKED = "Where was the founder of Acme born?"
HISTORY = (Message(role="user", content="Who leads Acme?"), Message(role="assistant", content="Ada Lane."))
SAID = {
    "keywords": {"high": ["birth place"], "low": ["Acme"]},
    "subquestions": {"questions": ["Who founded Acme?", "Where was the founder of Acme born?"]},
    "condense": {"question": "Where was Ada Lane born?"},
}
ALL = QueryParam(extract_keywords=True, decompose=True, condense=True, conversation_history=HISTORY)


def said(request: ChatRequest) -> str:
    return json.dumps(SAID[request.schema_name])


class Desk:
    """Steps over a scripted model, and the calls that were noted."""

    def __init__(self, chat: ChatModel) -> None:
        self.calls: list[Call] = []
        self.steps = Steps(lambda: chat, Remembered(), tokenizer_for("gpt-4o"), Prompts(), self.calls.append)

    async def taken(self, param: QueryParam, asked: str = ASKED) -> tuple[Question, tuple[str, ...]]:
        plan = plan_for(param.mode)
        assert plan is not None
        return await self.steps.taken(read_question(asked, param), plan, param)


def steps_of(chat: ScriptedChat) -> list[str]:
    return sorted(request.schema_name for request in chat.calls)


async def test_nothing_is_asked_unless_it_is_wanted() -> None:
    chat = ScriptedChat(said)
    question, notes = await Desk(chat).taken(QueryParam(conversation_history=HISTORY))
    assert (question, notes, chat.calls) == (read_question(ASKED, QueryParam()), (), [])


async def test_keywords_go_to_entities_and_to_relations() -> None:
    chat = ScriptedChat(said)
    question, _ = await Desk(chat).taken(QueryParam(extract_keywords=True))
    assert (question.texts, question.entities, question.relations) == ((ASKED,), ("Acme",), ("birth place",))
    assert steps_of(chat) == ["keywords"]


async def test_sub_questions_are_searched_beside_the_question() -> None:
    question, _ = await Desk(ScriptedChat(said)).taken(QueryParam(decompose=True))
    assert question.embedded == (ASKED, "Who founded Acme?")


async def test_a_follow_up_is_condensed_before_it_is_taken_apart() -> None:
    chat = ScriptedChat(said)
    question, notes = await Desk(chat).taken(ALL, "Where was she born?")
    assert (question.asked, question.texts[0], notes) == ("Where was she born?", "Where was Ada Lane born?", ())
    assert chat.calls[0].schema_name == "condense"
    assert {request.inputs["question"] for request in chat.calls[1:]} == {"Where was Ada Lane born?"}
    assert steps_of(chat) == ["condense", "keywords", "subquestions"]


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"search_query": "Ada"}, ["keywords", "subquestions"]),
        ({"conversation_history": ()}, ["keywords", "subquestions"]),
        ({"hl_keywords": ("birth",)}, ["condense", "subquestions"]),
        ({"ll_keywords": ("Ada",)}, ["condense", "subquestions"]),
        ({"subqueries": ("Who?",)}, ["condense", "keywords"]),
        ({"mode": "naive"}, ["condense", "subquestions"]),
        ({"mode": "local"}, ["condense", "keywords", "subquestions"]),
    ],
)
async def test_what_is_given_or_not_used_is_not_asked_for(given: dict[str, object], left: list[str]) -> None:
    chat = ScriptedChat(said)
    await Desk(chat).taken(ALL.model_copy(update=given))
    assert steps_of(chat) == left


@pytest.mark.parametrize("reply", ["I had rather not.", LLMError("The line is down.")])
async def test_a_step_that_fails_is_noted_and_the_question_searched_as_it_is(reply: str | LLMError) -> None:
    question, notes = await Desk(ScriptedChat(reply)).taken(ALL)
    assert question == read_question(ASKED, QueryParam())
    assert [note.split(" could")[0] for note in notes] == ["a question that stands alone", "keywords", "sub-questions"]


async def test_one_step_that_fails_leaves_the_others() -> None:
    chat = ScriptedChat(lambda request: "no" if request.schema_name == "keywords" else said(request))
    question, notes = await Desk(chat).taken(ALL)
    assert question.texts == ("Where was Ada Lane born?", "Who founded Acme?", ASKED)
    assert len(notes) == 1


async def test_a_step_without_a_model_is_refused() -> None:
    steps = Steps(nobody, Remembered(), tokenizer_for("gpt-4o"), Prompts(), print)
    plan = plan_for("mix")
    assert plan is not None
    with pytest.raises(ConfigurationError):
        await steps.taken(read_question(ASKED, ALL), plan, ALL)


async def test_each_call_is_noted_under_the_question_and_no_question_is_paid_twice() -> None:
    chat = ScriptedChat(said)
    desk = Desk(chat)
    first = await desk.taken(ALL)
    assert await desk.taken(ALL.model_copy(update={"mode": "local"})) == first
    assert [(call.role, call.model) for call in desk.calls] == [("auxiliary", "scripted")] * 3
    assert len({call.question for call in desk.calls}) == 1


async def test_another_conversation_is_another_question() -> None:
    chat = ScriptedChat(said)
    desk = Desk(chat)
    await desk.taken(QueryParam(condense=True, conversation_history=HISTORY))
    await desk.taken(QueryParam(condense=True, conversation_history=HISTORY[:1]))
    assert len(chat.calls) == 2


async def test_a_reply_that_cannot_be_read_is_asked_for_again() -> None:
    chat = ScriptedChat(["no", json.dumps(SAID["keywords"])])
    desk = Desk(chat)
    param = QueryParam(extract_keywords=True)
    assert (await desk.taken(param))[0].entities == ()
    assert (await desk.taken(param))[0].entities == ("Acme",)
    assert len(desk.calls) == 2


async def test_the_parameters_of_the_caller_stay_as_they_are() -> None:
    before = ALL.model_dump()
    await Desk(ScriptedChat(said)).taken(ALL)
    assert ALL.model_dump() == before


async def test_the_budget_bounds_the_prompt_of_a_step() -> None:
    chat = ScriptedChat(said)
    desk = Desk(chat)
    turns = tuple(Message(role="user", content=f'turn {n} "quoted" ' * 20) for n in range(30))
    await desk.taken(QueryParam(condense=True, conversation_history=turns, max_total_tokens=800))
    count = desk.steps.tokenizer.count
    assert sum(count(message.content) for message in chat.calls[0].messages) <= 800
    assert "turn 29" in chat.calls[0].inputs["conversation"]
    assert "turn 0 " not in chat.calls[0].inputs["conversation"]


async def test_a_budget_that_holds_no_step_leaves_it_out() -> None:
    chat = ScriptedChat(said)
    question, notes = await Desk(chat).taken(QueryParam(extract_keywords=True, max_total_tokens=100))
    assert (question.entities, chat.calls, len(notes)) == ((), [], 1)
    assert "max_total_tokens" in notes[0]


async def test_the_memory_of_replies_is_bounded() -> None:
    told = Remembered()
    for number in range(3_000):
        told.keep(str(number).encode(), "…")
    assert len(told.replies) == 1_000
    assert b"2999" in told.replies
