"""The request that asks a model which of some facts cannot hold beside another one, and how its reply is read."""

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
from post_graph_rag.names import predicate_words
from post_graph_rag.records import Message
from post_graph_rag.store.write import ShownFact

TEMPERATURE = 0.0
NUMBER = re.compile(r"[\s\[#]*([0-9]{1,6})[\s\].]*")
KEYS = ("excluded", "same")
"""Under which the chosen numbers stand, by question."""
# Of one fact, in a prompt.
MOST_NAME = 300
MOST_DATES = 10
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"excluded": {"type": "array", "items": {"type": "integer"}}},
    "required": ["excluded"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What a model chose. excluded: places in the list it was shown, from 0; ignored: how much else it named."""

    excluded: frozenset[int]
    ignored: int = 0

    @property
    def text(self) -> str:
        """The choice as a reply would have it."""
        return json.dumps({"excluded": [place + 1 for place in sorted(self.excluded)]})


def judging_chat(models: Models) -> ChatModel:
    """The auxiliary model, which judges. Raises ConfigurationError when there is none, or only the offline one."""
    chat = models.chat("auxiliary")
    if chat.name == OfflineChat().name:
        raise ConfigurationError(
            "The offline models cannot judge whether facts contradict one another: name a language model with "
            "POST_GRAPH_RAG_MODEL or POST_GRAPH_RAG_AUXILIARY_MODEL, or leave judge_contradictions off and say with "
            "set_rules which facts exclude one another."
        )
    return chat


def contradiction_request(fact: ShownFact, others: Sequence[ShownFact], prompts: Prompts | None = None) -> ChatRequest:
    """Ask which of `others` cannot hold at the same time as `fact`; they are numbered from 1."""
    prompts = prompts or Prompts()
    one = _line(fact)
    listed = "\n".join(f"{n}. {_line(other)}" for n, other in enumerate(others, 1))
    asked = prompts["contradiction_facts"].render(fact=fenced("statement", one), others=fenced("list", listed))
    return ChatRequest(
        role="auxiliary",
        messages=(
            Message(role="system", content=prompts["contradiction"].render()),
            Message(role="user", content=asked),
        ),
        schema=SCHEMA,
        schema_name="contradiction",
        temperature=TEMPERATURE,
        inputs={"fact": one, "others": listed},
    )


def prompt_version(prompts: Prompts) -> str:
    """Hash of what shapes such a request besides the facts; part of a stored reply's key."""
    shape = json.dumps([prompts.version("contradiction", "contradiction_facts"), SCHEMA, TEMPERATURE], sort_keys=True)
    return hashlib.blake2b(shape.encode(), digest_size=8).hexdigest()


def parse_choice(text: str, offered: int) -> Choice:
    """Read a reply that chooses among numbered things, tolerantly: JSON of the asked shape, perhaps in prose or fences.

    Numbers may be texts.

    offered: how many were in the list; numbers of others count as ignored.
    Raises LLMError when it names no list, or one that breaks off: facts it would have named may be missing.
    """
    repairs: Counter[str] = Counter()
    values = json_values(strip_thinking(text), repairs)
    named = _named(values)
    if named is None or repairs["truncated"]:
        raise LLMError(
            f"The model's reply ({len(text)} characters) holds no list of numbers that can be read, so the question "
            "is left to be judged again. Check that the auxiliary model follows instructions and is not cut short."
        )
    places = [_place(item) for item in named]
    excluded = frozenset(place for place in places if place is not None and 0 <= place < offered)
    return Choice(excluded, sum(place not in excluded for place in places))


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


def _line(fact: ShownFact) -> str:
    """One JSON value on one line, so that no name can end it and go on as an instruction."""
    shown = {
        "subject": fact.subject[:MOST_NAME],
        "predicate": predicate_words(fact.predicate)[:MOST_NAME],
        "object": fact.object[:MOST_NAME],
        "dates": "; ".join(map(_dates, fact.dates[:MOST_DATES])) or "not stated",
    }
    return json.dumps(shown, ensure_ascii=False)


def _dates(dates: tuple[str | None, str | None]) -> str:
    start, end = dates
    return " ".join(([f"from {start}"] if start else []) + ([f"until {end}"] if end else [])) or "not stated"
