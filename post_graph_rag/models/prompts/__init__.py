"""The prompts, one file each, replaceable by name; values put into them are data and never read as a template."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import count
from string import Template

from post_graph_rag.errors import ConfigurationError

__all__ = ["PLACEHOLDERS", "Prompt", "Prompts", "fenced"]

# What each prompt must hold a place for, and may not go beyond.
PLACEHOLDERS: Mapping[str, frozenset[str]] = {
    "extraction": frozenset(),
    "evidence": frozenset(),
    "vocabulary": frozenset({"vocabulary"}),
    "vocabulary_strict": frozenset({"vocabulary"}),
    "extraction_text": frozenset({"context", "document"}),
    "gleaning": frozenset({"context", "found", "document"}),
    "answer": frozenset({"response_type"}),
    "answer_question": frozenset({"sources", "question"}),
    "bypass": frozenset({"response_type"}),
    "contradiction": frozenset(),
    "contradiction_facts": frozenset({"fact", "others"}),
    "same_entity": frozenset(),
    "same_entity_names": frozenset({"entity", "others"}),
    "keywords": frozenset(),
    "keywords_question": frozenset({"question"}),
    "subquestions": frozenset(),
    "subquestions_question": frozenset({"question"}),
    "condense": frozenset(),
    "condense_question": frozenset({"conversation", "question"}),
}


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt: its name and its text with $placeholders."""

    name: str
    text: str

    @property
    def hash(self) -> str:
        """Sixteen hex digits that change with the text and with nothing else."""
        return hashlib.blake2b(self.text.encode(), digest_size=8).hexdigest()

    def render(self, **values: str) -> str:
        """The text with its placeholders filled."""
        return Template(self.text).substitute(values)


class Prompts:
    """All prompts of an engine.

    replacements: other texts by name (see PLACEHOLDERS); a "$" that is meant as one is written "$$".

    Raises ConfigurationError for what is no mapping, a name that is no prompt, what is no text, and a text with missing
    or unknown placeholders.
    """

    def __init__(self, replacements: Mapping[str, str] | None = None) -> None:
        if not isinstance(replacements, Mapping | None):
            raise ConfigurationError('prompts are a mapping of names to texts, such as {"extraction": "…"}')
        texts = {**_shipped(), **(replacements or {})}
        for name in replacements or {}:
            _check(name, texts[name])
        self._prompts = {name: Prompt(name, text) for name, text in texts.items()}

    def __getitem__(self, name: str) -> Prompt:
        return self._prompts[name]

    def version(self, *names: str) -> str:
        """One hash over the named prompts, for the key of a stored reply."""
        return hashlib.blake2b("".join(self[name].hash for name in names).encode(), digest_size=8).hexdigest()


def fenced(label: str, text: str) -> str:
    """`text` between marks whose number does not occur in it, so that it cannot end them.

    The number has nine digits, which is three tokens in the encodings in use, so a fence always costs the same.
    """
    number = next(number for number in _numbers(text) if number not in text)
    return f"<{label} {number}>\n{text}\n</{label} {number}>"


def _numbers(text: str) -> Iterator[str]:
    """Numbers made from the text: the same text always gives the same prompt."""
    for turn in count():
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, salt=turn.to_bytes(8)).digest()
        yield f"{int.from_bytes(digest) % 10**9:09d}"


@cache
def _shipped() -> Mapping[str, str]:
    folder = resources.files(__name__)
    return {name: folder.joinpath(f"{name}.md").read_text(encoding="utf-8").strip() for name in PLACEHOLDERS}


def _check(name: str, text: object) -> None:
    if name not in PLACEHOLDERS:
        raise ConfigurationError(f"There is no prompt named {name!r}; prompts are {', '.join(sorted(PLACEHOLDERS))}.")
    if not isinstance(text, str):
        raise ConfigurationError(f"The prompt {name!r} must be a text.")
    template = Template(text)
    if not template.is_valid():
        raise ConfigurationError(f'The prompt {name!r} holds a lone "$"; write "$$" where a dollar sign is meant.')
    found, wanted = set(template.get_identifiers()), PLACEHOLDERS[name]
    if found != wanted:
        named = ", ".join(f"${one}" for one in sorted(wanted)) or "no placeholder"
        raise ConfigurationError(f"The prompt {name!r} must hold {named} and no other placeholder.")
