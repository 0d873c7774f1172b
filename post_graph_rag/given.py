"""Base of the records that callers fill in: what cannot be used is refused with an error of this library."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, Strict, ValidationError, model_validator

from post_graph_rag.errors import InputError

Date: TypeAlias = str | Annotated[date, Strict()] | Annotated[datetime, Strict()]
"""A number is no date: it would be taken for seconds since 1970 where somebody means a year."""

_MOST_NAMED = 5
"""Fields that a message names."""
_LONGEST_PLACE = 100
"""Characters of a field's place in a nested value."""


class Given(BaseModel):
    """Immutable, unknown fields refused. Raises InputError, which names each field that cannot be used and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="wrap")
    @classmethod
    def _refuse_by_name(cls, given: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(given)
        except ValidationError as error:
            raise InputError(f"{cls.__name__} cannot be made: {reasons(error, cls)}") from error


def reasons(error: ValidationError, model: type[BaseModel]) -> str:
    """Which fields of `model` cannot be used and why, on one line and without their values: one may be a password."""
    parts = error.errors()[:_MOST_NAMED]
    return "; ".join(_reason(part["type"], part["loc"], part["msg"], model) for part in parts)


def _reason(kind: str, place: tuple[int | str, ...], said: str, model: type[BaseModel]) -> str:
    name = ".".join(map(str, place))[:_LONGEST_PLACE]
    if kind == "extra_forbidden" and len(place) == 1:
        return f"{name} is not known; there are {', '.join(sorted(model.model_fields))}"
    if kind == "tuple_type":
        said = "several values are wanted, in a list or tuple, and one as (value,)"
    return f"{name}: {said}" if name else said
