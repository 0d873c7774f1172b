"""Rows of many tasks in few writes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from post_graph_rag.errors import DatabaseError
from post_graph_rag.models.together import Together


class Table:
    """Takes a moment to write; refuses rows that begin with "bad"."""

    def __init__(self) -> None:
        self.writes: list[list[str]] = []

    async def write(self, rows: Sequence[str]) -> None:
        await asyncio.sleep(0.001)
        if any(row.startswith("bad") for row in rows):
            raise DatabaseError("refused")
        self.writes.append(list(rows))


async def test_what_comes_while_a_write_is_under_way_goes_in_the_next_one() -> None:
    table = Table()
    together = Together(table.write)
    await asyncio.gather(*[together.put(f"row {n}") for n in range(20)])
    assert len(table.writes) == 2


async def test_rows_are_written_before_their_put_returns() -> None:
    table = Table()
    together = Together(table.write)

    async def put(row: str) -> bool:
        await together.put(row)
        return any(row in rows for rows in table.writes)

    assert await asyncio.gather(*[put(f"row {n}") for n in range(5)]) == [True] * 5


async def test_a_row_that_is_refused_fails_alone() -> None:
    table = Table()
    together = Together(table.write)
    outcomes = await asyncio.gather(*[together.put(row) for row in ("a", "bad", "b")], return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [type(None), DatabaseError, type(None)]
    assert sorted(row for rows in table.writes for row in rows) == ["a", "b"]


async def test_a_put_that_is_cancelled_leaves_the_others_to_be_written() -> None:
    table = Table()
    together = Together(table.write)
    first, second = (asyncio.create_task(together.put(row)) for row in ("a", "b"))
    await asyncio.sleep(0)
    first.cancel()
    await second
    with pytest.raises(asyncio.CancelledError):
        await first
    assert "b" in table.writes[-1]
