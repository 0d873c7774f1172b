"""The peer's own virtual environment, made once: it bears our package's name and cannot share ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PINNED = ("post-graph-rag==1.16.0", "aiohttp")


def peer_python(folder: Path) -> Path:
    """Make the environment in `folder` unless it is there already; returns its Python."""
    python, done = folder / "bin" / "python", folder / "installed.txt"
    wanted = "\n".join(PINNED)
    if not done.exists() or done.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", *PINNED], check=True)
        done.write_text(wanted)
    return python


def peer_environment() -> dict[str, str]:
    """Variables for the peer's process: without those that would let it import this library or find other models."""
    return {
        k: v for k, v in os.environ.items() if k != "PYTHONPATH" and not k.startswith(("POST_GRAPH_RAG_", "OPENAI_"))
    }
