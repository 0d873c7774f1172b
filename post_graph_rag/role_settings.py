"""What each role of a model may set for itself; what it does not set, it takes from the general settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode

RoleName = Literal["extraction", "community", "auxiliary", "synthesis", "embedding"]

VARIABLE_PREFIX = "POST_GRAPH_RAG_"
# Where a role looks before it looks at the general settings.
BESIDE: Mapping[str, tuple[str, ...]] = {"community": ("auxiliary",)}
# A language model cannot embed, and realms never mix two embedding models.
NEVER_GENERAL = frozenset({("embedding", "model"), ("embedding", "fallbacks")})


def _names(given: object) -> object:
    """The parts of a comma list."""
    return tuple(name for part in given.split(",") if (name := part.strip())) if isinstance(given, str) else given


Url: TypeAlias = Annotated[str | None, Field(min_length=1, repr=False)]
Temperature: TypeAlias = Annotated[float | None, Field(ge=0, le=2)]
Count: TypeAlias = Annotated[int | None, Field(ge=1)]
Prefix: TypeAlias = Annotated[str | None, Field(max_length=1000, pattern=r"^[^\x00]*$")]
Names: TypeAlias = Annotated[tuple[str, ...] | None, NoDecode, BeforeValidator(_names)]


@dataclass(frozen=True, slots=True)
class RoleSettings:
    """What holds for one role.

    model, base_url, api_key: which model, and where; None where nothing is said.
    temperature: in place of the one a request has; None: the request's, else the endpoint's own.
    max_tokens: tokens a reply may have; None: what the endpoint allows.
    concurrency: calls under way at once. fallbacks: models at the same endpoint, asked in turn when the first fails.
    context_window: tokens of prompt and reply together; None: what is known of the model by its name.
    """

    model: str | None = None
    base_url: str | None = field(default=None, repr=False)
    api_key: SecretStr | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    concurrency: int = 8
    fallbacks: tuple[str, ...] = ()
    context_window: int | None = None


class RoleFields(BaseSettings):
    """The settings of roles, as arguments and as variables; see RoleSettings for what each means."""

    extraction_model: str | None = None
    extraction_base_url: Url = None
    extraction_api_key: SecretStr | None = None
    extraction_temperature: Temperature = None
    extraction_max_tokens: Count = None
    extraction_concurrency: Count = None
    extraction_fallbacks: Names = None
    extraction_context_window: Count = None

    community_model: str | None = None
    community_base_url: Url = None
    community_api_key: SecretStr | None = None
    community_temperature: Temperature = None
    community_max_tokens: Count = None
    community_concurrency: Count = None
    community_fallbacks: Names = None
    community_context_window: Count = None

    auxiliary_model: str | None = None
    auxiliary_base_url: Url = None
    auxiliary_api_key: SecretStr | None = None
    auxiliary_temperature: Temperature = None
    auxiliary_max_tokens: Count = None
    auxiliary_concurrency: Count = None
    auxiliary_fallbacks: Names = None
    auxiliary_context_window: Count = None

    synthesis_model: str | None = None
    synthesis_base_url: Url = None
    synthesis_api_key: SecretStr | None = None
    synthesis_temperature: Temperature = None
    synthesis_max_tokens: Count = None
    synthesis_concurrency: Count = None
    synthesis_fallbacks: Names = None
    synthesis_context_window: Count = None

    embedding_model: str | None = None
    embedding_base_url: Url = None
    embedding_api_key: SecretStr | None = None
    embedding_concurrency: Count = None


def owners(role: RoleName) -> tuple[str, ...]:
    """The roles whose settings hold for `role`, its own first."""
    return (role, *BESIDE.get(role, ()))


def variable(setting: str) -> str:
    """The environment variable of a setting."""
    return VARIABLE_PREFIX + setting.upper()
