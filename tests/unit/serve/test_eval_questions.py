"""Files of questions whose answers are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from post_graph_rag.errors import InputError
from post_graph_rag.records import EvalQuestion
from post_graph_rag.serve.cli_eval import read_questions


def test_a_line_is_a_question(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text('\ufeff{"question": "a\u2028b?", "documents": "x.md"}\n\n{"question": "c?", "answers": ["y"]}\r\n')
    assert read_questions(file) == [
        EvalQuestion(question="a\u2028b?", documents=("x.md",)),
        EvalQuestion(question="c?", answers=("y",)),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"question": "a?"}\nnot json', "line 2 is no JSON"),
        ('{"questoin": "a?"}', "line 1: EvalQuestion cannot be made: question"),
        ('{"question": 7}', "line 1"),
        ("[]", "line 1"),
        ("[" * 100_000, "line 1"),
        ("\n \n", "no question"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(text)
    with pytest.raises(InputError, match=said):
        read_questions(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl cannot be read"):
        read_questions(tmp_path / "none.jsonl")


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    file = tmp_path / "q.bin"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        read_questions(file)
