"""Functions of the caller's, called without holding up the event loop, whatever they raise."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a function gave, or what it raised."""

    value: Any = None
    error: BaseException | None = None

    @property
    def said(self) -> str:
        """The error in words."""
        return f"{type(self.error).__name__}: {self.error}"[:500]


async def tried(function: Callable[..., Any], *args: Any) -> Outcome:
    """Call a function of the caller's: an async one in this event loop, any other in a thread.

    Whatever it raises is its outcome; only the end of this task itself is passed on.
    """
    # Gathered, so that no error is caught here that is not the function's own.
    ended: tuple[Any] = await asyncio.gather(_called(function, *args), return_exceptions=True)
    return Outcome(error=ended[0]) if isinstance(ended[0], BaseException) else Outcome(ended[0])


async def _called(function: Callable[..., Any], *args: Any) -> Any:
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004
        return await function(*args)
    given = await asyncio.to_thread(_ended, function, *args)
    return await given if inspect.isawaitable(given) else given


def _ended(function: Callable[..., Any], *args: Any) -> Any:
    """Call it in a thread that a StopIteration cannot leave: asyncio has no future for one, and would wait for ever.

    Source: PEP 479, which makes the same of one that leaves a generator.
    """
    try:
        return function(*args)
    except StopIteration as error:
        raise RuntimeError("StopIteration, as of next() where nothing is left") from error
