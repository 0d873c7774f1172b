"""No message, representation, log record or traceback holds a password or a key, whatever goes wrong."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from pydantic import SecretStr

from post_graph_rag import Document, GraphRAG, Models, RAGError, Settings
from post_graph_rag.errors import ConfigurationError, ExtractionError, LLMError, ServerUnavailable
from post_graph_rag.models.endpoint import Endpoint
from post_graph_rag.models.roles import models_from_settings
from post_graph_rag.testing import fresh_realm_name
from tests.faults import Answer, error
from tests.integration.hostile.conftest import OpenRag
from tests.integration.hostile.endpoint import ModelServer, settings_for

SECRET = "hushhush7Q"
KEY = f"sk-{SECRET}"
PASSWORD = f"pw{SECRET}"
Call = Callable[[], Awaitable[Any]]


@pytest.fixture(autouse=True)
def no_secret_in_the_log(caplog: pytest.LogCaptureFixture) -> Any:
    """Everything that any library logs, at any level, is searched when the test ends."""
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx", "httpcore", "asyncio", "asyncpg", "post_graph_rag"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    yield
    shown = "\n".join(f"{record.getMessage()} {record.args!r} {record.exc_text}" for record in caplog.records)
    assert SECRET not in shown


async def refusal(call: Call) -> RAGError:
    """The error a call ends with, which shows no secret anywhere."""
    with pytest.raises(RAGError) as raised:
        await call()
    caught = raised.value
    shown = ["".join(traceback.format_exception(caught)), repr(caught), str(vars(caught))]
    assert [text for text in shown if SECRET in text] == []
    return caught


def with_password(dsn: str) -> str:
    """A DSN that says a password; servers that trust do not look at it."""
    return f"{dsn}{'&' if urlsplit(dsn).query else '?'}password={PASSWORD}"


# ---------------------------------------------------------------- what is written down


def test_settings_and_what_is_made_of_them_show_no_secret() -> None:
    settings = Settings(
        dsn=SecretStr(f"postgresql://u:{PASSWORD}@h/d"),
        api_key=SecretStr(KEY),
        base_url=f"http://u:{PASSWORD}@h/v1",
        model="m",
        embedding_model="e",
    )
    endpoint = Endpoint(settings.base_url, settings.api_key)
    made = (settings, GraphRAG(settings), models_from_settings(settings), endpoint, endpoint.where)
    assert [thing for thing in made if SECRET in f"{thing!r} {thing}"] == []


@pytest.mark.parametrize(
    "given",
    [
        {"dns": f"postgresql://u:{PASSWORD}@h/d"},
        {"apikey": KEY},
        {"dsn": [f"postgresql://u:{PASSWORD}@h/d"]},
        {"api_key": {"key": KEY}},
        {"dsn": f"postgresql://u:{PASSWORD}@h/d", "graph": "x"},
    ],
)
async def test_a_setting_that_cannot_be_used_is_named_without_its_value(given: dict[str, Any]) -> None:
    async def make() -> None:
        Settings(**given)

    assert isinstance(await refusal(make), ConfigurationError)


# ---------------------------------------------------------------- the database

DSNS = {
    "nobody there": "postgresql://u:{}@127.0.0.1:1/d",
    "no such host": "postgresql://u:{}@no-such-host.invalid/d",
    "slash in it": "postgresql://u:pa/{}@127.0.0.1:1/d",
    "hash in it": "postgresql://u:{}#x@127.0.0.1:1/d",
    "at in it": "postgresql://u:a@{}@127.0.0.1:1/d",
    "bracket in it": "postgresql://u:[{}@127.0.0.1:1/d",
    "percent in it": "postgresql://u:{}%zz@127.0.0.1:1/d",
    "NUL in it": "postgresql://u:{}\0@127.0.0.1:1/d",
    "half of a pair in it": "postgresql://u:{}\ud800@127.0.0.1:1/d",
    "no URL": "host=localhost password={}",
    "other scheme": "mysql://u:{}@127.0.0.1/d",
    "odd port": "postgresql://u:{}@127.0.0.1:port/d",
    "great port": "postgresql://u:{}@127.0.0.1:99999/d",
    "odd option": "postgresql://u:{}@127.0.0.1:1/d?sslmode=bogus",
    "no such file": "postgresql://u:{}@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=/no/such",
    "no such socket": "postgresql://u:{}@/d?host=/no/such",
    "password only": "{}",
}


@pytest.mark.parametrize("dsn", DSNS.values(), ids=DSNS)
async def test_a_wrong_dsn_is_a_typed_error(dsn: str) -> None:
    rag = GraphRAG(Settings(dsn=SecretStr(dsn.format(PASSWORD)), offline=True))
    assert isinstance(await refusal(rag.initialize), ConfigurationError | ServerUnavailable)
    await rag.close()


async def test_errors_of_the_server_show_no_password(hostile_dsn: str, open_rag: OpenRag) -> None:
    nowhere = hostile_dsn.replace(urlsplit(hostile_dsn).path, "/no_such_database", 1)
    assert "does not exist" in str(await refusal(open_rag(dsn=with_password(nowhere)).initialize))
    rag = open_rag(dsn=with_password(hostile_dsn))
    await refusal(lambda: rag.query("Who?"))
    await rag.index_documents([Document(text="Words.")])
    await refusal(lambda: rag.cypher("MATCH ("))
    await refusal(lambda: rag.grant("no such role", "read"))
    assert SECRET not in str(await rag.doctor())
    assert SECRET not in f"{rag!r} {vars(rag)}"


# ---------------------------------------------------------------- the models

ANSWERS = {
    "refused": Answer(error(f"Incorrect API key provided: {KEY}"), status=401),
    "echoed": Answer({"you sent": f"Bearer {KEY}"}, status=400),
    "broken": Answer(error(f"boom {KEY} {PASSWORD}"), status=500),
    "html": Answer(raw=f"<p>{KEY}</p>".encode()),
    "error in a reply": Answer(error(f"key={KEY}")),
    "limited": Answer(error(KEY, code="insufficient_quota"), status=429),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
async def test_an_endpoint_that_echoes_the_key_is_not_quoted(
    open_rag: OpenRag, model_server: ModelServer, answer: Answer
) -> None:
    url = model_server.base_url.replace("://", f"://user:{PASSWORD}@")
    rag = open_rag(**settings_for(model_server, base_url=url, api_key=KEY, deadline=0.4))
    await rag.index_text("Words.")
    model_server.chat = answer
    assert isinstance(await refusal(lambda: rag.query("Words?")), LLMError)
    failed = await refusal(lambda: rag.index_text("Other words."))
    assert isinstance(failed, ExtractionError)
    model_server.embedding = answer
    await refusal(lambda: rag.query("Words?"))
    assert SECRET not in str(await rag.complete_pending())
    assert SECRET not in str(await rag.doctor())


async def test_a_server_that_is_not_there_is_named_without_the_key(open_rag: OpenRag) -> None:
    rag = open_rag(
        base_url=f"http://u:{PASSWORD}@127.0.0.1:1/v1", api_key=KEY, model="m", embedding_model="e", deadline=0.2
    )
    assert "127.0.0.1:1" in str(await refusal(lambda: rag.index_text("Words.")))


@pytest.mark.parametrize(
    "url", ["ftp://u:{}@h/v1", "u:{}@h", "http://u:{}@", "http://[u:{}@h/v1", "http://u:{}@h:x/v1", "http://u:{}@h\n"]
)
async def test_a_models_url_that_is_none_is_refused_without_being_shown(hostile_dsn: str, url: str) -> None:
    named: dict[str, Any] = {"model": "m", "embedding_model": "e", "api_key": KEY, "base_url": url.format(PASSWORD)}
    rag = GraphRAG(Settings(dsn=SecretStr(hostile_dsn), realm=fresh_realm_name(), **named))
    assert isinstance(await refusal(lambda: rag.index_text("Words.")), ConfigurationError)
    await rag.close()


@pytest.mark.parametrize("key", [f"{KEY}\n", f" {KEY}", f"“{KEY}”", f"{KEY}\0"])
async def test_a_key_that_cannot_be_sent_is_refused_without_being_shown(hostile_dsn: str, key: str) -> None:
    rag = GraphRAG(Settings(dsn=SecretStr(hostile_dsn), model="m", embedding_model="e", api_key=SecretStr(key)))
    assert "POST_GRAPH_RAG_API_KEY" in str(await refusal(lambda: rag.index_text("Words.")))
    await rag.close()


def test_models_show_no_secret() -> None:
    assert SECRET not in repr(vars(Models()))
