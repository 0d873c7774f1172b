"""The README's twenty lines run as they stand, but for the database and the models."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def code() -> str:
    """The README's Python with the offline models in place of named ones; the DSN is left to the environment."""
    found = re.search(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    assert found is not None
    text, changed = re.subn(r"^ +(dsn|embedding_model)=.*\n", "", found[1], flags=re.M)
    text, chosen = re.subn(r"\bmodel=.*", "offline=True,", text)
    assert (changed, chosen) == (2, 1)
    return text


def test_the_code_in_the_readme_answers_across_both_documents(database: str) -> None:
    environment = {**os.environ, "POST_GRAPH_RAG_DSN": database}
    ran = subprocess.run([sys.executable, "-c", code()], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "founded in Bern" in ran.stdout
    assert {"[1] about.md", "[2] birch.md"} <= set(ran.stdout.splitlines())
