"""A model server that fails as told, for the tests of the clients."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from aiohttp.test_utils import TestServer

from tests.faults import FaultServer


@pytest.fixture
async def server() -> AsyncIterator[FaultServer]:
    faulty = FaultServer()
    async with TestServer(faulty.app()) as running:
        faulty.base_url = str(running.make_url("/v1"))
        yield faulty
        for client in faulty.clients:
            await client.close()
