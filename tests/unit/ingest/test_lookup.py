"""Cutting many texts keeps nothing else waiting."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from post_graph_rag.ingest.drafts import Draft, draft
from post_graph_rag.ingest.lookup import Lookup
from post_graph_rag.records import Document
from post_graph_rag.store import write
from post_graph_rag.store.database import Database


class Nothing:
    """A database in which nothing is found, and all that a look-up asks besides."""

    statements = None

    def transaction(self, _: object) -> Nothing:
        return self

    async def __aenter__(self) -> Nothing:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def find(self, _: object) -> dict[bytes, Any]:
        return {}

    def expect(self, *_: object) -> None:
        pass

    def keys(self, *_: object) -> list[bytes]:
        return []


@pytest.fixture
def lookup(monkeypatch: pytest.MonkeyPatch) -> Lookup:
    async def none(*_: object) -> dict[int, Any]:
        return {}

    for name in ("find_documents", "find_passages", "find_known_names"):
        monkeypatch.setattr(write, name, none)
    nothing = cast(Any, Nothing())
    return Lookup(cast(Database, nothing), nothing, nothing, nothing, (100, 10), lambda text: len(text) // 4)


def drafts(*texts: str) -> list[Draft]:
    return [draft(n, Document(text=text, key=f"{n}"), "default") for n, text in enumerate(texts)]


async def turns_meanwhile(lookup: Lookup, items: list[Draft]) -> int:
    """How often another task had its turn while texts were cut."""
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    await lookup.look_up(items, reindex=False)
    task.cancel()
    return turns


async def test_others_have_a_turn_between_documents(lookup: Lookup) -> None:
    assert await turns_meanwhile(lookup, drafts(*["One line."] * 20)) >= 20


async def test_others_have_turns_while_a_long_text_is_cut(lookup: Lookup) -> None:
    assert await turns_meanwhile(lookup, drafts("One line of a text.\n" * 10_000)) > 10


async def test_short_and_long_texts_are_cut_alike(lookup: Lookup) -> None:
    items = drafts("One line of a text.\n" * 100, "One line of a text.\n" * 10_000)
    await lookup.look_up(items, reindex=False)
    short, long = ([passage.chunk for passage in item.passages] for item in items)
    assert short[:2] == long[:2]
    assert len(short) < len(long)


async def test_of_many_known_names_the_most_frequent_are_offered(
    lookup: Lookup, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def all_known(_: object, wanted: write.Rows) -> dict[int, list[str]]:
        return {0: sorted(row["key"].title() for row in wanted)}

    monkeypatch.setattr(write, "find_known_names", all_known)
    text = "".join(f"A{n} met Zeta, " for n in range(100, 200))
    [(_, found)] = await lookup.look_up(drafts(text), reindex=False)
    assert found.known_names == ["Zeta", *(f"A{n}" for n in range(100, 159))]
