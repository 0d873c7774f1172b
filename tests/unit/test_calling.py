"""Functions of the caller's: whatever they raise is an outcome, and none is waited for that has ended."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from post_graph_rag.calling import tried


def exhausted() -> Any:
    return next(iter(()))


async def exhausted_later() -> Any:
    return next(iter(()))


@pytest.mark.parametrize("function", [exhausted, exhausted_later])
async def test_a_stop_iteration_is_an_outcome_and_no_wait_without_end(function: Any) -> None:
    async with asyncio.timeout(5):
        outcome = await tried(function)
    assert "StopIteration" in outcome.said
