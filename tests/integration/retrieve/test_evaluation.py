"""Questions whose answers are known, put to a realm by the engine and by the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import SecretStr

from benchmarks.sqlcount import counting
from post_graph_rag import EvalQuestion, GraphRAG, Models, QueryParam, Settings
from post_graph_rag.models import call_log
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding
from tests.integration.admin.commands import run
from tests.integration.retrieve.conftest import DIMENSIONS, REALM
from tests.offline import needs_offline_models

QUESTIONS = [
    EvalQuestion(question="who plays the cello?", documents=("mayor.md",), answers=("Ada Vidal",)),
    EvalQuestion(question="who bought Orion Foundry?", documents=("kestrel.md", "nowhere.md"), answers=("Kestrel",)),
]


def engine(dsn: str, chat: ScriptedChat) -> GraphRAG:
    settings = Settings(dsn=SecretStr(dsn), realm=REALM)
    return GraphRAG(settings, models=Models(chat, ScriptedEmbedding(DIMENSIONS)))


@pytest.fixture(autouse=True)
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger is written when an engine closes, not between statements that are counted."""
    monkeypatch.setattr(call_log, "PATIENCE", 600.0)


async def test_documents_and_answers_are_compared(world_dsn: str) -> None:
    async with engine(world_dsn, ScriptedChat("Ada Vidal [1].")) as rag:
        told = await rag.evaluate(QUESTIONS, answers=True)
    assert (told.mode, told.recall[10], told.complete[10]) == ("mix", 0.75, 0.5)
    assert (told.answered, told.exact, told.contained) == (2, 0.5, 0.5)


async def test_no_model_answers_unless_asked_to(world_dsn: str) -> None:
    chat = ScriptedChat("…")
    async with engine(world_dsn, chat) as rag:
        told = await rag.evaluate(QUESTIONS, QueryParam(mode="naive", top_k=1))
    assert (told.mode, told.answered, chat.calls) == ("naive", 0, [])
    assert set(told.results[1].ranks) == {"kestrel.md", "nowhere.md"}


async def test_evaluating_takes_the_statements_of_its_questions(world_dsn: str) -> None:
    async with engine(world_dsn, ScriptedChat("…")) as rag:
        await rag.query_data("who?")
        with counting() as count:
            await rag.evaluate(QUESTIONS)
    assert count.statements == 5 * len(QUESTIONS)


@pytest.fixture
async def small(database: str, tmp_path: Path) -> Path:
    """A realm of two documents by the offline models, and a file of questions about it."""
    async with GraphRAG(Settings(dsn=SecretStr(database), realm="small", graph="none", offline=True)) as rag:
        await rag.index_text("Ada Lane founded Acme in Bern.", source="ada.md")
        await rag.index_text("Kilns are fired at night.", source="kiln.md")
    file = tmp_path / "questions.jsonl"
    lines = [
        {"question": "Who founded Acme?", "documents": ["ada.md"], "answers": "Ada Lane"},
        {"question": "When are kilns fired?", "documents": ["kiln.md"]},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    return file


@needs_offline_models
async def test_the_command_tells_a_line_a_mode(database: str, small: Path) -> None:
    shared = ("--realm", "small", "--offline")
    told = await run(database, "eval", str(small), "--mode", "mix", "--mode", "naive", "--answers", *shared)
    assert told.exit_code == 0
    lines = [line.split(" | ") for line in told.stdout.splitlines()]
    assert [line[0].split()[0] for line in lines] == ["mix", "naive"]
    assert lines[0][1:3] == [
        "recall @2 1.000, @5 1.000, @10 1.000",
        "all found @2 1.000, @5 1.000, @10 1.000",
    ]
    assert lines[0][3].endswith(", 1.000 contained")

    failing = await run(database, "eval", str(small), "--mode", "global", "--json", *shared)
    report = json.loads(failing.stdout)
    assert (failing.exit_code, report["failed"], report["recall"]["10"]) == (1, 2, 0.0)
    assert "global: Who founded Acme?: NoCommunities" in failing.stderr


@pytest.fixture
def misspelt(small: Path) -> Path:
    """The same, with a document that is not there."""
    small.write_text(json.dumps({"question": "Who founded Acme?", "documents": ["ada.md", "adda.md"]}))
    return small


@needs_offline_models
async def test_the_command_names_documents_that_no_mode_found(database: str, misspelt: Path) -> None:
    modes = ("--mode", "mix", "--mode", "naive")
    told = await run(database, "eval", str(misspelt), *modes, "--realm", "small", "--offline")
    assert [line for line in told.stderr.splitlines() if "never found" in line] == [
        "never found: adda.md; `post-graph-rag documents list` shows how documents are named"
    ]


@pytest.fixture
def no_realm(tmp_path: Path) -> Path:
    """A file of one question, and nothing to ask it of."""
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question": "Who?", "documents": "a"}')
    return file


async def test_the_command_says_once_that_there_is_no_such_realm(database: str, no_realm: Path) -> None:
    told = await run(database, "eval", str(no_realm), "--realm", "nowhere", "--offline")
    assert (told.exit_code, told.stdout) == (1, "")
    assert told.stderr.count("realm 'nowhere' does not exist") == 1
