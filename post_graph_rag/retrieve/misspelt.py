"""Words of a question that may be a name spelt otherwise, as the look-up of names needs them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from post_graph_rag.folding import fold
from post_graph_rag.function_words import FUNCTION_WORDS
from post_graph_rag.terms import PAIRED, terms

_SHORTEST = 4
_LONGEST = 24
"""Letters of a word that is looked at: shorter ones have too many neighbours, longer ones are no words."""
_MOST = 8
_WORDS_READ = 60
_BLOCK = 128
"""Letters of one alphabet stand together: within so many code points."""
_LETTERS = frozenset(("Ll", "Lo", "Mc", "Mn"))
"""Categories of Unicode: small letters, those of scripts that know no capitals, and vowel signs."""
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_SENTENCE_ENDS = (".", "?", "!", ":", "\u3002", "\u061f", "\u0964")
_OTHER_MARKS = re.compile(r"[\d_.@/:&+=?%#~\\,]")


class Doubtful(NamedTuple):
    """A term that may be misspelt, whether it is written as a name, and the letters that a slip may bring in."""

    term: str
    named: bool
    letters: str


def doubtful_words(text: str, is_sentence: bool = True) -> list[Doubtful]:
    """The words of a text that may be misspelt, those written as names first, eight at most.

    Words of grammar, short words, numbers, identifiers and scripts without blanks are none. is_sentence: whether a
    capital at the beginning says nothing.
    """
    found: dict[str, bool] = {}
    for token, begins in _tokens(text, is_sentence):
        for term in _doubted(token):
            found[term] = found.get(term, False) or (not begins and _is_capital(token))
    first = sorted(found, key=lambda term: not found[term])[:_MOST]
    return [Doubtful(term, found[term], _letters(term)) for term in first]


def _tokens(text: str, is_sentence: bool) -> Iterator[tuple[str, bool]]:
    """The words of a text, and whether each begins a sentence."""
    begins = is_sentence
    for token in text.split()[:_WORDS_READ]:
        yield token, begins
        begins = is_sentence and token.endswith(_SENTENCE_ENDS)


def _is_capital(token: str) -> bool:
    return next((char.isupper() for char in token if char.isalpha()), False)


def _doubted(token: str) -> list[str]:
    found = terms(token)
    if any(map(_OTHER_MARKS.search, found)):
        return []
    return [term for term in found if _SHORTEST <= len(term) <= _LONGEST and _is_word(term)]


def _is_word(term: str) -> bool:
    return term not in FUNCTION_WORDS and not PAIRED.search(term) and any(map(str.isalpha, term))


def _letters(term: str) -> str:
    """The alphabets that a word is written in, each as the letters near its own."""
    blocks = dict.fromkeys(ord(char) // _BLOCK for char in term if char.isalpha())
    return "".join(map(_alphabet, blocks))


@cache
def _alphabet(block: int) -> str:
    if block == 0:
        return _LATIN
    chars = map(chr, range(block * _BLOCK, (block + 1) * _BLOCK))
    return "".join(char for char in chars if unicodedata.category(char) in _LETTERS and fold(char) == char)
