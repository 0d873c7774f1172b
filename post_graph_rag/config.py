"""Settings: from arguments, then POST_GRAPH_RAG_* variables, then OPENAI_BASE_URL and OPENAI_API_KEY."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, Self, get_args

from pydantic import AliasChoices, Field, ModelWrapValidatorHandler, SecretStr, ValidationError, model_validator
from pydantic_settings import SettingsConfigDict

from post_graph_rag.errors import ConfigurationError
from post_graph_rag.given import reasons
from post_graph_rag.prices import Prices
from post_graph_rag.role_settings import (
    NEVER_GENERAL,
    VARIABLE_PREFIX,
    Count,
    Names,
    Prefix,
    RoleFields,
    RoleName,
    RoleSettings,
    Temperature,
    owners,
    variable,
)

# General settings that are called otherwise than a role's own.
GENERAL = {"max_tokens": "max_output_tokens"}


def default_home() -> Path:
    """Folder of embedded data and caches; as root it must be a place that the server's user can read."""
    if os.geteuid() == 0:
        return Path("/var/lib/post_graph_rag")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "post_graph_rag"


class Settings(RoleFields):
    """Everything a user would turn. An argument wins over its variable, the variable over the default.

    dsn: where the database is; none and embedded=True: the server in `post_graph_rag.embedded`.
    realm: hard wall, a schema of its own; space: soft grouping inside it.
    embedded, offline: ask in words for the local server and for the offline models; nothing is chosen silently.
    graph: "age" keeps the Apache AGE picture, "none" works on a server without it.
    model, base_url, api_key, temperature, max_output_tokens, concurrency, fallbacks, context_window: the language model
        and its OpenAI-compatible endpoint. Each role (extraction, community, auxiliary, synthesis) may have its own:
        `extraction_model`, `extraction_base_url`, `extraction_max_tokens`, …, see RoleSettings; community takes what
        it does not have from auxiliary first. embedding has model, base URL, key and concurrency, and no fallbacks.
    embedding_dimensions: width to ask for; None: what the model gives, learnt by one probe.
    embedding_query_prefix, embedding_passage_prefix: what the model wants before a question and before a passage; a new
        realm is made with them, and they must be those of one that is there. None: what the realm was made with.
    chunk_tokens, chunk_overlap: size of a passage and how much of its end the next one repeats, in tokens.
    gleaning_passes: how often the extractor is asked again for what it missed.
    concurrency: model calls of one role under way at once; pool_size: database connections at most.
    deadline: seconds one model call may take, retries and fallbacks included; attempts: calls of one model at most.
    home: folder of the embedded server's data and caches; server_dir: a server's own bin folder, instead of a search.
    keep_running: the embedded server stays when its last user leaves.
    optimize: after a call that wrote much, an owner refreshes statistics and builds vector indexes where they pay.
    quote_evidence: ask the extractor for the words that state each relation, which `get_relation` then shows in their
        place; about a fifth more tokens of each reply.
    judge_contradictions: after indexing, ask the auxiliary model which of the new facts cannot hold beside others about
        the same subject or object; each fact costs at most one call, beside at most 20 others.
    resolve: which entities are one: "exact", by keys and aliases; "similar", also names that differ in spelling
        only, by merges that can be undone; "model", also what the auxiliary model says of those in doubt, a call each.
    prices: of models by name, of a million tokens: (prompts, replies, cached prompts); the variable holds JSON.
    budget_tokens, budget_cost: what one indexing call may take; when it is reached no further model call begins.
    reply_store_days, reply_store_mb: how long replies and vectors are stored, and how many MB of them, the newest;
        those of the last day stay whatever they take. Pruned at the end of a call that wrote much, and by `optimize`.
    ledger_days: how long the lines are kept that `usage` counts; pruned at the same times.
    create: make the realm when it does not exist at `initialize()`; indexing makes it anyway.

    Raises ConfigurationError, which names each setting that cannot be used and why, never its value.
    """

    model_config = SettingsConfigDict(
        env_prefix=VARIABLE_PREFIX,
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        env_ignore_empty=True,
        # a password under a misspelt name would stand in the message
        hide_input_in_errors=True,
    )

    dsn: SecretStr | None = Field(default=None, min_length=1)
    realm: str = "default"
    space: str = "default"
    embedded: bool = False
    offline: bool = False
    graph: Literal["age", "none"] = "age"
    create: bool = False
    optimize: bool = True
    judge_contradictions: bool = False
    resolve: Literal["exact", "similar", "model"] = "similar"

    model: str | None = None
    embedding_dimensions: int | None = Field(default=None, ge=1)
    embedding_query_prefix: Prefix = None
    embedding_passage_prefix: Prefix = None
    base_url: str | None = Field(
        default=None,
        repr=False,
        validation_alias=AliasChoices("POST_GRAPH_RAG_BASE_URL", "OPENAI_BASE_URL"),
    )
    api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("POST_GRAPH_RAG_API_KEY", "OPENAI_API_KEY")
    )
    temperature: Temperature = None
    max_output_tokens: Count = None
    concurrency: int = Field(default=8, ge=1)
    fallbacks: Names = None
    context_window: Count = None
    deadline: float = Field(default=120.0, gt=0)
    attempts: int = Field(default=4, ge=1)

    chunk_tokens: int = Field(default=400, ge=20)
    chunk_overlap: int = Field(default=0, ge=0)
    gleaning_passes: int = Field(default=1, ge=0, le=5)
    quote_evidence: bool = False

    prices: Prices = Field(default_factory=dict)
    budget_tokens: int | None = Field(default=None, ge=1)
    budget_cost: float | None = Field(default=None, gt=0)
    reply_store_days: float = Field(default=365, ge=1, le=1_000_000)
    reply_store_mb: int = Field(default=2048, ge=0)
    ledger_days: float = Field(default=1_095, ge=1, le=1_000_000)

    pool_size: int = Field(default=8, ge=1)
    statement_cache_size: int = Field(default=200, ge=0)
    home: Path = Field(default_factory=default_home)
    server_dir: Path | None = None
    keep_running: bool = False

    @model_validator(mode="wrap")
    @classmethod
    def _refuse_by_name(cls, given: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            made = handler(given)
        except ValidationError as error:
            raise ConfigurationError(f"settings cannot be used: {reasons(error, cls)}{_variables(error)}") from error
        if made.chunk_overlap >= made.chunk_tokens:
            raise ConfigurationError("settings cannot be used: chunk_overlap must be smaller than chunk_tokens")
        return made

    def role(self, role: RoleName) -> RoleSettings:
        """What holds for a role: its own settings, and the general ones where it has none."""
        held = {field.name: self._held(role, field.name) for field in fields(RoleSettings)}
        return RoleSettings(**{name: value for name, value in held.items() if value is not None})

    def source(self, role: RoleName, field: str) -> str:
        """The variable that says what `field` of a role is, for messages."""
        own = self._own(role, field)
        return variable(own or GENERAL.get(field, field))

    @property
    def says_of_models(self) -> bool:
        """Whether a model, an endpoint or a key is named, in general or for a role."""
        owning = ("", *(f"{role}_" for role in get_args(RoleName)))
        named = (f"{owner}{field}" for owner in owning for field in ("model", "base_url", "api_key"))
        return any(getattr(self, name) is not None for name in named)

    def _held(self, role: RoleName, field: str) -> Any:
        own = self._own(role, field)
        if own is None and (role, field) in NEVER_GENERAL:
            return None
        return getattr(self, own or GENERAL.get(field, field))

    def _own(self, role: RoleName, field: str) -> str | None:
        """The setting of the role, or of one it takes from, that says what `field` is."""
        names = (f"{owner}_{field}" for owner in owners(role))
        return next((name for name in names if getattr(self, name, None) is not None), None)


def _variables(error: ValidationError) -> str:
    """The variables of the settings that are refused; those that are none have no variable."""
    known = {str(part["loc"][0]) for part in error.errors() if part["loc"] and part["type"] != "extra_forbidden"}
    named = sorted(name if name.isupper() else variable(name) for name in known)
    return f" (set by argument, or by {', '.join(named)})" if named else ""
