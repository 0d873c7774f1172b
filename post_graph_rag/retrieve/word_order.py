"""Which way round an English question puts a predicate and a name: "What did Acme acquire?", "Who acquired Acme?"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from post_graph_rag.directions import roots
from post_graph_rag.function_words import FUNCTION_WORDS
from post_graph_rag.names import predicate_words
from post_graph_rag.terms import terms

_BEING = frozenset(("is", "are", "was", "were", "be", "been", "being"))
_DOING = frozenset(("do", "did", "does", *terms("does")))
_QUESTION_WORDS = frozenset(("who", "whom", "whose", "what", "which", "when", "where", "why", "how"))
_ASKING = _QUESTION_WORDS | _DOING | _BEING | {"has", "have", "had"}
_ENGLISH = _QUESTION_WORDS | {"did", "does", "were", "have", "the", "by"}
"""Words that tell a question in English from one in a language that asks with "was", "is", "do" or "had" too."""
_ARTICLES = frozenset(("a", "an", "the"))
_BY = "by"


@dataclass(frozen=True, slots=True)
class WordOrder:
    """The words of a question, as they are and without their endings; none where their order tells nothing.

    It tells in English, where what is done stands between who does it and whom it is done to.
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]

    @classmethod
    def of(cls, question: str) -> WordOrder:
        """Of a question in English, which is told by its words of grammar."""
        said = set(question.casefold().split())
        asks = not (said.isdisjoint(_ASKING) or said.isdisjoint(_ENGLISH))
        words = terms(question) if asks else []
        return cls(tuple(words), tuple(roots(words)))

    def agrees(self, row: Mapping[str, Any]) -> bool:
        """Whether a relation is asked for the way round it is: its predicate and one of its ends are named, and stand
        as they do in the relation.

        row: subject, predicate and object; "owned_by" is read from its object. A passive turns them round and is
        believed only where it says "by".
        """
        stems = _predicate_stems(row["predicate"])
        verb = _found(self.stems, stems)
        if verb is None:
            return False
        doer, other = (_found(self.stems, _name_stems(row[end])) for end in _ends(row["predicate"]))
        if self._is_passive(verb, verb + len(stems)):
            return doer is not None and doer > verb and self._says_by(doer)
        return self._side(doer, verb) > self._side(other, verb)

    def _is_passive(self, verb: int, after: int) -> bool:
        """ "Is owned by" and "a firm owned by", not "what did it acquire by"."""
        before = self.words[:verb]
        return _DOING.isdisjoint(before) and (not _BEING.isdisjoint(before) or self.words[after : after + 1] == (_BY,))

    def _says_by(self, place: int) -> bool:
        before = [word for word in self.words[:place] if word not in _ARTICLES]
        return before[-1:] == [_BY]

    def _side(self, place: int | None, verb: int) -> int:
        """1 before the predicate, -1 after it, 0 for what is not named, and after "does", where no object stands."""
        if place is None:
            return 0
        return 1 if place < verb else -int(_DOING.isdisjoint(self.words[verb:place]))


@lru_cache(maxsize=1 << 12)
def _predicate_stems(predicate: str) -> tuple[str, ...]:
    return tuple(roots(_content(predicate_words(predicate))))


@lru_cache(maxsize=1 << 12)
def _name_stems(name: str) -> tuple[str, ...]:
    """Remembered: the same names are met question after question."""
    return tuple(roots(terms(name)))


def _ends(predicate: str) -> tuple[str, str]:
    """Who does it, and to whom it is done."""
    words = predicate_words(predicate).split()
    return ("object", "subject") if len(words) > 1 and words[-1] == _BY else ("subject", "object")


def _content(words: str) -> list[str]:
    found = terms(words)
    return [word for word in found if word not in FUNCTION_WORDS] or found


def _found(words: tuple[str, ...], run: tuple[str, ...]) -> int | None:
    """Where a run of words stands first."""
    if not run:
        return None
    places = [place for place, word in enumerate(words) if word == run[0]]
    return next((place for place in places if words[place : place + len(run)] == run), None)
