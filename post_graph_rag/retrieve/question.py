"""A question as the channels need it: texts to embed, terms to look up, keys of names that may stand in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from post_graph_rag.clean import clean_text
from post_graph_rag.errors import InputError
from post_graph_rag.function_words import FUNCTION_WORDS
from post_graph_rag.names import name_key
from post_graph_rag.records import QueryParam
from post_graph_rag.retrieve.asked_time import asked_time
from post_graph_rag.retrieve.misspelt import Doubtful, doubtful_words
from post_graph_rag.store.search import VectorChannel
from post_graph_rag.store.when import NOW, When
from post_graph_rag.terms import terms

_LONGEST_NAME = 7
"""Words of a name that is looked for in the question as a whole."""
_WORDS_READ = 60
"""Words of a question in which names are looked for: what is longer is a text, not a question."""
_TERMS_READ = 64
_WORDS_DOUBTED = 8
_BETWEEN_WORDS = re.compile(r"[\s/\u2013\u2014]+")
_HYPHEN = re.compile(r"[-\u2010](?=\w)")
_POSSESSIVE = re.compile(r"(?:['\u2019][sS]|(?<=[sS])['\u2019])\W*$")
_TWO_CAPITALS = re.compile(r"[A-Z]\w+ [A-Z]\w+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NO_NAMES = FUNCTION_WORDS | {"us", "may", "might", "could", "no", "not", "now", "if"}
"""Words that are a name only where they are written as one: "who" is not The Who, "us" is not the US."""
_ARTICLES = frozenset(("a", "an", "the"))


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, cleaned, the texts to search with, and the time that is meant.

    asked: the user's own words; texts: what to search for, the first of them the question itself or what stands for it.
    entities, relations: further texts that only these are searched with.
    """

    asked: str
    texts: tuple[str, ...]
    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    when: When = NOW

    @property
    def embedded(self) -> tuple[str, ...]:
        """Every text that needs a vector, once."""
        return tuple(dict.fromkeys((*self.texts, *self.entities, *self.relations)))

    def searching(self, channels: tuple[VectorChannel, ...]) -> Question:
        """The question without the texts that none of these channels is searched with."""
        entities = self.entities if "entity_vector" in channels else ()
        relations = self.relations if "relation_vector" in channels else ()
        return replace(self, entities=entities, relations=relations)

    def queries(self, channels: tuple[VectorChannel, ...]) -> list[tuple[VectorChannel, int]]:
        """Which channel is searched with which of the `embedded` texts."""
        number = {text: i for i, text in enumerate(self.embedded)}
        special = {"entity_vector": self.entities, "relation_vector": self.relations}
        return [
            (channel, number[text])
            for channel in channels
            for text in dict.fromkeys((*self.texts, *special.get(channel, ())))
        ]

    @property
    def terms(self) -> list[str]:
        """Lexical terms of all texts, once each, the first ones of a long text.

        Words of grammar are left out unless written as a name: "who" stands in The Who, and half of all passages hold
        "the". Where there are no others they are kept.
        """
        found = dict.fromkeys(term for text in self.embedded for term in terms(text))
        names = {key for told in self._told for key in _grammar_as_names(*told)}
        grammar = FUNCTION_WORDS - names | _ARTICLES
        return ([term for term in found if term not in grammar] or list(found))[:_TERMS_READ]

    @property
    def name_keys(self) -> list[str]:
        """Keys of all runs of words that may be an entity's name."""
        return list(dict.fromkeys(key for told in self._told for key in _run_keys(*told) if key))

    @property
    def doubtful(self) -> list[Doubtful]:
        """Words that may be names spelt otherwise, once each."""
        words = (word for told in self._told for word in doubtful_words(*told))
        return list({word.term: word for word in words}.values())[:_WORDS_DOUBTED]

    @property
    def _told(self) -> list[tuple[str, bool]]:
        """Each text, and whether it is a sentence, whose first capital says nothing; keywords are none."""
        keywords = {*self.entities, *self.relations}
        return [(text, text not in keywords) for text in self.embedded]


