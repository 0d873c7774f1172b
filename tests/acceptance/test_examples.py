"""The examples do what the documentation says they print."""

from __future__ import annotations

import re
import sys

import pytest

from tests.acceptance.places import ROOT, run
from tests.offline import needs_offline_models

pytestmark = needs_offline_models

SHOWN = re.compile(r"<!-- output of examples/(\S+) -->\n```\n(.*?)```", re.DOTALL)
PAGES = {
    example: printed
    for page in sorted((ROOT / "docs").glob("*.md"))
    for example, printed in SHOWN.findall(page.read_text(encoding="utf-8"))
}


@pytest.mark.parametrize("example", sorted(PAGES))
def test_an_example_prints_what_its_page_shows(example: str, database: str) -> None:
    ran = run([sys.executable, ROOT / "examples" / example], ROOT, {"POST_GRAPH_RAG_DSN": database})
    assert ran.stdout == PAGES[example]
    assert ran.returncode == 0


def test_the_worked_story_of_time_is_among_them() -> None:
    assert "02_time.py" in PAGES
