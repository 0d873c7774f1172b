"""The models that the settings name, each role at its own endpoint, none touched by another."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from post_graph_rag.config import Settings
from post_graph_rag.errors import ConfigurationError, EmbeddingError, LLMError
from post_graph_rag.models.protocols import ChatRequest, Role
from post_graph_rag.models.roles import ROLES, Models, models_from_settings
from post_graph_rag.records import Message
from tests.faults import Answer, FaultServer, Seen, chat_reply, embeddings, error

GOOD = Answer(chat_reply("Ada."))


def ask(role: Role, **more: Any) -> ChatRequest:
    return ChatRequest(role, (Message(role="user", content=role),), **more)


def models(server: FaultServer, **settings: Any) -> Models:
    given = {"base_url": server.base_url, "api_key": "sk-general", "model": "m", "embedding_model": "e"}
    return server.keep(models_from_settings(Settings(**(given | settings))))


async def asked(server: FaultServer, role: Role, **settings: Any) -> Seen:
    server.answers = [GOOD]
    await models(server, **settings).chat(role).chat(ask(role))
    return server.seen[-1]


@pytest.fixture
async def other_server() -> AsyncIterator[FaultServer]:
    faulty = FaultServer()
    faulty.answers = [GOOD]
    async with TestServer(faulty.app()) as running:
        faulty.base_url = str(running.make_url("/v1"))
        yield faulty


@pytest.mark.parametrize("role", ROLES)
async def test_a_role_is_asked_with_its_own_model_key_and_limits(server: FaultServer, role: Role) -> None:
    own = {"model": "own", "api_key": "sk-own", "temperature": 0.7, "max_tokens": 33}
    seen = await asked(server, role, **{f"{role}_{field}": value for field, value in own.items()})
    assert seen.key == "Bearer sk-own"
    assert (seen.body["model"], seen.body["temperature"], seen.body["max_tokens"]) == ("own", 0.7, 33)


async def test_a_role_without_its_own_is_asked_with_the_general_ones(server: FaultServer) -> None:
    seen = await asked(server, "synthesis", extraction_model="own", temperature=0.2, max_output_tokens=44)
    assert seen.key == "Bearer sk-general"
    assert (seen.body["model"], seen.body["temperature"], seen.body["max_tokens"]) == ("m", 0.2, 44)


async def test_a_role_is_asked_at_its_own_endpoint(server: FaultServer, other_server: FaultServer) -> None:
    both = models(server, extraction_base_url=other_server.base_url)
    server.answers = [GOOD]
    await both.chat("extraction").chat(ask("extraction"))
    await both.chat("synthesis").chat(ask("synthesis"))
    assert [seen.body["messages"][0]["content"] for seen in other_server.seen] == ["extraction"]
    assert [seen.body["messages"][0]["content"] for seen in server.seen] == ["synthesis"]


async def test_roles_at_work_at_once_keep_their_keys_models_and_temperatures(server: FaultServer) -> None:
    own = {
        f"{role}_{field}": value
        for n, role in enumerate(ROLES)
        for field, value in (("model", f"m-{role}"), ("api_key", f"sk-{role}"), ("temperature", n / 10))
    }
    server.answers = [Answer(chat_reply("Ada."), delay=0.002)]
    made = models(server, **own)
    await asyncio.gather(*(made.chat(role).chat(ask(role)) for role in ROLES * 10))
    for seen in server.seen:
        role = seen.body["messages"][0]["content"]
        assert (seen.key, seen.body["model"]) == (f"Bearer sk-{role}", f"m-{role}")
        assert seen.body["temperature"] == ROLES.index(role) / 10


async def test_what_one_model_refuses_is_still_sent_to_another(server: FaultServer) -> None:
    server.by_model = {"a": [Answer(error("no temperature"), status=400), GOOD], "b": [GOOD]}
    made = models(server, extraction_model="a", synthesis_model="b", temperature=0.5)
    await made.chat("extraction").chat(ask("extraction"))
    await made.chat("synthesis").chat(ask("synthesis"))
    assert server.seen[-1].body["temperature"] == 0.5


# ---------------------------------------------------------------- fallbacks


async def test_a_role_falls_back_on_its_own_models_in_their_order(server: FaultServer) -> None:
    gone = [Answer(error("no such model"), status=404)]
    server.by_model = {"m": list(gone), "x": list(gone), "y": [GOOD]}
    made = models(server, fallbacks=("never",), extraction_fallbacks=("x", "m", "y"))
    reply = await made.chat("extraction").chat(ask("extraction"))
    assert reply.text == "Ada."
    assert [seen.body["model"] for seen in server.seen] == ["m", "x", "y"]


async def test_the_reply_names_the_model_that_answered(server: FaultServer) -> None:
    said = Answer({"model": "x-2024", "choices": [{"message": {"content": "Ada."}}]})
    server.by_model = {"m": [Answer(error("no key"), status=401)], "x": [said]}
    made = models(server, fallbacks=("x",))
    assert (await made.chat("synthesis").chat(ask("synthesis"))).model == "x-2024"
    assert made.names["synthesis"] == "m"


async def test_the_set_attempts_hold_for_each_model_and_call(server: FaultServer) -> None:
    server.answers = [Answer(error("broken"), status=500, headers={"Retry-After": "0.5"})]
    made = models(server, attempts=2, fallbacks=("x",))
    with pytest.raises(LLMError):
        await made.chat("extraction").chat(ask("extraction"))
    assert [seen.body["model"] for seen in server.seen] == ["m", "m", "x", "x"]


async def test_an_embedding_model_is_never_replaced(server: FaultServer) -> None:
    server.answers = [Answer(error("no such model"), status=404), Answer(embeddings([1.0]))]
    with pytest.raises(EmbeddingError, match="'e'"):
        await models(server, fallbacks=("x",)).embedding.embed(["a"])
    assert [seen.body["model"] for seen in server.seen] == ["e"]


# ---------------------------------------------------------------- bounds, loops, refusals


async def test_each_role_has_its_own_bound_on_calls_under_way(server: FaultServer) -> None:
    under_way: dict[str, int] = {}
    most: dict[str, int] = {}
    plain = server.respond

    async def counted(request: web.Request, answer: Answer) -> web.StreamResponse:
        role = (await request.json())["messages"][0]["content"]
        under_way[role] = under_way.get(role, 0) + 1
        most[role] = max(most.get(role, 0), under_way[role])
        await asyncio.sleep(0.02)
        under_way[role] -= 1
        return await plain(request, answer)

    server.respond = counted  # type: ignore[method-assign]
    server.answers = [GOOD]
    made = models(server, concurrency=3, extraction_concurrency=1)
    roles: tuple[Role, ...] = ("extraction", "synthesis")
    await asyncio.gather(*(made.chat(role).chat(ask(role)) for role in roles * 6))
    assert most == {"extraction": 1, "synthesis": 3}


async def test_embedding_has_a_bound_of_its_own(server: FaultServer) -> None:
    server.answers = [Answer(embeddings([1.0]), delay=0.02)]
    made = models(server, embedding_concurrency=1)
    await asyncio.gather(*(made.embedding.embed([text]) for text in "abc"))
    arrived = [seen.at for seen in server.seen]
    assert min(later - earlier for earlier, later in pairwise(arrived)) >= 0.02


async def test_one_set_of_models_serves_two_event_loops_at_the_same_time(server: FaultServer) -> None:
    server.answers = [Answer(chat_reply("Ada."), delay=0.05)]
    made = models(server, concurrency=2)
    said: list[str] = []

    async def several() -> None:
        replies = await asyncio.gather(*(made.chat("synthesis").chat(ask("synthesis")) for _ in range(4)))
        said.extend(reply.text for reply in replies)
        await made.close()

    threads = [threading.Thread(target=asyncio.run, args=(several(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    await several()
    await asyncio.gather(*(asyncio.to_thread(thread.join) for thread in threads))
    assert said == ["Ada."] * 12


@pytest.mark.parametrize(
    ("given", "variable"),
    [
        ({"extraction_base_url": "localhost:8000"}, "POST_GRAPH_RAG_EXTRACTION_BASE_URL"),
        ({"synthesis_api_key": " ab"}, "POST_GRAPH_RAG_SYNTHESIS_API_KEY"),
        ({"embedding_base_url": "ftp://host"}, "POST_GRAPH_RAG_EMBEDDING_BASE_URL"),
        ({"base_url": "localhost:8000"}, "POST_GRAPH_RAG_BASE_URL or OPENAI_BASE_URL"),
    ],
)
def test_a_url_or_key_that_is_none_is_refused_with_its_variable(given: dict[str, str], variable: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{variable}\\."):
        models_from_settings(Settings(**({"api_key": "k", "model": "m", "embedding_model": "e"} | given)))


@pytest.mark.parametrize(
    ("status", "variable"), [(401, "POST_GRAPH_RAG_AUXILIARY_API_KEY"), (404, "POST_GRAPH_RAG_AUXILIARY_BASE_URL")]
)
async def test_a_refusal_names_the_variable_of_the_role(server: FaultServer, status: int, variable: str) -> None:
    server.answers = [Answer(error("no"), status=status)]
    made = models(server, auxiliary_api_key="sk-aux", auxiliary_base_url=server.base_url)
    with pytest.raises(LLMError, match=variable):
        await made.chat("auxiliary").chat(ask("auxiliary"))


def test_a_role_with_an_endpoint_of_its_own_needs_no_general_one() -> None:
    made = models_from_settings(Settings(extraction_model="x", extraction_base_url="http://127.0.0.1:9/v1"))
    assert made.names == {"extraction": "x"}


def test_a_role_without_an_endpoint_is_refused_by_name() -> None:
    with pytest.raises(ConfigurationError, match=r"synthesis.*POST_GRAPH_RAG_SYNTHESIS_BASE_URL"):
        models_from_settings(
            Settings(extraction_model="x", extraction_base_url="http://127.0.0.1:9/v1", synthesis_model="y")
        )