def read_question(question: str, param: QueryParam) -> Question:
    """Clean the question and gather what it is searched with.

    Raises InputError for an empty or blank question, for arguments of other types, and for times that cannot be meant.
    """
    check_types(question, param)
    asked = _cleaned(question)
    if not asked:
        raise InputError("the question is empty: ask something")
    searched = _cleaned(param.search_query or "") or asked
    return Question(
        asked=asked,
        texts=(searched, *_all_cleaned(param.subqueries)),
        entities=_joined(param.ll_keywords),
        relations=_joined(param.hl_keywords),
        when=asked_time(param),
    )


def clean_param(param: QueryParam) -> QueryParam:
    """`param` with the texts that go into a prompt cleaned, since no endpoint takes a lone surrogate."""
    history = tuple(
        turn.model_copy(update={"content": clean_text(turn.content)[0]}) for turn in param.conversation_history
    )
    form = None if param.response_type is None else clean_text(param.response_type)[0]
    return param.model_copy(update={"conversation_history": history, "response_type": form})


def check_types(question: object, param: object) -> None:
    """Raise InputError for arguments of other types than a text and a QueryParam."""
    if not isinstance(question, str):
        raise InputError(f"the question is a {type(question).__name__}: give it as text")
    if not isinstance(param, QueryParam):
        raise InputError(f"param is a {type(param).__name__}: give a QueryParam, such as QueryParam(top_k=5)")


def _cleaned(text: str) -> str:
    return clean_text(text)[0].strip()


def _all_cleaned(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text for text in map(_cleaned, texts) if text)


def _joined(words: tuple[str, ...]) -> tuple[str, ...]:
    kept = _all_cleaned(words)
    return (", ".join(kept),) if kept else ()


def _run_keys(text: str, is_sentence: bool) -> list[str]:
    words = _words(text)
    runs = ((i, i + length) for length in range(1, _LONGEST_NAME + 1) for i in range(len(words) - length + 1))
    keys = [(key, end) for start, end in runs for key in _keys(" ".join(words[start:end]))]
    return [key for key, end in keys if key not in _NO_NAMES or _is_name(words, end, is_sentence)]


def _grammar_as_names(text: str, is_sentence: bool) -> list[str]:
    """Words of grammar that stand for names, such as IT and The Who."""
    words = _words(text)
    keys = [(name_key(word), end) for end, word in enumerate(words, 1) if not word.islower()]
    return [key for key, end in keys if key in FUNCTION_WORDS and _is_name(words, end, is_sentence)]


def _words(text: str) -> list[str]:
    return [word for token in _BETWEEN_WORDS.split(text.strip()) for word in _parts(token)][:_WORDS_READ]


def _parts(token: str) -> list[str]:
    """ "Acme-owned" names Acme; of "state-of-the-art" no part is a name."""
    return _HYPHEN.split(token) if any(map(str.isupper, token)) else [token]


def _keys(run: str) -> list[str]:
    """Keys of a run of words as it stands, of the name whose possessive it is, and of "Open AI" and OpenAI both."""
    if run.isascii() and run.islower() and "'" not in run:
        return [name_key(run)]
    name = _POSSESSIVE.sub("", run)
    joined = name.replace(" ", "") if _TWO_CAPITALS.fullmatch(name) else name
    return [name_key(form) for form in dict.fromkeys((run, name, joined, _HUMP.sub(" ", name)))]


def _is_name(words: Sequence[str], end: int, is_sentence: bool) -> bool:
    """Whether the last word of a run has a capital that does not come from the beginning of a sentence."""
    letters = [char for char in words[end - 1] if char.isalpha()]
    begins = is_sentence and end == 1
    return len(letters) > 1 and (all(map(str.isupper, letters)) if begins else letters[0].isupper())
