"""Keys under which names, predicates and types are the same."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby

from post_graph_rag.clean import clean_text
from post_graph_rag.folding import fold, shorten, visible

MAX_KEY = 200
"""Longest key in characters; a longer one keeps its beginning and a hash of the whole."""

# Spellings of one legal form. Forms stay apart from each other ("Acme GmbH", "Acme Ltd": two companies of one group)
# and from the bare name, which a recorded alias may join.
_LEGAL_FORMS = {
    "corporation": "corp",
    "incorporated": "inc",
    "limited": "ltd",
    "company": "co",
    "companies": "cos",
    "aktiengesellschaft": "ag",
    "gesellschaft mit beschrankter haftung": "gmbh",
    "limited liability company": "llc",
    "public limited company": "plc",
    "limited liability partnership": "llp",
    "limited partnership": "lp",
    "proprietary": "pty",
    "societe anonyme": "sa",
    "sociedad anonima": "sa",
    "kabushiki kaisha": "kk",
    "naamloze vennootschap": "nv",
    "besloten vennootschap": "bv",
    "kommanditgesellschaft": "kg",
    "aktiebolag": "ab",
    "osakeyhtio": "oy",
}
_FORM_WORDS = frozenset(_LEGAL_FORMS.values()) | {"corp", "inc", "ltd", "co", "and"}
_LONGEST_FORM = max(len(form.split()) for form in _LEGAL_FORMS)

_APOSTROPHES = re.compile("['\u2018\u2019\u02bc`]")
_POINT_IN_NUMBER = re.compile(r"(?<=\d)\.(?=\d)")
_MINUS = re.compile(r"(?<![^\s(])[-\u2212](?=\d)")
_KEPT_MARKS = frozenset("#%\ue000\ue001")
_PREPOSITIONS = frozenset(
    ("of", "by", "in", "to", "at", "from", "for", "with", "on", "as", "under", "over", "into", "about", "than", "near")
)
_ARTICLES = frozenset(("a", "an", "the"))
_PREDICATE_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=1 << 14)
def name_key(name: str) -> str:
    """The key under which exact resolution takes two names for one.

    Folded: compatibility forms, case, accents, punctuation, blanks, "&" = "and", a leading "the", initials
    ("J. R. R." = "JRR"), spellings of a legal form at the end ("Acme Corp." = "Acme Corporation"). Kept: legal forms
    as such, symbols ("C++", "C#", "A$AP"), digits, their point and sign. A name of marks only is its own casefolded
    text.

    name: any text. Returns at most `MAX_KEY` characters; empty only for an empty name.
    """
    text = fold(_without_apostrophes(name)).replace("&", " and ")
    words = _join_initials(_words(text))
    words = words[1:] if len(words) > 1 and words[0] == "the" else words
    return shorten(" ".join(_unify_legal_form(words)) or _raw_key(name), MAX_KEY)


@lru_cache(maxsize=1 << 14)
def predicate_key(predicate: str) -> str:
    """A predicate in lower snake case: "owned by", "ownedBy", "is owned by" and "OWNED-BY" are owned_by.

    Words are never dropped or turned but a leading "is" or "are" (and the article after it) before a predicate that
    ends in a preposition; so no predicate becomes its inverse and no past becomes a present.
    """
    text = fold(_PREDICATE_HUMP.sub(" ", _without_apostrophes(predicate)))
    return shorten("_".join(_without_copula(_words(text.replace("_", " ")))) or _raw_key(predicate), MAX_KEY)


def predicate_words(key: str) -> str:
    """A predicate key as words: "owned_by" reads "owned by"."""
    return key.replace("_", " ").strip() or key


def _without_apostrophes(text: str) -> str:
    # The acute accent that some type for an apostrophe has a compatibility form with a blank in it.
    return _APOSTROPHES.sub("", visible(text.replace("\u00b4", "'")))


def _words(text: str) -> list[str]:
    marked = _MINUS.sub("\ue001", _POINT_IN_NUMBER.sub("\ue000", text))
    kept = "".join(char if _stays(char) else " " for char in marked)
    return kept.replace("\ue000", ".").replace("\ue001", "-").split()


def _stays(char: str) -> bool:
    return char.isalnum() or char in _KEPT_MARKS or unicodedata.category(char)[0] in "LMNS"


def _raw_key(name: str) -> str:
    """What remains of a name without letters: its visible text, else whatever it is, storable in any case."""
    return " ".join(fold(visible(name)).split()) or clean_text(name)[0]


def _join_initials(words: list[str]) -> list[str]:
    joined: list[str] = []
    for initials, group in groupby(words, key=_is_initial):
        run = list(group)
        joined += ["".join(run)] if initials else run
    return joined


def _is_initial(word: str) -> bool:
    return len(word) == 1 and unicodedata.category(word) == "Ll"


def _unify_legal_form(words: list[str]) -> list[str]:
    """Spell the legal form at the end one way; forms may follow each other ("Pty Ltd", "Co., Limited")."""
    rest, forms = list(words), list[str]()
    while (last := _last_form(rest)) is not None:
        length, form = last
        del rest[-length:]
        forms.append(form)
    return [*rest, *reversed(forms)]


def _last_form(words: list[str]) -> tuple[int, str] | None:
    """The legal form that a name ends in, and how many of its words that is; never the whole name."""
    for length in range(min(_LONGEST_FORM, len(words) - 1), 0, -1):
        if form := _LEGAL_FORMS.get(" ".join(words[-length:])):
            return length, form
    return (1, words[-1]) if len(words) > 1 and words[-1] in _FORM_WORDS else None


def _without_copula(words: list[str]) -> list[str]:
    if len(words) < 3 or words[0] not in ("is", "are") or words[-1] not in _PREPOSITIONS:
        return words
    rest = words[2:] if words[1] in _ARTICLES else words[1:]
    return rest if len(rest) > 1 else words
