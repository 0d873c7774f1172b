"""What the engine needs for a question, and what it says of what is missing."""

from __future__ import annotations

from pydantic import SecretStr

from post_graph_rag import GraphRAG, Models, QueryParam, Settings
from post_graph_rag.testing import ScriptedChat
from tests.integration.retrieve.conftest import REALM

BYPASS = QueryParam(mode="bypass")


async def test_bypass_needs_a_language_model_and_nothing_else(database: str) -> None:
    models = Models(ScriptedChat("From memory."))
    async with GraphRAG(Settings(dsn=SecretStr(database), realm="not made"), models=models) as rag:
        assert (await rag.query("Who?", BYPASS)).text == "From memory."
        async with rag.stream("Who?", BYPASS) as stream:
            assert "".join([piece async for piece in stream]) == "From memory."


async def test_bypass_needs_no_embedding_model_where_the_realm_is_there(world_dsn: str) -> None:
    models = Models(ScriptedChat("From memory."))
    async with GraphRAG(Settings(dsn=SecretStr(world_dsn), realm=REALM), models=models) as rag:
        assert (await rag.query("Who?", BYPASS)).text == "From memory."


async def test_doctor_tells_what_it_found_of_the_server_although_no_model_is_configured(world_dsn: str) -> None:
    rag = GraphRAG(Settings(dsn=SecretStr(world_dsn), realm=REALM))
    found = {finding.check: finding.ok for finding in await rag.doctor()}
    await rag.close()
    assert found["server"]
    assert not found["models"]


async def test_doctor_tells_that_no_database_is_named_and_looks_at_the_models_all_the_same() -> None:
    found = await GraphRAG(Settings(), models=Models(ScriptedChat("ready"))).doctor()
    assert [(finding.check, finding.ok) for finding in found] == [
        ("server", False),
        ("model scripted", True),
        ("embedding model", False),
    ]
