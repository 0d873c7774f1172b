"""What calls of models cost, by a table of prices that the user gives."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, NamedTuple, TypeAlias

from pydantic import BeforeValidator, Field
from pydantic_settings import NoDecode

Amount: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]
MILLION = 1_000_000
# Endpoints answer with the dated name of what was asked for: gpt-4o-mini-2024-07-18, gpt-4-0613, …-20241022.
_DATE = re.compile(r"[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{4})$")


class Price(NamedTuple):
    """Of a million tokens, in whatever money the user counts: of prompts, of replies, of prompts read from a cache.

    cached: None: as any other prompt. An embedding model has prompts only.
    """

    input: Amount
    output: Amount = 0.0
    cached: Amount | None = None


def _table(given: object) -> object:
    """A table as a variable has it: JSON."""
    try:
        return json.loads(given) if isinstance(given, str) else given
    except RecursionError as error:
        raise ValueError("nested too deep") from error


Prices: TypeAlias = Annotated[Mapping[str, Price], NoDecode, BeforeValidator(_table)]


def price_of(prices: Mapping[str, Price], *names: str) -> Price | None:
    """The price of a model: of the first of its names that has one, as it is or without the date at its end."""
    spelt = (spelling for name in names for spelling in _spellings(name))
    return next((prices[name] for name in spelt if name in prices), None)


def cost_of(price: Price, prompt_tokens: int, output_tokens: int = 0, cached_tokens: int = 0) -> float:
    """What so many tokens cost; those read from a cache are among those of the prompt."""
    cached = min(cached_tokens, prompt_tokens)
    dear = (prompt_tokens - cached) * price.input + output_tokens * price.output
    return (dear + cached * (price.input if price.cached is None else price.cached)) / MILLION


def _spellings(name: str) -> Iterable[str]:
    return dict.fromkeys((name, _DATE.sub("", name)))
