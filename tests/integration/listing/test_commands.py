"""The commands that show what is there and what changed."""

from __future__ import annotations

import json
from typing import Any

from tests.integration.admin.commands import run
from tests.integration.writing.support import Place, document

FACT = "Acme Corp acquired Birch Labs."


async def ask(place: Place, *words: str) -> tuple[int, str]:
    told = await run(place.dsn, *words, POST_GRAPH_RAG_REALM=place.realm)
    return told.exit_code, told.stdout


async def fill(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a.md", FACT, title="A"))
    await rag.index_document(document("b.md", "Acme also known as Acme Corp hired Dora."))


async def test_documents_are_listed_with_where_to_go_on(place: Place) -> None:
    await fill(place)
    code, told = await ask(place, "documents", "list", "--limit", "1")
    first, more = told.splitlines()
    assert (code, first) == (0, "a.md: 1 passages")
    after = more.removeprefix("there are more: --after ")
    assert await ask(place, "documents", "list", "--after", after) == (0, "b.md: 1 passages\n")


async def test_a_document_is_shown_with_its_text_when_asked(place: Place) -> None:
    await fill(place)
    code, told = await ask(place, "documents", "show", "a.md", "--text")
    assert code == 0
    assert "title      A\n" in told
    assert "entities   2, 1 of them in no other document" in told
    assert told.endswith(f"[0] characters 0 to 30\n{FACT}\n")


async def test_a_document_that_is_not_there_is_one_line_and_an_exit_code(place: Place) -> None:
    await fill(place)
    told = await run(place.dsn, "documents", "show", "c.md", POST_GRAPH_RAG_REALM=place.realm)
    assert (told.exit_code, told.stdout) == (1, "")
    assert "holds no document 'c.md'" in told.stderr


async def test_changes_are_listed_with_the_mark_to_go_on_from(place: Place) -> None:
    await fill(place)
    code, told = await ask(place, "changes", "--kinds", "document", "--limit", "1")
    line, mark = told.splitlines()
    assert (code, line.split(" ", 1)[1], mark.endswith(" (there is more)")) == (0, "document 1 new: a.md", True)
    _, told = await ask(place, "changes", "--kinds", "document, entity", "--since", mark.split()[1])
    texts = [row.split(": ")[-1] for row in told.splitlines()[:-1]]
    assert texts == ["Acme Corp", "Birch Labs", "b.md", "Acme Corp", "Acme", "Dora"]


async def test_changes_are_printed_as_json(place: Place) -> None:
    await fill(place)
    code, told = await ask(place, "changes", "--json")
    page: dict[str, Any] = json.loads(told)
    assert (code, page["more"], page["mark"]) == (0, False, page["watermark"])
    assert page["items"][0] | {"at": ""} == {
        "kind": "document",
        "change": "new",
        "id": 1,
        "at": "",
        "space": "default",
        "text": "a.md",
        "other": None,
        "closed_by": [],
    }


async def test_an_unreadable_mark_is_one_line_and_an_exit_code(place: Place) -> None:
    await fill(place)
    told = await run(place.dsn, "changes", "--since", "yesterday", POST_GRAPH_RAG_REALM=place.realm)
    assert (told.exit_code, told.stdout) == (1, "")
    assert "is no mark" in told.stderr


async def test_an_entity_is_shown_by_name_and_by_id(place: Place) -> None:
    await fill(place)
    code, told = await ask(place, "entity", "show", "acme corp")
    lines = told.splitlines()
    assert code == 0
    assert lines[0].endswith(" Acme (Thing)")
    assert "names      Acme, Acme Corp" in lines
    assert lines[-2:] == ["relations  2", "passages   2"]
    assert await ask(place, "entity", "show", "--id", lines[0].split()[0]) == (0, told)


async def test_a_word_in_place_of_an_id_is_refused(place: Place) -> None:
    await fill(place)
    assert await ask(place, "entity", "show", "--id", "acme") == (1, "")
