"""Files become documents whatever their encoding; what is no text is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from post_graph_rag.errors import InputError
from post_graph_rag.records import ExtractionSchema, PredicateSpec
from post_graph_rag.serve.cli_text import read_document, read_schema


def written(folder: Path, content: bytes) -> Path:
    path = folder / "a.txt"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_text_is_read_in_each_encoding_that_says_what_it_is(tmp_path: Path, encoding: str) -> None:
    assert read_document(written(tmp_path, "Größe 実".encode(encoding))).text == "Größe 実"


def test_bytes_that_are_no_utf8_become_lone_surrogates_which_indexing_counts(tmp_path: Path) -> None:
    assert read_document(written(tmp_path, b"caf\xe9!")).text == "caf\udce9!"


def test_the_key_is_the_path_as_it_was_given(tmp_path: Path) -> None:
    path = written(tmp_path, b"x")
    assert read_document(path).source == str(path)


def test_a_file_has_no_title_so_that_its_passages_are_the_same_under_another_name(tmp_path: Path) -> None:
    assert read_document(written(tmp_path, b"x")).title is None


def test_a_file_with_nul_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a text file"):
        read_document(written(tmp_path, b"PK\0\0"))


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it is a folder: name the files in it"):
        read_document(tmp_path)


def test_a_schema_is_read_from_json(tmp_path: Path) -> None:
    said = b'{"entity_types": {"company": "a firm"}, "predicates": {"owns": {"single_per": "object"}}, "strict": true}'
    assert read_schema(written(tmp_path, said)) == ExtractionSchema(
        entity_types={"company": "a firm"}, predicates={"owns": PredicateSpec(single_per="object")}, strict=True
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [(b"{", "is no JSON"), (b"[]", r"a\.txt: ExtractionSchema cannot be made"), (b'{"types": {}}', "types is not")],
)
def test_what_is_no_schema_is_refused(tmp_path: Path, said: bytes, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_schema(written(tmp_path, said))
