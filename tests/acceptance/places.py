"""Where the acceptance tests find the checkout, and how they run a program the way a user would."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUICKSTART = ROOT / "examples" / "01_quickstart.py"
DATA = ROOT / "examples" / "data"
# What a person's shell would hold of ours and of the model's is left out: a test says itself what is set.
OURS = ("OPENAI_", "POST_GRAPH_RAG_", "PYTHON", "VIRTUAL_ENV")


def run(
    command: Sequence[str | Path], cwd: Path, settings: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run to the end with no settings but those given; output and errors in one text."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return subprocess.run(
        command,
        cwd=cwd,
        env={**kept, **(settings or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
