"""Rows that many tasks want written, put together while an earlier write is still under way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from post_graph_rag.errors import RAGError

Row = TypeVar("Row")


class Together(Generic[Row]):
    """One write at a time, of all that waits then: a task alone waits for nobody, and many cost few writes.

    write: writes rows in the order given, all or none of them.
    """

    def __init__(self, write: Callable[[Sequence[Row]], Awaitable[None]]) -> None:
        self._write = write
        self._waiting: dict[object, Row] = {}
        self._turn = asyncio.Lock()

    async def put(self, row: Row) -> None:
        """Have a row written, and return when it is. Raises what the database said to this row alone."""
        mine = object()
        self._waiting[mine] = row
        try:
            async with self._turn:
                if mine in self._waiting:
                    await self._write_with(mine)
        finally:
            self._waiting.pop(mine, None)

    async def _write_with(self, mine: object) -> None:
        rows = dict(self._waiting)
        try:
            await self._write(list(rows.values()))
        except RAGError:
            if len(rows) == 1:
                raise
            # Perhaps for the sake of another one: each is then written by whoever waits for it.
            await self._write([rows[mine]])
            rows = {mine: rows[mine]}
        for written in rows:
            self._waiting.pop(written, None)
