"""Single values as models write them, brought to the types a record wants. Each repair is counted by its name."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from post_graph_rag.clean import clean_text

NULLS = frozenset({"", "null", "none", "n/a", "nil", "undefined"})
TRUE = frozenset({"true", "yes", "1", "negated"})
LEVELS = {"very high": 0.95, "high": 0.9, "medium": 0.6, "moderate": 0.6, "low": 0.3, "very low": 0.1}
NUMBER = re.compile(r"([0-9]*\.?[0-9]+)\s*(%)?")


def cleaned(text: str) -> str:
    """One line without NUL and lone surrogates, which PostgreSQL cannot hold."""
    storable = text if text.isascii() and "\0" not in text else clean_text(text)[0]
    return " ".join(storable.split())


def name_of(value: Any, repairs: Counter[str]) -> str | None:
    """A name: text, a number, or an object that has one; None when there is none."""
    if not isinstance(value, str):
        if isinstance(value, Mapping):
            repairs["wrong_type"] += 1
            value = value.get("name")
        if isinstance(value, int | float) and not isinstance(value, bool):
            repairs["wrong_type"] += 1
            return _number_text(value) or None
    name = cleaned(value) if isinstance(value, str) else ""
    if name.lower() in NULLS:
        repairs["null_name"] += 1
        return None
    return name


def text_of(value: Any, repairs: Counter[str]) -> str:
    """Free text; a list of texts is joined."""
    if value is None:
        return ""
    if isinstance(value, str):
        return "" if value.strip().lower() in NULLS else cleaned(value)
    repairs["wrong_type"] += 1
    if isinstance(value, list):
        return cleaned(" ".join(part for part in value if isinstance(part, str)))
    return _number_text(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def names_of(value: Any, name: str, repairs: Counter[str]) -> tuple[str, ...]:
    """Aliases: each once, without nulls and without the name itself."""
    if isinstance(value, str) and value.strip():
        repairs["wrong_type"] += 1
        value = [value]
    if not isinstance(value, list):
        return ()
    names = (name_of(item, repairs) for item in value if item is not None)
    return tuple(dict.fromkeys(alias for alias in names if alias and alias != name))


def negated_of(value: Any, repairs: Counter[str]) -> bool:
    """A truth value, also as text or number."""
    if isinstance(value, bool) or value is None:
        return bool(value)
    repairs["wrong_type"] += 1
    return str(value).strip().lower() in TRUE


def confidence_of(value: Any, repairs: Counter[str]) -> float:
    """Between 0 and 1; 90, "90%" and 9 (of ten) are scaled, "high" is .9, what cannot be read is 1."""
    if value is None:
        return 1.0
    plain = not isinstance(value, bool) and isinstance(value, int | float) and 0 <= value <= 1
    if plain:
        return float(value)
    repairs["confidence"] += 1
    return _scaled(value) if not isinstance(value, bool) else 1.0


def _scaled(value: Any) -> float:
    text = str(value).strip().lower()
    if text in LEVELS:
        return LEVELS[text]
    found = NUMBER.fullmatch(text)
    number = float(found[1]) if found else math.nan
    if not found or math.isinf(number):
        return 1.0
    if found[2] or number > 10:
        return min(number / 100, 1.0)
    return number if number <= 1 else number / 10


def moment_of(value: Any, repairs: Counter[str]) -> str | None:
    """A date as text, as the model gave it; years come as numbers too, and "unknown" in many words."""
    if value is None:
        return None
    if isinstance(value, str):
        text = cleaned(value)
        return None if text.lower() in NULLS or text.lower() in {"unknown", "present", "now", "ongoing"} else text
    repairs["date"] += 1
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return _number_text(value) or None


def _number_text(value: int | float) -> str:
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        return ""
    return str(int(value)) if value.is_integer() else str(value)
