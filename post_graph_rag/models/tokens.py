"""Counting and cutting text in model tokens, offline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any, Protocol

from post_graph_rag.errors import ConfigurationError

# The encoder refuses a million characters at once; pieces this long also keep its answer small.
PIECE = 100_000

# Longest prefix first: "gpt-4o" must not be taken for "gpt-4".
ENCODINGS = (
    ("text-embedding-", "cl100k_base"),
    ("gpt-3.5", "cl100k_base"),
    ("gpt-4.", "o200k_base"),
    ("gpt-4o", "o200k_base"),
    ("chatgpt-4o", "o200k_base"),
    ("gpt-4", "cl100k_base"),
    ("gpt-5", "o200k_base"),
    ("o1", "o200k_base"),
    ("o3", "o200k_base"),
    ("o4", "o200k_base"),
)


class Tokenizer(Protocol):
    """How a model counts text."""

    def count(self, text: str) -> int:
        """Number of tokens; for a model whose tokenizer is not known, a number it will hardly exceed."""
        ...

    def cut(self, text: str, tokens: int) -> str:
        """The longest beginning of `text` that counts at most `tokens`."""
        ...


def size(tokenizer: Tokenizer, text: str) -> int:
    """Tokens of a text, remembered: the same instructions and passages are counted for question after question."""
    return _counted(tokenizer.count, text)


@lru_cache(maxsize=1 << 12)
def _counted(count: Callable[[str], int], text: str) -> int:
    return count(text)


class GivenTokenizer:
    """A tokenizer of anybody's, whose answers are checked. Raises ConfigurationError for what is no count or no cut."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._given = tokenizer

    def count(self, text: str) -> int:
        found: object = self._given.count(text)
        if not isinstance(found, int) or found < 0:
            raise ConfigurationError(f"the tokenizer counted {found!r}: it must give a number of tokens")
        return found

    def cut(self, text: str, tokens: int) -> str:
        kept: object = self._given.cut(text, tokens)
        if not isinstance(kept, str) or not text.startswith(kept) or self.count(kept) > max(tokens, 0):
            raise ConfigurationError(
                f"the tokenizer cut a text to {tokens} tokens, and gave what is no beginning of it or counts more"
            )
        return kept


class BpeTokenizer:
    """Byte-pair encoding of an OpenAI model.

    encoding: "o200k_base" or "cl100k_base".
    margin: factor on each count, at least 1, for models that cut text finer than this encoding.
    """

    def __init__(self, encoding: str = "o200k_base", margin: float = 1.0) -> None:
        self._name = encoding
        self._margin = margin

    def count(self, text: str) -> int:
        encode = self._encoding.encode_ordinary
        return self._with_margin(sum(len(encode(piece)) for piece in _pieces(text)))

    def cut(self, text: str, tokens: int) -> str:
        if tokens <= 0:
            return ""
        ids = self._first_ids(text, int(tokens / self._margin))
        kept = self._prefix(text, ids)
        while kept and self.count(kept) > tokens:
            ids.pop()
            kept = self._prefix(text, ids)
        return kept

    @property
    def _encoding(self) -> Any:
        return _loaded(self._name)

    def _with_margin(self, count: int) -> int:
        return -int(-count * self._margin // 1)

    def _first_ids(self, text: str, limit: int) -> list[int]:
        ids: list[int] = []
        for piece in _pieces(text):
            ids.extend(self._encoding.encode_ordinary(piece))
            if len(ids) > limit:
                break
        return ids[:limit]

    def _prefix(self, text: str, ids: list[int]) -> str:
        # A cut inside a character leaves bytes that belong to none; a prefix of `text` has to stay one.
        return text[: len(self._encoding.decode_bytes(ids).decode("utf-8", errors="ignore"))]


@cache
def _loaded(encoding: str) -> Any:
    # Imported here: the package reads all its vocabularies at import, a second that only counting should cost.
    import bpe_openai

    return bpe_openai.get_encoding(encoding)


def _pieces(text: str) -> Iterator[str]:
    """Cut very long text, at a blank where there is one near the end of a piece."""
    start = 0
    while len(text) - start > PIECE:
        end = text.rfind(" ", start + PIECE // 2, start + PIECE)
        end = end if end > 0 else start + PIECE
        yield text[start:end]
        start = end
    yield text[start:]


@cache
def tokenizer_for(model: str | None = None) -> Tokenizer:
    """The tokenizer of an OpenAI model, by name ("openai/gpt-4o" counts as "gpt-4o").

    Any other name gets cl100k with a quarter on top: the vocabularies in use cut English about as coarsely, and other
    scripts hardly finer, which o200k cuts coarser than most.
    None is o200k as it is: the unit of chunk sizes and budgets when no model is named.
    """
    if model is None:
        return BpeTokenizer()
    name = model.rsplit("/", 1)[-1].lower()
    for prefix, encoding in ENCODINGS:
        if name.startswith(prefix):
            return BpeTokenizer(encoding)
    return BpeTokenizer("cl100k_base", margin=1.25)
