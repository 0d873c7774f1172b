"""Which references a text cites."""

from __future__ import annotations

import pytest

from post_graph_rag.records import Reference
from post_graph_rag.retrieve.answer import cited

REFERENCES = tuple(Reference(number=number, passage=10 * number, document=f"doc-{number}") for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Ada [1].", [1]),
        ("Ada [3][1].", [1, 3]),
        ("Ada [1, 3] and [2;3].", [1, 2, 3]),
        ("Ada [1] and again [1].", [1]),
        ("Ada [4] [99] [0].", []),
        ("Ada [12345].", []),
        ("Ada, a[i], [see], [ ].", []),
        ("", []),
    ],
)
def test_only_references_that_exist_are_cited_once_and_by_number(text: str, numbers: list[int]) -> None:
    assert [reference.number for reference in cited(text, REFERENCES)] == numbers
