"""docs/retrieval.md tells every parameter of a question with its default, and every mode and channel."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from post_graph_rag.records import Channel, Mode, QueryParam

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "retrieval.md").read_text(encoding="utf-8")


def rows(heading: str) -> dict[str, str]:
    """What the second column of a section's table says of each thing that the first one names."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = [line.split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return {name: second.strip() for first, second, *_ in cells for name in re.findall(r"`(\w+)`", first)}


def shown(default: object) -> str:
    return "`{}`".format('"' + default + '"' if isinstance(default, str) else default)


def test_each_parameter_stands_with_its_default() -> None:
    defaults = {
        name: shown(field.get_default(call_default_factory=True)) for name, field in QueryParam.model_fields.items()
    }
    assert rows("Parameters") == defaults


def test_each_channel_is_told() -> None:
    assert set(rows("Channels")) == set(get_args(Channel))


def test_each_mode_is_told() -> None:
    assert set(rows("Modes")) == {*get_args(Mode)}
