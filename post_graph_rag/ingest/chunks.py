"""Text cut into passages: bounded in tokens, at the text's own joints, stable where the text did not change.

A passage is filled with atoms up to the bound; then the cut goes to the strongest joint in the last part of it, and
among equals to the one that a hash of the text before it chooses. So a cut depends on what stands around it, not on
how much text came before: an edit moves the cuts near it, and the others stay (content-defined chunking:
Muthitacharoen et al., SOSP 2001).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from zlib import crc32

from post_graph_rag.errors import InputError
from post_graph_rag.ingest.atoms import Atom, Count, Joint, atoms

_FULL_ENOUGH = 0.7
"""A passage this full may be cut at any joint."""
_HALF_FULL = 0.4
"""Before a heading, or for want of the end of a sentence, a passage may be cut when it is no fuller than this."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage and where it stands: `text == document[start:end]`, offsets in characters."""

    text: str
    start: int
    end: int


def chunk_text(text: str, tokens: int, overlap: int, count: Count) -> list[Chunk]:
    """Cut a text into passages.

    text: any text; every character of it that is not blank is in a passage.
    tokens: most tokens a passage may have, as `count` counts them; only a single character may exceed it.
    overlap: how many tokens of a passage's end, at most, the next one repeats, in whole sentences or lines.
    count: size of a text in tokens; each character is counted a few times.
    Returns passages in the order of the text, none blank. Raises InputError unless 0 <= overlap < tokens.
    """
    if not 0 <= overlap < tokens:
        raise InputError(f"Passages of {tokens} tokens cannot overlap by {overlap}: need 0 <= overlap < tokens.")
    found = list(atoms(text, tokens, count))
    totals = [0, *accumulate(atom.tokens for atom in found)]
    return list(_Packer(text, found, totals, tokens, overlap, count).chunks())


def given_chunks(text: str, chunks: Sequence[str]) -> list[Chunk]:
    """Passages that the caller cut, located in the text in the order given; blank ones are left out.

    They may overlap. One that is not found word for word gets the empty span where the one before ended. Without a
    text the offsets are those in all chunks written one after the other.
    """
    located: list[Chunk] = []
    searched, previous = text or "".join(chunks), Chunk("", 0, 0)
    for chunk in chunks:
        previous = _locate(searched, chunk, previous)
        located.append(previous)
    return [chunk for chunk in located if chunk.text.strip()]


def _locate(text: str, chunk: str, previous: Chunk) -> Chunk:
    for search_from in (previous.end, previous.start):
        start = text.find(chunk, search_from)
        if start >= 0:
            return Chunk(chunk, start, start + len(chunk))
    return Chunk(chunk, previous.end, previous.end)


@dataclass(frozen=True, slots=True)
class _Packer:
    """Fills passages with atoms from left to right. Passages are half-open ranges of atoms; `totals` sums tokens."""

    text: str
    atoms: Sequence[Atom]
    totals: Sequence[int]
    tokens: int
    overlap: int
    count: Count

    def chunks(self) -> Iterator[Chunk]:
        begin = first = 0
        while first < len(self.atoms):
            begin, last = self._fill(self._overlapped(begin, first), first)
            if last < len(self.atoms):
                begin, last = self._shrink(begin, first, self._cut(begin, first, last))
            yield self._chunk(begin, last)
            first = last

    def _overlapped(self, previous: int, first: int) -> int:
        """Where a passage begins that repeats the end of the one before; a heading starts afresh."""
        begin = first
        while begin - 1 > previous and self.atoms[begin].joint is not Joint.HEADING:
            if self.totals[first] - self.totals[begin - 1] > self.overlap:
                break
            begin -= 1
        return begin

    def _fill(self, begin: int, first: int) -> tuple[int, int]:
        """As many atoms as fit, the one at `first` in any case; repeated ones give way to it."""
        while begin < first and self.totals[first + 1] - self.totals[begin] > self.tokens:
            begin += 1
        last = bisect_right(self.totals, self.totals[begin] + self.tokens) - 1
        return self._shrink(begin, first, max(last, first + 1))

    def _shrink(self, begin: int, first: int, last: int) -> tuple[int, int]:
        """Mend what sums of parts misjudge: a text may have more tokens than its atoms together."""
        while last - begin > 1 and self.count(self._chunk(begin, last).text) > self.tokens:
            begin, last = (begin, last - 1) if last > first + 1 else (begin + 1, last)
        return begin, last

    def _cut(self, begin: int, first: int, last: int) -> int:
        """The best place to end a passage that could hold the atoms up to `last`.

        Where its last part offers no end of a sentence, one is sought earlier; a heading is parted from what it heads
        only if there is no other place at all.
        """
        late = self._best(begin, first, last, _FULL_ENOUGH)
        early = self._best(begin, first, last, _HALF_FULL)
        for best, least in ((late, Joint.SENTENCE), (early, Joint.SENTENCE), (late, Joint.WORD), (early, Joint.WORD)):
            if self.atoms[best].joint >= least:
                return best
        return max(range(first + 1, last + 1), key=lambda place: (self.atoms[place].joint, place))

    def _best(self, begin: int, first: int, last: int, share: float) -> int:
        full = [place for place in range(first + 1, last + 1) if self._is_full(begin, place, share)]
        return max(full or [last], key=self._preference)

    def _is_full(self, begin: int, place: int, share: float) -> bool:
        least = _HALF_FULL if self.atoms[place].joint is Joint.HEADING else share
        return self.totals[place] - self.totals[begin] >= least * self.tokens

    def _preference(self, place: int) -> tuple[int, int]:
        before = self.atoms[place - 1]
        return self.atoms[place].joint, crc32(self.text[before.start : before.end].encode("utf-8", "surrogatepass"))

    def _chunk(self, begin: int, last: int) -> Chunk:
        start, end = self.atoms[begin].start, self.atoms[last - 1].end
        return Chunk(self.text[start:end], start, end)
