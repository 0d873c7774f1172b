"""An answer made of the sentences that match the question best, each with the number of its source."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from post_graph_rag.function_words import FUNCTION_WORDS
from post_graph_rag.models.answer_call import NOT_IN_SOURCES
from post_graph_rag.terms import terms

MOST_STATEMENTS = 4
# Part of the question's weight that the best statement must carry.
LEAST_COVERAGE = 0.25
# A further statement must add at least this part of what the first one gave.
LEAST_GAIN = 0.3
# What a name that a chosen statement brought in counts, against a word of the question itself.
BRIDGE_WEIGHT = 0.6

# How much more a statement counts that could answer the question's where or when.
ASKED_FACTOR = 1.5

NUMBERS = re.compile(r"\[(\d+)\]")
FACT = re.compile(r"^- (?P<text>.+?)(?P<numbers>(?: ?\[\d+\])+)$", re.MULTILINE)
PASSAGE = re.compile(
    r"^\[(?P<number>\d+)\] ?(?P<header>[^\n]*)\n<passage (?P<mark>\d+)>\n(?P<text>.*?)\n</passage (?P=mark)>$",
    re.M | re.S,
)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"“(]?[A-Z0-9])|\n+")
# How a sentence begins that speaks of what its document is about.
POINTING = re.compile(r"(?:In \d+,? )?(?:he|she|it|they|his|her|its|their|the)\b", re.IGNORECASE)
NAME = re.compile(r"\b[A-Z][\w'’-]*")
ASKED = {
    "where": re.compile(
        r"\b(?:in|at|from|near|to) (?:the )?(?!(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b)[A-Z]"
    ),
    "when": re.compile(r"\b\d{4}\b"),
}
SUFFIX = re.compile(r"(?:ing|ed|es|er|or|ion|e|s)$")


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact or a sentence of the context, the sources it rests on, and its words as they are compared."""

    text: str
    numbers: tuple[str, ...]
    words: frozenset[str]


def extractive_answer(question: str, context: str) -> str:
    """Answer with up to four statements of the context, or say that the sources hold no answer.

    question: the user's words. context: facts and numbered passages, as they are put into an answer prompt.

    Statements are chosen greedily for what they add of the question's words, weighted by rarity. Names in a chosen
    statement count as words of the question from then on, so that a chain over two documents can be followed.
    """
    statements = _statements(context)
    weights = _weights(_words(question), statements)
    if not _is_covered(question, weights, statements):
        return NOT_IN_SOURCES
    chosen = _chosen(weights, statements, ASKED.get(question.split()[0].casefold()))
    return " ".join(_cited(statement) for statement in chosen) or NOT_IN_SOURCES


def _chosen(
    weights: dict[str, float], statements: Sequence[Statement], asked: re.Pattern[str] | None
) -> list[Statement]:
    wanted, bridges = dict(weights), dict[str, float]()
    chosen: list[Statement] = []
    gains: list[float] = []
    while len(chosen) < min(MOST_STATEMENTS, len(statements)):
        gain, place = max((_gain(wanted, bridges, one, asked), -place) for place, one in enumerate(statements))
        if gain <= 0 or gain < LEAST_GAIN * max(gains, default=0.0):
            break
        chosen.append(statements[-place])
        gains.append(gain)
        wanted = {word: weight for word, weight in wanted.items() if word not in chosen[-1].words}
        bridges |= _bridges(chosen[-1], weights)
    return chosen


def _gain(
    wanted: dict[str, float], bridges: dict[str, float], statement: Statement, asked: re.Pattern[str] | None
) -> float:
    """What a statement adds: words of the question first; without one of them, bridges alone lead astray."""
    own = _weight_in(statement, wanted)
    if not own:
        return 0.0
    fit = ASKED_FACTOR if asked is not None and asked.search(statement.text) else 1.0
    # Of two that say the same the shorter one is the answer.
    return fit * (own + _weight_in(statement, bridges)) / (1 + len(statement.words) / 100)


def _bridges(taken: Statement, weights: dict[str, float]) -> dict[str, float]:
    """The names a statement brought in: what the next one of a chain will speak of."""
    average = sum(weights.values()) / len(weights)
    names = {word for name in NAME.findall(taken.text) for word in _words(name)} - set(weights)
    return dict.fromkeys(names, BRIDGE_WEIGHT * average)


def _weight_in(statement: Statement, weights: dict[str, float]) -> float:
    return sum(weight for word, weight in weights.items() if word in statement.words)


def _is_covered(question: str, weights: dict[str, float], statements: Sequence[Statement]) -> bool:
    """Whether the sources speak of this at all: of a name the question gives, and of enough of it at once."""
    if not weights or not statements:
        return False
    said = frozenset[str]().union(*(statement.words for statement in statements))
    names = {word for name in NAME.findall(question)[_leading(question) :] for word in _words(name)}
    if names and not names & said:
        return False
    best = max(_weight_in(statement, weights) for statement in statements)
    return best >= LEAST_COVERAGE * sum(weights.values())


def _leading(question: str) -> int:
    """1 when the first word is capitalized only because it begins the sentence."""
    return int(question.lstrip()[:1].isupper() and bool(FUNCTION_WORDS & set(question.lower().split()[:1])))


def _weights(words: Iterable[str], statements: Sequence[Statement]) -> dict[str, float]:
    counts = Counter(word for statement in statements for word in statement.words)
    return {word: math.log(1 + (1 + len(statements)) / (1 + counts[word])) for word in words}


def _statements(context: str) -> list[Statement]:
    """Facts first, then sentences; what stands in both is one, known by the words of both."""
    found: dict[str, Statement] = {}
    for said in (*_facts(context), *_sentences(context)):
        key = said.text.rstrip(" .").casefold()
        known = found.get(key)
        found[key] = replace(known, words=known.words | said.words) if known else said
    return list(found.values())


def _facts(context: str) -> Iterator[Statement]:
    for fact in FACT.finditer(context):
        text = fact["text"].strip()
        yield Statement(text, tuple(NUMBERS.findall(fact["numbers"])), frozenset(_words(text)))


def _sentences(context: str) -> Iterator[Statement]:
    for passage in PASSAGE.finditer(context):
        for sentence in SENTENCE.split(passage["text"]):
            # What a source writes in brackets must not pass for a reference of ours.
            text = NUMBERS.sub(r"(\1)", " ".join(sentence.split()))
            if len(text.split()) > 2 and not text.startswith("#"):
                words = _words(text) + (_words(passage["header"]) if POINTING.match(text) else [])
                yield Statement(text, (passage["number"],), frozenset(words))


def _words(text: str) -> list[str]:
    return [_stem(term) for term in dict.fromkeys(terms(text)) if term not in FUNCTION_WORDS]


def _stem(term: str) -> str:
    return SUFFIX.sub("", term) if len(term) > 5 and term.isalpha() else term


def _cited(statement: Statement) -> str:
    return f"{statement.text.rstrip(' .')} {''.join(f'[{number}]' for number in statement.numbers)}."
