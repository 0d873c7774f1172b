"""One database for all tests of writing, a realm for each."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator

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
