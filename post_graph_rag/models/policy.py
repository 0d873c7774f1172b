"""One policy for calls that fail: what is tried again, how long is waited between, and when it ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TypeVar

import openai
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_before_delay, wait_random_exponential

T = TypeVar("T")

# Status codes behind which the same request may succeed later; 501 and 505 are statements about the server.
HEALING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
# A limit that waiting does not lift.
SPENT = "insufficient_quota"


class ReplyError(Exception):
    """The endpoint answered, but not with what was asked for."""


# All that a call through the SDK can end with, besides the errors of this library.
FAILURES = (openai.OpenAIError, ReplyError, TimeoutError)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How a call to a model is tried.

    attempts: calls at most, unless the endpoint only asks to slow down (429): then the deadline alone ends it.
    first_wait, longest_wait: seconds; waits are random up to a bound that doubles from the first to the longest.
        Source: Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015 (full jitter).
        A Retry-After of the endpoint is never undercut.
    deadline: seconds of wall clock for the whole, waits included; at its end the call under way is cancelled.
    """

    attempts: int = 4
    first_wait: float = 0.5
    longest_wait: float = 20.0
    deadline: float = 120.0

    async def run(self, call: Callable[[], Awaitable[T]]) -> T:
        """Call until it succeeds. Raises the last error as it was, or TimeoutError at the deadline."""
        retrying = AsyncRetrying(
            retry=retry_if_exception(heals), wait=self._wait, stop=self._is_enough, reraise=True, sleep=asyncio.sleep
        )
        async with asyncio.timeout(self.deadline):
            return await retrying(call)

    def _wait(self, state: RetryCallState) -> float:
        backoff = wait_random_exponential(multiplier=self.first_wait, max=self.longest_wait)(state)
        asked = retry_after(_error(state))
        # The jitter on top keeps callers that were turned away together from coming back together.
        return backoff if asked is None else asked + min(backoff, asked / 4)

    def _is_enough(self, state: RetryCallState) -> bool:
        tried = state.attempt_number >= self.attempts and not isinstance(_error(state), openai.RateLimitError)
        return tried or stop_before_delay(self.deadline)(state)


class Patience:
    """Seconds left for waiting on a model; only what is spent inside `waiting` counts."""

    def __init__(self, seconds: float) -> None:
        self._left = seconds

    @asynccontextmanager
    async def waiting(self) -> AsyncIterator[None]:
        """Raises TimeoutError when nothing is left."""
        started = time.monotonic()
        try:
            async with asyncio.timeout(self._left):
                yield
        finally:
            self._left = max(0.0, self._left - (time.monotonic() - started))


def heals(error: BaseException) -> bool:
    """Whether the same call may succeed later."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code in HEALING and error.code != SPENT
    return isinstance(error, openai.APIConnectionError | ReplyError)


def retry_after(error: BaseException | None) -> float | None:
    """Seconds the endpoint asks to wait, from its headers; None when it does not say."""
    if not isinstance(error, openai.APIStatusError):
        return None
    headers = error.response.headers
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after")
    seconds = _number(asked)
    return seconds if seconds is not None else _until(asked)


def _number(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None


def _until(date: str | None) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time()) if date else None
    except ValueError:
        return None


def _error(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None
