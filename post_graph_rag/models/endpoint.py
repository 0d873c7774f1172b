"""An OpenAI-compatible endpoint: one client per event loop, JSON in and out, retries left to the policy."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit
from weakref import WeakKeyDictionary

import aiohttp
import httpx2
import openai
from openai import AsyncOpenAI, AsyncStream, DefaultAioHttpClient
from pydantic import SecretStr
from pydantic_core import from_json

from post_graph_rag.clean import clean_text
from post_graph_rag.errors import ConfigurationError
from post_graph_rag.models.policy import BLAMING, ReplyError, exceeds_window

# Local servers want no key, but the SDK wants one to send.
NO_KEY = "none"
CONNECT_SECONDS = 10.0
BYTE_ORDER_MARK = "\ufeff"

# Fields that make a reply better or cheaper and that some servers refuse; without them it is still a reply.
OPTIONAL = ("response_format", "temperature", "max_tokens", "max_completion_tokens", "encoding_format")
# Status codes under which a server refuses a field that it names, besides those that blame the request.
LACKING = frozenset({500, 501})
# What else a field is called by servers that do not have it.
ALSO_CALLED = {"response_format": "json_schema"}
# Refused when the server does not say why, most likely first.
UNNAMED = ("response_format", "encoding_format")
# Newer names of fields, for servers that ask for them.
RENAMED = {"max_tokens": "max_completion_tokens"}

URL_SETTING = "POST_GRAPH_RAG_BASE_URL or OPENAI_BASE_URL"
KEY_SETTING = "POST_GRAPH_RAG_API_KEY or OPENAI_API_KEY"


class Events(AsyncStream[object]):
    """A stream that knows whether the endpoint said that it was done, or only fell silent."""

    said_done = False

    async def _iter_events(self) -> AsyncIterator[Any]:
        async for event in super()._iter_events():
            self.said_done = self.said_done or event.data.startswith("[DONE]")
            yield event


class Endpoint:
    """Where models are asked over HTTP.

    base_url: up to and with "/v1"; if None the SDK's own, which is OPENAI_BASE_URL or else OpenAI.
    api_key: may be None for servers that want none.
    url_setting, key_setting: the variables these come from, for messages.

    Raises ConfigurationError for a URL that is none and for a key that cannot be sent.

    Nothing is opened here: a client is made in the event loop that first asks, one for each loop that does.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: SecretStr | str | None = None,
        *,
        url_setting: str = URL_SETTING,
        key_setting: str = KEY_SETTING,
    ) -> None:
        self.url_setting, self.key_setting = url_setting, key_setting
        self._base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
        self._url = _parsed(self._base_url, url_setting)
        key = api_key.get_secret_value() if isinstance(api_key, SecretStr) else api_key or ""
        self._key = _sendable_key(key, key_setting)
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncOpenAI] = WeakKeyDictionary()
        self._refused: dict[tuple[str, str], str | None] = {}

    @property
    def where(self) -> str:
        """Host and port, for messages: a URL may hold a password, its host does not."""
        return self._url.netloc.rpartition("@")[2] or "OpenAI"

    @property
    def secrets(self) -> tuple[str, ...]:
        """The key and the URL's password, so that messages can be kept free of them."""
        return self._key, self._url.password or ""

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Send JSON, give back JSON; fields of OPTIONAL that it refuses for a model are left out or go by
        their newer name, then and later.

        Raises errors of the openai package, and ReplyError when the answer is no JSON.
        """
        return _decoded(await self._tolerant(path, dict(body), stream=False))

    async def open_stream(self, path: str, body: Mapping[str, Any]) -> Events:
        """The same for server-sent events; the caller closes what it gets."""
        stream: Events = await self._tolerant(path, {**body, "stream": True}, stream=True)
        return stream

    async def close(self) -> None:
        """Close the connections of this loop; those of loops that ended went with them."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def _tolerant(self, path: str, body: dict[str, Any], *, stream: bool) -> Any:
        model = str(body.get("model"))
        refused = {field: newer for (known, field), newer in self._refused.items() if known == model}
        body = _without(body, refused)
        try:
            return await self._send(path, body, stream=stream)
        except openai.APIStatusError as error:
            suspect = _suspect(error, body)
            if suspect is None:
                raise
            newer = _newer(error, suspect)
            reply = await self._tolerant(path, _without(body, {suspect: newer}), stream=stream)
        # Only now is it known that the field was to blame, and not the rest of this request.
        self._refused[(model, suspect)] = newer
        return reply

    async def _send(self, path: str, body: dict[str, Any], *, stream: bool) -> Any:
        client = self._client()
        with _readable():
            if stream:
                return await client.post(path, cast_to=object, body=body, stream=True, stream_cls=Events)
            return await client.post(path, cast_to=str, body=body)

    def _client(self) -> AsyncOpenAI:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = self._clients[loop] = AsyncOpenAI(
                base_url=_without_password(self._base_url, self._url),
                api_key=self._key or NO_KEY,
                max_retries=0,
                # The SDK's own wrapper tries, when it is collected, to close sockets of a loop that has ended.
                http_client=DefaultAioHttpClient(auth=_password(self._url)),
                # The policy's deadline ends a call; only an address that swallows packets is given up earlier.
                timeout=openai.Timeout(None, connect=CONNECT_SECONDS),
            )
        return client


