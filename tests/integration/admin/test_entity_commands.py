"""Entities that are merged, split and renamed from the command line."""

from __future__ import annotations

import pytest

from post_graph_rag import Document, GraphRAG, Models, Settings
from post_graph_rag.models.offline.embedding import OfflineEmbedding
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, plain_facts
from tests.integration.admin.commands import run
from tests.offline import needs_offline_models

pytestmark = needs_offline_models
FACTS = "Kiln Works hired Cora Doe since 2001.\nOvens Ltd sued Delta Inc."


@pytest.fixture
async def filled(database: str) -> str:
    """A realm whose vectors are named as the offline model's, which the command line uses."""
    embedding = ScriptedEmbedding(name=OfflineEmbedding().name)
    async with GraphRAG(Settings(dsn=database), models=Models(ScriptedChat(extract=plain_facts), embedding)) as rag:
        await rag.index_document(Document(text=FACTS, key="facts"))
    return database


async def test_entities_are_merged_and_split(filled: str) -> None:
    merged = await run(filled, "entity", "merge", "Kiln Works", "--into", "Ovens Ltd")
    assert merged.stdout.startswith("1 merged into ")
    assert merged.stdout.strip().endswith("Ovens Ltd")
    assert "Kiln Works since" in (await run(filled, "entity", "show", "Ovens Ltd")).stdout
    again = await run(filled, "entity", "merge", "Kiln Works", "--into", "Ovens Ltd")
    assert again.stdout.strip().endswith("already")
    split = await run(filled, "entity", "split", "Kiln Works")
    assert "Kiln Works is taken out of" in split.stdout
    assert "merged" not in (await run(filled, "entity", "show", "Ovens Ltd")).stdout


async def test_an_entity_is_renamed_and_called_as_before(filled: str) -> None:
    renamed = await run(filled, "entity", "rename", "Kiln Works", "Oven Makers")
    number = renamed.stdout.split()[0]
    assert renamed.stdout == f"{number} is called Oven Makers\n"
    assert (await run(filled, "entity", "show", "Oven Makers")).stdout.startswith(f"{number} Oven Makers")
    back = await run(filled, "entity", "rename", number, "--id", "--as-in-texts")
    assert back.stdout == f"{number} is called Kiln Works\n"


async def test_what_cannot_be_done_is_one_line_and_exit_code_1(filled: str) -> None:
    for words in (
        ("merge", "Nobody Ltd", "--into", "Ovens Ltd"),
        ("merge", "x", "--into", "Ovens Ltd", "--id"),
        ("split", "Kiln Works"),
        ("rename", "Kiln Works"),
        ("rename", "Kiln Works", "Oven Makers", "--as-in-texts"),
        ("rename", "Kiln Works", ""),
    ):
        told = await run(filled, "entity", *words)
        assert (told.exit_code, told.stderr.splitlines()[-1][:7]) == (1, "Error: "), words
