"""Places whose record is looked at, without a graph beside it, and the writing processes of the tests of writing."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.integration.writing.conftest import workers, writing_dsn
from tests.integration.writing.support import Place

__all__ = ["place", "workers", "writing_dsn"]


@pytest.fixture
async def place(writing_dsn: str) -> AsyncIterator[Place]:
    """A realm of the test's own, made by the first indexing."""
    made = Place(writing_dsn, graph="none")
    yield made
    await made.close()
