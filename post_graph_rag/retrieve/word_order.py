"""Which way round an English question puts a predicate and a name: "What did Acme acquire?", "Who acquired Acme?"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from post_graph_rag.directions import roots
from post_graph_rag.function_words import FUNCTION_WORDS
from post_graph_rag.names import predicate_words
from post_graph_rag.terms import terms

_BEING = frozenset(("is", "are", "was", "were", "be", "been", "being"))
_DOING = frozenset(("do", "did", "does"))
_QUESTION_WORDS = frozenset(("who", "whom", "whose", "what", "which", "when", "where", "why", "how"))
_ASKING = _QUESTION_WORDS | _DOING | _BEING | {"has", "have", "had"}
_ENGLISH = _QUESTION_WORDS | {"did", "does", "were", "have", "the", "by"}
"""Words that tell a question in English from one in a language that asks with "was", "is", "do" or "had" too."""
_BY = "by"


@dataclass(frozen=True, slots=True)
class WordOrder:
    """The words of a question, as they are and without their endings; none where their order tells nothing.

    It tells in English, where what is done stands between who does it and whom it is done to.
    """

    words: Sequence[str]
    stems: Sequence[str]

    @classmethod
    def of(cls, question: str) -> WordOrder:
        """Of a question in English, which is told by its words of grammar."""
        said = set(question.casefold().split())
        asks = not (said.isdisjoint(_ASKING) or said.isdisjoint(_ENGLISH))
        words = terms(question) if asks else []
        return cls(words, roots(words))

    def agrees(self, row: Mapping[str, Any]) -> bool:
        """Whether a relation is asked for the way round it is: its predicate and one of its ends are named, and stand
        as they do in the relation.

        row: subject, predicate and object. A passive turns them round and is believed only where it says "by".
        """
        verb = _found(self.stems, roots(_content(predicate_words(row["predicate"]))))
        if verb is None:
            return False
        subject, target = (_found(self.stems, roots(terms(row[end]))) for end in ("subject", "object"))
        if self._is_passive(verb):
            return subject is not None and subject > verb and self.words[subject - 1] == _BY
        return _side(subject, verb) > _side(target, verb)

    def _is_passive(self, verb: int) -> bool:
        before = self.words[:verb]
        return not _BEING.isdisjoint(before) and _DOING.isdisjoint(before)


def _side(place: int | None, verb: int) -> int:
    """1 before the predicate, -1 after it, 0 for what is not named."""
    return 0 if place is None else 1 if place < verb else -1


def _content(words: str) -> list[str]:
    found = terms(words)
    return [word for word in found if word not in FUNCTION_WORDS] or found


def _found(words: Sequence[str], run: Sequence[str]) -> int | None:
    """Where a run of words stands first."""
    length = len(run)
    places = range(len(words) - length + 1) if length else ()
    return next((place for place in places if list(words[place : place + length]) == list(run)), None)
