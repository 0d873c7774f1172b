"""A realm for one test of a user's: there while the block lasts, and gone afterwards."""

from __future__ import annotations

import psycopg
import pytest
from pydantic import SecretStr

from post_graph_rag import Models, Settings
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, throwaway_realm

FACT = "Acme Corp acquired Birch Labs."


def realms(admin: psycopg.Connection) -> int:
    """How many realms are registered, and how many schemas they left."""
    row = admin.execute("SELECT (SELECT count(*) FROM post_graph_rag.realm), count(*) FROM pg_namespace "
                        "WHERE nspname LIKE 'pgr\\_%'").fetchone()  # fmt: skip
    assert row is not None
    return int(row[0]) + int(row[1])


async def test_a_text_is_indexed_and_asked_about_and_nothing_stays(database: str, admin: psycopg.Connection) -> None:
    async with throwaway_realm(database) as rag:
        assert (await rag.index_text(FACT)).relations == 1
        assert (await rag.query("Who acquired Birch Labs?")).text == "scripted answer"
        assert realms(admin) > 0
    assert realms(admin) == 0


async def test_the_realm_goes_when_the_test_fails(database: str, admin: psycopg.Connection) -> None:
    with pytest.raises(AssertionError, match="as told"):
        async with throwaway_realm(database):
            raise AssertionError("as told")
    assert realms(admin) == 0


async def test_a_realm_that_the_test_dropped_itself_is_not_missed(database: str, admin: psycopg.Connection) -> None:
    async with throwaway_realm(database) as rag:
        await rag.drop_realm()
    assert realms(admin) == 0


async def test_settings_and_models_are_the_callers_but_for_the_realm(database: str) -> None:
    models = Models(ScriptedChat({"synthesis": "Acme Corp [1]."}), ScriptedEmbedding(8))
    settings = Settings(dsn=SecretStr(database), realm="precious", graph="none")
    async with throwaway_realm(settings, models=models) as rag:
        made = (await rag.realm_stats()).realm
    assert (made.name != "precious", made.graph_name, made.dimensions) == (True, None, 8)
