"""Calls made for questions, on their way to the ledger: in the background, never in a reader's way."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeAlias

from post_graph_rag.errors import RAGError, ReadOnlyServer, RightMissing
from post_graph_rag.records import UsageBy
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.rights import check_may_write
from post_graph_rag.store.usage import Call, Spent, put_calls

PATIENCE = 1.0
"""Seconds for which calls are collected."""
MOST_WAITING = 10_000
"""Calls that wait; of more the oldest are only counted."""

Place: TypeAlias = "tuple[Database, Realm] | None"


class CallLog:
    """Writes what is noted, as well as may be: what cannot be written is counted here, see `unwritten`.

    place: the database and the realm, None while they are not open: nothing is opened for the ledger's sake.

    On the one connection of a caller's nothing is written in the background, since the caller may be using it: only by
    `flush`, within a call of theirs.
    """

    def __init__(self, place: Callable[[], Place]) -> None:
        self._place = place
        self._waiting: deque[Call] = deque()
        self._unwritten: dict[tuple[str, str, str], Spent] = {}
        self._refused: Realm | None = None
        self._granted: Realm | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def note(self, call: Call) -> None:
        """Have a call written soon; nothing is waited for."""
        self._waiting.append(call)
        if len(self._waiting) > MOST_WAITING:
            self._count(self._waiting.popleft())
        loop = asyncio.get_running_loop()
        if self._timer is None or self._loop is not loop:
            # A timer of a loop that has ended would never come.
            self._loop, self._timer = loop, loop.call_later(PATIENCE, self._begin)

    def unwritten(self, since: datetime, by: UsageBy) -> Iterator[Spent]:
        """What is only counted here, of each model apart; of the first day all of it."""
        for (role, day, model), spent in self._unwritten.items():
            if day >= since.astimezone(UTC).date().isoformat():
                yield replace(spent, of={"model": model, "role": role, "day": day}.get(by))

    async def flush(self) -> None:
        """Write what waits, if it can be written now."""
        if self._writing is not None and self._loop is asyncio.get_running_loop():
            await self._writing
        await self._write()

    async def close(self) -> None:
        """Write what waits where the connections are ours; for one of a caller's nothing is waited for."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        place = self._place()
        if place is not None and place[0].owned:
            await self.flush()
        elif self._writing is not None:
            self._writing.cancel()

    def _begin(self) -> None:
        self._timer = None
        if self._unhindered():
            self._writing = asyncio.get_running_loop().create_task(self._write())

    def _unhindered(self) -> bool:
        place = self._place()
        return place is not None and not place[0].one_connection

    async def _write(self) -> None:
        place = self._place()
        if not self._waiting or place is None:
            return
        calls = list(self._waiting)
        self._waiting.clear()
        if not await self._written(*place, calls):
            for call in calls:
                self._count(call)

    async def _written(self, database: Database, realm: Realm, calls: Sequence[Call]) -> bool:
        """Whether they were; a role that may not write is found out once."""
        if realm is self._refused:
            return False
        try:
            if realm is not self._granted:
                await check_may_write(database, realm)
                self._granted = realm
            await put_calls(database, realm, calls)
        except RAGError as error:
            if isinstance(error, RightMissing | ReadOnlyServer):
                self._refused = realm
            return False
        return True

    def _count(self, call: Call) -> None:
        key = (call.role, datetime.now(UTC).date().isoformat(), call.model)
        self._unwritten.setdefault(key, Spent(None, call.model)).add(call)
