"""The commands that forget ask first, and tell what is no more."""

from __future__ import annotations

import pytest

from tests.integration.admin.commands import run
from tests.integration.writing.support import Place, document

FACT = "Acme Corp acquired Birch Labs."


async def ask(place: Place, *words: str) -> tuple[int, str, str]:
    told = await run(place.dsn, *words, POST_GRAPH_RAG_REALM=place.realm)
    return told.exit_code, told.stdout, " ".join(told.stderr.split())


async def test_documents_are_deleted_and_what_they_held_is_counted(place: Place) -> None:
    await place.engine().index_documents([document("a.md", FACT), document("b.md", FACT)])
    code, told, _ = await ask(place, "documents", "delete", "a.md", "b.md", "--yes")
    assert code == 0
    assert told.endswith(": 1 passages, 2 entities and 1 relations hold no more\n")
    assert await place.relations() == set()


async def test_documents_are_erased_and_dead_rows_are_spoken_of(place: Place) -> None:
    await place.engine().index_documents([document("a.md", FACT), document("b.md", "Elm Oil hired Cora Doe.")])
    code, told, _ = await ask(place, "documents", "erase", "a.md", "--yes")
    first, second = told.splitlines()
    assert code == 0
    assert first.endswith(": 1 passages, 2 entities, 1 relations and 1 replies are no more")
    assert "--vacuum" in second
    code, told, _ = await ask(place, "documents", "erase", "b.md", "--yes", "--vacuum")
    assert (code, len(told.splitlines())) == (0, 1)


async def test_a_document_of_another_space_is_erased_by_naming_the_space(place: Place) -> None:
    await place.engine().index_document(document("a.md", FACT, space="other"))
    assert (await ask(place, "documents", "erase", "a.md", "--yes"))[0] == 1
    assert (await ask(place, "documents", "erase", "a.md", "--yes", "--space", "other"))[0] == 0


async def test_history_is_purged_from_a_mark_on(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a.md", FACT))
    await rag.delete_document("a.md")
    mark = await rag.watermark()
    code, told, _ = await ask(place, "realm", "purge", "--before", mark, "--yes")
    assert code == 0
    assert told.startswith(f"history is kept from {mark} on; ")
    assert "documents        1\npassages         1\nentities         2\nrelations        1\n" in told


@pytest.mark.parametrize(
    "words", [("documents", "delete", "a.md"), ("documents", "erase", "a.md"), ("realm", "purge", "--before", "2030")]
)
async def test_where_nobody_can_be_asked_nothing_is_forgotten_without_yes(place: Place, words: tuple[str, ...]) -> None:
    await place.engine().index_document(document("a.md", FACT))
    code, told, refused = await ask(place, *words)
    assert (code, told) == (1, "")
    assert "say --yes" in refused
    assert await place.relations() == {("acme corp", "acquired", "birch labs")}