@contextmanager
def _readable() -> Iterator[None]:
    """Raise ReplyError for an answer that is no HTTP, or no text: the SDK lets these errors through as they are."""
    try:
        yield
    except (aiohttp.ClientError, UnicodeError) as error:
        raise ReplyError("it is not HTTP with text; does POST_GRAPH_RAG_BASE_URL name a model server?") from error


def _parsed(base_url: str | None, setting: str) -> SplitResult:
    with suppress(ValueError, httpx2.InvalidURL):
        url = urlsplit(base_url or "")
        httpx2.URL(base_url or "")
        if base_url is None or (url.scheme in ("http", "https") and url.hostname and url.port != 0):
            return url
    # The URL itself may hold a password, so it is not quoted.
    raise ConfigurationError(f"The models' URL must be like http://host:port/v1: correct {setting}.")


def _sendable_key(key: str, setting: str) -> str:
    if key.isascii() and key.isprintable() and key == key.strip():
        return key
    raise ConfigurationError(f"The models' key holds blanks, line ends or characters beyond ASCII: correct {setting}.")


def _without_password(base_url: str | None, url: SplitResult) -> str | None:
    """The URL as it may stand in the client's log."""
    return url._replace(netloc=url.netloc.rpartition("@")[2]).geturl() if "@" in url.netloc else base_url


def _password(url: SplitResult) -> tuple[str, str] | None:
    return (unquote(url.username or ""), unquote(url.password or "")) if "@" in url.netloc else None


def sendable(text: str) -> str:
    """Text that UTF-8 can carry."""
    return text if text.isascii() else clean_text(text)[0]


def _without(body: Mapping[str, Any], refused: Mapping[str, str | None]) -> dict[str, Any]:
    """The body with refused fields under their newer name, or left out where they have none."""
    named = ((refused.get(field, field), value) for field, value in body.items())
    return {field: value for field, value in named if field is not None}


def _newer(error: openai.APIStatusError, field: str) -> str | None:
    newer = RENAMED.get(field)
    return newer if newer is not None and newer in error.message else None


def _suspect(error: openai.APIStatusError, body: Mapping[str, Any]) -> str | None:
    if error.status_code not in BLAMING | LACKING or exceeds_window(error):
        return None
    told = f"{error.param or ''} {error.message}".lower()
    blamed = error.status_code in BLAMING
    named = (f for f in (OPTIONAL if blamed else UNNAMED) if f in told or ALSO_CALLED.get(f, f) in told)
    likely = UNNAMED if blamed else ()
    return next((field for field in (*named, *likely) if field in body), None)


def _decoded(text: str) -> Any:
    try:
        return from_json(text.removeprefix(BYTE_ORDER_MARK))
    except ValueError:
        return _decoded_tolerantly(text)


def _decoded_tolerantly(text: str) -> Any:
    """The standard library takes lone surrogates, which models produce when they stop inside an emoji."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        raise ReplyError("it is not JSON; does POST_GRAPH_RAG_BASE_URL end in /v1?") from error
