"""What a user is told when a model cannot be had: what happened, what to do, and no secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

import openai

from post_graph_rag.errors import EmbeddingError, LLMError
from post_graph_rag.models.endpoint import Endpoint
from post_graph_rag.models.policy import SPENT, Outlook, exceeds_window, outlook

# Keys as providers write them, should an endpoint quote one that is not ours.
KEY_LIKE = re.compile(r"\b[spr]k-[\w*.-]{6,}|Bearer\s+\S+|\b(?:api[-_]?)?key=\S+", re.IGNORECASE)
# What is shorter is a placeholder for servers that want any key; to blot it out would blot out words.
SHORTEST_SECRET = 6
LONGEST_DETAIL = 300
# What helps against a request that is too long.
SHORTER = (
    "lower POST_GRAPH_RAG_CHUNK_TOKENS (passages), max_total_tokens (questions) or the role's limit of output tokens, "
    "say with POST_GRAPH_RAG_CONTEXT_WINDOW what the model holds, or name a model that holds more."
)
# What an endpoint answers because of one text. A server that says 500 would say it of other texts too.
ABOUT_TEXTS = frozenset({400, 413, 422})


@dataclass(frozen=True, slots=True)
class Failures:
    """Turns what a call ended with into a typed error.

    kind: LLMError or EmbeddingError. where: the endpoint without credentials.
    secrets: what no message may hold. deadline: seconds a call may take.
    url_setting, key_setting: the variables that say where the model is and with which key.
    """

    kind: type[LLMError] | type[EmbeddingError]
    model: str
    where: str
    secrets: tuple[str, ...]
    deadline: float
    url_setting: str
    key_setting: str

    @classmethod
    def at(
        cls, endpoint: Endpoint, kind: type[LLMError] | type[EmbeddingError], model: str, deadline: float
    ) -> Failures:
        """Those of a model at an endpoint."""
        settings = endpoint.url_setting, endpoint.key_setting
        return cls(kind, model, endpoint.where, endpoint.secrets, deadline, *settings)

    def give_up(self, error: Exception, partial: str = "", seconds: float | None = None) -> NoReturn:
        """Raise it. The cause is kept unless its text would show a secret in a traceback.

        partial: what a stream had sent before it broke. seconds: how long was waited, where not for the deadline.
        """
        told = self._what_happened(error, self.deadline if seconds is None else seconds)
        failure = self.kind(f"The model {self.model!r} at {self.where} {told}")
        if isinstance(failure, LLMError):
            failure.partial = partial
            failure.elsewhere = outlook(error) is not Outlook.STOP
        else:
            failure.outage = _is_outage(error)
        raise failure from None if self._shows_secret(error) else error

    def _what_happened(self, error: Exception, seconds: float) -> str:
        if isinstance(error, openai.APIStatusError):
            return self._by_status(error)
        if isinstance(error, openai.APIConnectionError):
            return f"cannot be reached, or broke off: check {self.url_setting} and the network."
        if isinstance(error, TimeoutError):
            return (
                f"did not answer within {round(seconds, 2):g} seconds: raise POST_GRAPH_RAG_DEADLINE or ask for less."
            )
        return f"gave an answer that cannot be used: {self._scrubbed(str(error))}"

    def _by_status(self, error: openai.APIStatusError) -> str:
        status = error.status_code
        if status in (401, 403):
            return f"refuses the key (HTTP {status}): check {self.key_setting}."
        if status == 404:
            return f"is not known there (HTTP 404): check the model's name and {self.url_setting}."
        if status == 429:
            return _about_limits(error)
        detail = self._scrubbed(_said(error))
        if exceeds_window(error):
            return f"cannot hold so long a request (HTTP {status}): {SHORTER} It says: {detail}"
        if status >= 500:
            return f"failed each time it was tried (HTTP {status}); try later. It says: {detail}"
        return f"refused the request (HTTP {status}). It says: {detail}"

    def _scrubbed(self, text: str) -> str:
        for secret in self._real_secrets():
            text = text.replace(secret, "***")
        return KEY_LIKE.sub("***", text)[:LONGEST_DETAIL]

    def _shows_secret(self, error: BaseException | None) -> bool:
        while error is not None:
            text = str(error)
            if KEY_LIKE.search(text) or any(secret in text for secret in self._real_secrets()):
                return True
            error = error.__cause__ or error.__context__
        return False

    def _real_secrets(self) -> list[str]:
        return [secret for secret in self.secrets if len(secret) >= SHORTEST_SECRET]


def _is_outage(error: Exception) -> bool:
    """Whether other texts would have met the same."""
    if isinstance(error, openai.APIStatusError):
        # Some servers fail with 500 over what is too long for them, and say so.
        return error.status_code not in ABOUT_TEXTS and not exceeds_window(error)
    return isinstance(error, openai.APIConnectionError | TimeoutError)


def _said(error: openai.APIStatusError) -> str:
    told = error.body.get("message") if isinstance(error.body, Mapping) else error.body
    return str(told or error.message)


def _about_limits(error: openai.APIStatusError) -> str:
    if error.code == SPENT:
        return "refuses because the account's quota is spent (HTTP 429): look at the account's billing."
    return (
        "limits calls (HTTP 429) for longer than the deadline: lower POST_GRAPH_RAG_CONCURRENCY or raise "
        "POST_GRAPH_RAG_DEADLINE."
    )
