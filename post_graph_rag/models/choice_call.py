"""The request that asks a model to choose among numbered things, and how its reply is read."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from post_graph_rag.errors import ConfigurationError, LLMError
from post_graph_rag.models.offline.chat import OfflineChat
from post_graph_rag.models.parsing.json_text import json_values
from post_graph_rag.models.prompts import Prompts, fenced
from post_graph_rag.models.protocols import ChatModel, ChatRequest
from post_graph_rag.models.roles import Models
from post_graph_rag.models.thinking import strip_thinking
from post_graph_rag.records import Message

TEMPERATURE = 0.0
NUMBER = re.compile(r"[\s\[#]*([0-9]{1,6})[\s\].]*")
KEYS = ("excluded", "same")
"""Under which the chosen numbers stand, by question."""
MOST_NAME = 300
"""Characters of one name in a prompt."""


@dataclass(frozen=True, slots=True)
class Asking:
    """One kind of such a question.

    system, asked: names of its prompts; the second has places for the one thing and for the list.
    thing, mark: what the one thing is called there, and the fence it stands in. key: under which the numbers come.
    """

    name: str
    system: str
    asked: str
    thing: str
    mark: str
    key: str

    def request(self, one: str, others: Sequence[str], prompts: Prompts) -> ChatRequest:
        """Ask which of the others go with the one; they are numbered from 1."""
        listed = "\n".join(f"{n}. {other}" for n, other in enumerate(others, 1))
        values = {self.thing: fenced(self.mark, one), "others": fenced("list", listed)}
        return ChatRequest(
            role="auxiliary",
            messages=(
                Message(role="system", content=prompts[self.system].render()),
                Message(role="user", content=prompts[self.asked].render(**values)),
            ),
            schema=self._schema(),
            schema_name=self.name,
            temperature=TEMPERATURE,
            inputs={self.thing: one, "others": listed},
        )

    def version(self, prompts: Prompts) -> str:
        """Hash of what shapes such a request besides the things; part of a stored reply's key."""
        shape = json.dumps([prompts.version(self.system, self.asked), self._schema(), TEMPERATURE], sort_keys=True)
        return hashlib.blake2b(shape.encode(), digest_size=8).hexdigest()

    def _schema(self) -> Mapping[str, Any]:
        return {
            "type": "object",
            "properties": {self.key: {"type": "array", "items": {"type": "integer"}}},
            "required": [self.key],
            "additionalProperties": False,
        }


def choosing_chat(models: Models, refusal: str) -> ChatModel:
    """The auxiliary model, which chooses. Raises ConfigurationError when there is none, or only the offline one.

    refusal: what the offline one cannot do, and what to do instead.
    """
    chat = models.chat("auxiliary")
    if chat.name == OfflineChat().name:
        raise ConfigurationError(refusal)
    return chat


@dataclass(frozen=True, slots=True)
class Choice:
    """What a model chose. places: in the list it was shown, from 0; ignored: how much else it named."""

    places: frozenset[int]
    ignored: int = 0

    @property
    def text(self) -> str:
        """The choice as a reply would have it, under the same key whatever was asked."""
        return json.dumps({KEYS[0]: [place + 1 for place in sorted(self.places)]})


def parse_choice(text: str, offered: int) -> Choice:
    """Read a reply that chooses among numbered things, tolerantly: JSON of the asked shape, perhaps in prose or fences.

    Numbers may be texts.

    offered: how many were in the list; numbers of others count as ignored.
    Raises LLMError when it names no list, or one that breaks off: numbers it would have named may be missing.
    """
    repairs: Counter[str] = Counter()
    values = json_values(strip_thinking(text), repairs)
    named = _named(values)
    if named is None or repairs["truncated"]:
        raise LLMError(
            f"The model's reply ({len(text)} characters) holds no list of numbers that can be read, so the question "
            "is left to be asked again. Check that the auxiliary model follows instructions and is not cut short."
        )
    said = [_place(item) for item in named]
    places = frozenset(place for place in said if place is not None and 0 <= place < offered)
    return Choice(places, sum(place not in places for place in said))


def _named(values: Iterable[Any]) -> list[Any] | None:
    """The last list under the asked key; else a bare one, where that is all there is."""
    found = list(values)
    for value in reversed(found):
        for key in KEYS:
            if isinstance(value, Mapping) and isinstance(value.get(key), list):
                return list(value[key])
    return found[0] if len(found) == 1 and isinstance(found[0], list) else None


def _place(item: Any) -> int | None:
    """The place that a number means, also one in a text; None for anything else."""
    if isinstance(item, str) and (found := NUMBER.fullmatch(item)):
        item = int(found[1])
    return item - 1 if isinstance(item, int) and not isinstance(item, bool) else None
