"""One policy for calls that fail: what is tried again, how long is waited between, and when it ends."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum
from functools import partial
from typing import TypeVar

import openai
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_before_delay, wait_random_exponential

T = TypeVar("T")

# Status codes behind which the same request may succeed later; 501 and 505 are statements about the server.
HEALING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
# Status codes that blame the request itself; whoever gets it next would say the same.
BLAMING = frozenset({400, 422})
# A limit that waiting does not lift.
SPENT = "insufficient_quota"
# How servers say that a request is longer than the model can hold, and under which status codes.
WINDOW = re.compile(
    r"context[_ ](?:length|window|size)|maximum context|(?:prompt|input) is too long|too many (?:input )?tokens", re.I
)
ABOUT_WINDOW = frozenset({400, 413, 422, 500})
# How servers say that they have no such model, where they do not say 404.
NO_SUCH_MODEL = frozenset({"model_not_found", "invalid_model", "unknown_model", "model_not_supported"})


class Outlook(Enum):
    """What can be done about an error."""

    AGAIN = "the same call may succeed later"
    NEXT = "another model may answer"
    STOP = "no model would answer this request"


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
    deadline: seconds of wall clock for the whole, waits and fallbacks included; at its end the call under way is
        cancelled.
    """

    attempts: int = 4
    first_wait: float = 0.5
    longest_wait: float = 20.0
    deadline: float = 120.0

    async def run(self, call: Callable[[], Awaitable[T]], seconds: float | None = None) -> T:
        """Call until it succeeds, for so many seconds, or else until the deadline.

        Raises the last error as it was, or TimeoutError when the time is over.
        """
        seconds = self.deadline if seconds is None else seconds
        retrying = AsyncRetrying(
            retry=retry_if_exception(heals),
            wait=self._wait,
            stop=partial(self._is_enough, seconds),
            reraise=True,
            sleep=asyncio.sleep,
        )
        async with asyncio.timeout(seconds):
            return await retrying(call)

    def _wait(self, state: RetryCallState) -> float:
        backoff = wait_random_exponential(multiplier=self.first_wait, max=self.longest_wait)(state)
        asked = retry_after(_error(state))
        # "At once" is no advice that a busy endpoint can mean.
        if asked is None or asked < self.first_wait:
            return max(asked or 0.0, backoff)
        # The jitter on top keeps callers that were turned away together from coming back together.
        return asked + min(backoff, asked / 4)

    def _is_enough(self, seconds: float, state: RetryCallState) -> bool:
        tried = state.attempt_number >= self.attempts and not isinstance(_error(state), openai.RateLimitError)
        return tried or stop_before_delay(seconds)(state)


class Patience:
    """Seconds left for waiting on models that are asked in turn; only what is spent inside `waiting` counts."""

    def __init__(self, seconds: float, models: int = 1) -> None:
        self._left = seconds
        self._models = models

    @property
    def share(self) -> float:
        """Seconds for the model whose turn it is: one that hangs must leave the others time to answer."""
        return self._left / self._models

    def next_model(self) -> None:
        """The turn of this model is over."""
        self._models = max(1, self._models - 1)

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
    return outlook(error) is Outlook.AGAIN


def outlook(error: BaseException) -> Outlook:
    """What can be done about an error that a call ended with."""
    if isinstance(error, openai.APIStatusError):
        return _by_status(error)
    if isinstance(error, TimeoutError):
        return Outlook.NEXT
    # Besides what is broken off or nonsense, APIError is what a stream says instead of its first piece.
    return Outlook.AGAIN if isinstance(error, openai.APIError | ReplyError) else Outlook.STOP


def exceeds_window(error: BaseException) -> bool:
    """Whether the endpoint says that the request is longer than the model can hold."""
    if not isinstance(error, openai.APIStatusError) or error.status_code not in ABOUT_WINDOW:
        return False
    return bool(WINDOW.search(f"{error.code or ''} {error.message}"))


def _by_status(error: openai.APIStatusError) -> Outlook:
    if exceeds_window(error):
        return Outlook.NEXT
    if error.status_code in HEALING and error.code != SPENT:
        return Outlook.AGAIN
    about_model = error.param == "model" or error.code in NO_SUCH_MODEL
    return Outlook.STOP if error.status_code in BLAMING and not about_model else Outlook.NEXT


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
    except (ValueError, OverflowError):  # no date, or one of a year that no clock reaches
        return None


def _error(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None
