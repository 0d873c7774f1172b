"""One database for all tests of writing, a realm for each."""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.writing.support import Place
from tests.servers import fresh_database


@pytest.fixture(scope="session")
def writing_dsn(server_dsn: str, template_database: str) -> Iterator[str]:
    with fresh_database(server_dsn, f"pgr_{uuid.uuid4().hex[:12]}", template_database) as dsn:
        yield dsn


@pytest.fixture
async def place(writing_dsn: str) -> AsyncIterator[Place]:
    """A realm of the test's own, made by the first indexing; its engines are closed after the test."""
    made = Place(writing_dsn)
    yield made
    await made.close()


class Workers:
    """A process that runs plans, each in one of its own; see workers/forking.py."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.integration.writing.workers.forking"],
            cwd=Path(__file__).parents[3],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, plans: list[dict[str, Any]]) -> list[int]:
        """The exit codes of the plans' processes, which run side by side."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(plans) + "\n")
        self._process.stdin.flush()
        codes: list[int] = json.loads(self._process.stdout.readline())
        return codes

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    made = Workers()
    yield made
    made.close()
