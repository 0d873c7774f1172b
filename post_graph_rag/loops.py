"""What an object of ours needs of asyncio when several event loops use it, one after the other."""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary


class LoopLock:
    """A lock in each event loop; none is made before it is asked for."""

    def __init__(self) -> None:
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    def here(self) -> asyncio.Lock:
        """The running loop's."""
        return self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())
