"""Settings: from arguments, then POST_GRAPH_RAG_* variables, then OPENAI_BASE_URL and OPENAI_API_KEY."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import AliasChoices, Field, ModelWrapValidatorHandler, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from post_graph_rag.errors import ConfigurationError
from post_graph_rag.given import reasons


def default_home() -> Path:
    """Folder of embedded data and caches; as root it must be a place that the server's user can read."""
    if os.geteuid() == 0:
        return Path("/var/lib/post_graph_rag")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "post_graph_rag"


class Settings(BaseSettings):
    """Everything a user would turn. An argument wins over its variable, the variable over the default.

    dsn: where the database is; none and embedded=True: the server in `post_graph_rag.embedded`.
    realm: hard wall, a schema of its own; space: soft grouping inside it.
    embedded, offline: ask in words for the local server and for the offline models; nothing is chosen silently.
    graph: "age" keeps the Apache AGE picture, "none" works on a server without it.
    model, extraction_model, …: names at the OpenAI-compatible endpoint; a role without its own takes `model`.
    embedding_dimensions: width to ask for; None: what the model gives, learnt by one probe.
    chunk_tokens, chunk_overlap: size of a passage and how much of its end the next one repeats, in tokens.
    gleaning_passes: how often the extractor is asked again for what it missed.
    concurrency: model calls under way at once; pool_size: database connections at most.
    deadline: seconds one model call may take, retries included.
    home: folder of the embedded server's data and caches; server_dir: a server's own bin folder, instead of a search.
    keep_running: the embedded server stays when its last user leaves.
    optimize: after a call that wrote much, an owner refreshes statistics and builds vector indexes where they pay.
    judge_contradictions: after indexing, ask the auxiliary model which of the new facts cannot hold beside others about
        the same subject or object; each fact costs at most one call, beside at most 20 others.
    create: make the realm when it does not exist at `initialize()`; indexing makes it anyway.

    Raises ConfigurationError, which names each setting that cannot be used and why, never its value.
    """

    model_config = SettingsConfigDict(
        env_prefix="POST_GRAPH_RAG_",
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

    model: str | None = None
    extraction_model: str | None = None
    auxiliary_model: str | None = None
    synthesis_model: str | None = None
    embedding_model: str | None = None
    embedding_dimensions: int | None = Field(default=None, ge=1)
    base_url: str | None = Field(
        default=None,
        repr=False,
        validation_alias=AliasChoices("base_url", "POST_GRAPH_RAG_BASE_URL", "OPENAI_BASE_URL"),
    )
    api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("api_key", "POST_GRAPH_RAG_API_KEY", "OPENAI_API_KEY")
    )
    deadline: float = Field(default=120.0, gt=0)

    chunk_tokens: int = Field(default=400, ge=20)
    chunk_overlap: int = Field(default=0, ge=0)
    gleaning_passes: int = Field(default=1, ge=0, le=5)
    concurrency: int = Field(default=8, ge=1)

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
            raise ConfigurationError(f"settings cannot be used: {reasons(error, cls)}") from error
        if made.chunk_overlap >= made.chunk_tokens:
            raise ConfigurationError("settings cannot be used: chunk_overlap must be smaller than chunk_tokens")
        return made
