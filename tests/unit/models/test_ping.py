"""A model that answers is found well; one that does not is a finding, not an error."""

from __future__ import annotations

import pytest

from post_graph_rag.config import Settings
from post_graph_rag.models import ping as module
from post_graph_rag.models.ping import ping
from post_graph_rag.models.roles import Models, models_from_settings
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding
from tests.faults import Answer, FaultServer, chat_reply
from tests.offline import needs_offline_models


async def test_each_model_is_asked_once_whatever_roles_it_has() -> None:
    chat = ScriptedChat("ready")
    findings = await ping(Models(chat, ScriptedEmbedding(dimensions=8)))
    assert [(finding.check, finding.ok) for finding in findings] == [
        ("model scripted", True),
        ("embedding scripted-embedding", True),
    ]
    assert (len(chat.calls), findings[1].detail.startswith("gives 8 dimensions")) == (1, True)


async def test_a_model_of_one_name_at_two_places_is_asked_at_both(server: FaultServer) -> None:
    server.answers = [Answer(chat_reply("ready"))]
    settings = Settings(model="m", base_url=server.base_url, extraction_base_url="http://127.0.0.1:9/v1", attempts=1)
    models = server.keep(models_from_settings(settings))
    found = {finding.check: finding.ok for finding in await ping(models) if finding.check.startswith("model")}
    assert [(check.split(",")[0].startswith("model m at 127.0.0.1:"), ok) for check, ok in found.items()] == [
        (True, False),
        (True, True),
    ]


async def test_a_model_that_fails_is_a_finding_with_its_reason() -> None:
    finding = (await ping(Models(ScriptedChat("ready", fail=1))))[0]
    assert (finding.ok, finding.detail) == (False, "The scripted model fails as told.")


async def test_a_model_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    finding = (await ping(Models(ScriptedChat("ready", delay=5))))[0]
    assert not finding.ok
    assert finding.detail.startswith("no answer within")


async def test_that_there_is_no_embedding_model_is_a_finding() -> None:
    answered, missing = await ping(Models(ScriptedChat("ready")))
    assert (answered.ok, missing.check, missing.ok) == (True, "embedding model", False)
    assert "POST_GRAPH_RAG_EMBEDDING_MODEL" in missing.detail


@needs_offline_models
async def test_the_offline_models_answer() -> None:
    assert all(finding.ok for finding in await ping(models_from_settings(Settings(offline=True))))
