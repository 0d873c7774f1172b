"""Which of a few coarse kinds an entity's free-text type means, to keep a place and a person of one name apart."""

from __future__ import annotations

import re
from functools import lru_cache

from post_graph_rag.folding import fold, visible

_WORDS = {
    "person": """person people human individual character artist actor actress author writer poet novelist musician
        singer composer painter politician president minister king queen monarch emperor scientist researcher
        athlete player footballer coach director employee founder executive officer journalist soldier saint deity god
        family man woman contact per""",
    "organization": """organization organisation org company corporation business firm institution agency university
        college school team club band group party government ministry department committee army military
        church museum bank airline publisher label newspaper union league association foundation court brand""",
    "place": """place location loc gpe city town village country nation state province region county district
        continent island river lake mountain sea ocean planet moon star street road building facility fac venue stadium
        airport bridge park address area territory settlement municipality landmark""",
    "event": """event war battle conflict meeting conference election festival ceremony tournament competition match
        season incident accident disaster revolution treaty championship race holiday""",
    "work": """work book novel film movie song album series show play poem painting article paper document law statute
        publication report story opera episode magazine contract art game""",
    "product": """product software application app device vehicle car aircraft ship weapon drug medicine food tool
        technology service platform model machine material chemical substance library framework database protocol
        element compound mineral fruit vegetable""",
    "concept": """concept idea topic theory field discipline term method process principle subject skill disease
        condition language religion award position role title genre species animal plant
        date time number quantity money percent percentage""",
}
_KIND = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_SENSES = {"person": 1, "place": 2, "organization": 3, "event": 4, "work": 4, "product": 4, "concept": 4}
# Kinds that extractors give the same thing in turn.
_INTERCHANGEABLE = ({"work", "product", "concept"}, {"event", "concept"})


@lru_cache(maxsize=1 << 12)
def coarse_type(type_: str) -> str:
    """The kind a free-text type means: person, organization, place, event, work, product, concept, or "" if unknown.

    The head noun decides: "software company" is an organization, "work of art" a work.
    """
    head = re.split(r"\bof\b|\bfor\b|[(,]", fold(visible(type_)).replace("_", " "), maxsplit=1)[0]
    for word in reversed(re.findall(r"\w+", head)):
        kind = _KIND.get(word) or _KIND.get(word.removesuffix("s")) or _KIND.get(word.removesuffix("ies") + "y")
        if kind:
            return kind
    return ""


def type_key(type_: str) -> str:
    """The key under which two type names are the same: case, accents, underscores and blanks are folded."""
    return " ".join(fold(visible(type_)).replace("_", " ").split())


def types_compatible(first: str, second: str) -> bool:
    """Whether two free-text types can be of one thing; an unknown type goes with every other."""
    kinds = {coarse_type(first), coarse_type(second)}
    return "" in kinds or len(kinds) == 1 or any(kinds <= group for group in _INTERCHANGEABLE)


def sense_of(type_: str) -> int:
    """Which of the things that may bear one name a free-text type means: a number above 0, or 0 if that is unknown.

    Coarser than `coarse_type`, since extractors give a thing other than a person, a place or an organization now one
    kind and now another.
    """
    return _SENSES.get(coarse_type(type_), 0)
