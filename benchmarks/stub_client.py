"""Start the stub in a process of its own and talk to its control routes. Standard library only."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 20.0


def control(url: str, path: str, data: dict[str, Any] | None = None) -> dict[str, Any]:
    """GET a control route of the stub, or POST when `data` is given; returns the JSON reply."""
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(url + path, data=body, headers={"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as reply:
        result: dict[str, Any] = json.load(reply)
    return result


def free_port() -> int:
    """A port that nothing listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def running_stub(dim: int = 256) -> Iterator[str]:
    """Run the stub server while the block lasts; gives its URL without /v1."""
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.stub_server", "--port", str(port), "--dim", str(dim)]
    process = subprocess.Popen(command, cwd=ROOT)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(url, process)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=10)


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"the stub server ended at once with code {process.returncode}")
        try:
            control(url, "/stats")
        except urllib.error.URLError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"the stub server did not answer within {START_SECONDS:.0f} s")
