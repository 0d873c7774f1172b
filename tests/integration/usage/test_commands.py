"""The commands that tell what models took, and what they would take."""

from __future__ import annotations

from pathlib import Path

from tests.integration.admin.commands import run
from tests.integration.writing.support import Place, document


async def ask(place: Place, *words: str, **variables: str) -> tuple[int, str, str]:
    told = await run(place.dsn, *words, POST_GRAPH_RAG_REALM=place.realm, **variables)
    return told.exit_code, told.stdout, " ".join(told.stderr.split())


async def test_usage_is_told_by_model_with_its_cost(place: Place) -> None:
    await place.engine().index_document(document("a", "Acme hired Cora Doe."))
    code, told, _ = await ask(place, "usage", POST_GRAPH_RAG_PRICES='{"scripted": [1, 2]}')
    lines = {line.split(":")[0]: line for line in told.splitlines()}
    assert (code, set(lines)) == (0, {"scripted", "scripted-embedding"})
    assert ", cost 0.0" in lines["scripted"]
    assert "cost" not in lines["scripted-embedding"]


async def test_usage_is_told_by_document_since_a_date(place: Place) -> None:
    await place.engine().index_document(document("a", "Acme hired Cora Doe."))
    assert "a: 1 calls" in (await ask(place, "usage", "--by", "document", "--since", "2020"))[1]
    assert (await ask(place, "usage", "--since", "2999"))[1] == "no calls\n"


async def test_usage_by_something_else_is_refused(place: Place) -> None:
    await place.engine().index_document(document("a", "Acme hired Cora Doe."))
    code, _, error = await ask(place, "usage", "--by", "colour")
    assert code == 1
    assert "by model, role, day, document" in error


async def test_an_estimate_is_told_for_a_realm_that_is_not_there(place: Place, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("Acme hired Cora Doe.")
    code, told, error = await ask(place, "index", "--estimate", str(file), "--offline")
    assert (code, error) == (0, "")
    assert told.splitlines()[:2] == [
        "documents         1, 0 of them unchanged",
        "passages          1, 0 of them unchanged",
    ]
    assert (await ask(place, "usage"))[0] == 1


async def test_an_estimate_needs_files(place: Place) -> None:
    code, _, error = await ask(place, "index", "--estimate")
    assert code == 1
    assert "--estimate need files" in error


async def test_a_schema_and_an_open_gate_of_the_command_line_shape_what_is_asked_and_kept(
    place: Place, tmp_path: Path
) -> None:
    file, schema = tmp_path / "a.md", tmp_path / "schema.json"
    file.write_text("Acme hired Cora Doe.")
    schema.write_text('{"entity_types": {"company": "a firm that makes or sells something"}}')
    plain = (await ask(place, "index", "--estimate", str(file), "--offline"))[1]
    code, told, error = await ask(place, "index", "--estimate", str(file), "--offline", "--schema", str(schema))
    assert (code, error, told == plain) == (0, "", False)
    code, _, error = await ask(place, "index", str(file), "--offline", "--open-gate", "none")
    assert code == 1
    assert "pronoun" in error
