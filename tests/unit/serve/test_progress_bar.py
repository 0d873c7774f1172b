"""While files are indexed a terminal shows a bar; where nobody looks, nothing is printed."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from post_graph_rag.records import Progress
from post_graph_rag.serve import cli_text


@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_shows_how_far_indexing_is(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=terminal, width=100, color_system=None, _environ={})
    monkeypatch.setattr(cli_text, "notes", console)
    with cli_text._progress() as tell:
        tell(Progress(stage="staged", document="a", done=0, total=8))
        tell(Progress(stage="extracted", document="a", done=2, total=8))
    shown = screen.getvalue()
    assert ("extracted" in shown, "25%" in shown) == (terminal, terminal)
    assert shown == "" or terminal
