"""The context a model reads: facts with dates first, then passages packed whole, numbered, within a hard budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from post_graph_rag.models.tokens import Tokenizer, size
from post_graph_rag.records import PassageHit, QueryData, Reference, RelationHit
from post_graph_rag.retrieve.room import SEAM, Room
from post_graph_rag.retrieve.wording import fact_line, passage_block, passage_header, undated_note

_FACTS_SHARE = 0.4
"""Part of the room that facts may take while there are passages."""
_LEAST_PIECE = 60
"""Tokens below which a piece of a passage is of no use."""
_CHARACTERS = 4
"""Characters that may make one token: what has more per token of room will hardly fit, and is not tried whole."""
_CUT_MARK = " […]"
_CITED = 3
"""Sources named after one fact, at most."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A passage as it goes into the context; `text` is shorter than the passage's own when it was cut."""

    hit: PassageHit
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What goes into the context, best first."""

    facts: tuple[RelationHit, ...]
    passages: tuple[Packed, ...]

    def smaller(self) -> Draft:
        """Without its last passage, or its last fact when there is none."""
        if self.passages:
            return replace(self, passages=self.passages[:-1])
        return replace(self, facts=self.facts[:-1])

    def holds_all(self, data: QueryData) -> bool:
        whole = sum(packed.text == packed.hit.text for packed in self.passages)
        return whole == len(data.passages) and len(self.facts) == len(data.relations)


@dataclass(frozen=True, slots=True)
class Written:
    """A draft in words: the context, what its numbers stand for, and the exact size of the whole prompt."""

    draft: Draft
    context: str
    references: tuple[Reference, ...]
    tokens: int


def with_context(room: Room, data: QueryData, written: Written) -> QueryData:
    """`data` with the context that was made of it, its references, and the exact size of the whole prompt."""
    return data.model_copy(
        update={
            "context": written.context,
            "references": written.references,
            "tokens": written.tokens,
            "truncated": bool(room.notes) or not written.draft.holds_all(data),
            "notes": (*data.notes, *room.notes, *_undated(room, data)),
        }
    )


def _undated(room: Room, data: QueryData) -> tuple[str, ...]:
    note = undated_note(data.relations) if _dates_asked(room) else ""
    return (note,) if note else ()


def _dates_asked(room: Room) -> bool:
    return room.param.as_of is not None


def fitted(room: Room, data: QueryData) -> Written:
    """Everything where it fits, which is counted once; else what is packed by size."""
    budget = room.param.max_total_tokens
    if _characters(data) <= _CHARACTERS * room.left:
        written = _write(room, data, Draft(data.relations, tuple(Packed(hit, hit.text) for hit in data.passages)))
        if written.tokens <= budget:
            return written
    written = _write(room, data, _pack(room, data))
    while written.tokens > budget:
        written = _write(room, data, written.draft.smaller())
    return written


def _write(room: Room, data: QueryData, draft: Draft) -> Written:
    context, references = _compose(draft, data, _dates_asked(room))
    return Written(draft, context, references, room.tokens(context))


def _characters(data: QueryData) -> int:
    return sum(len(hit.text) for hit in data.passages) + sum(len(relation.fact) for relation in data.relations)


def _pack(room: Room, data: QueryData) -> Draft:
    left = room.left - size(room.tokenizer, _compose(Draft((), ()), data, _dates_asked(room))[0])
    facts, taken = _pack_facts(room, data.relations, int(left * _FACTS_SHARE) if data.passages else left)
    return Draft(facts, _pack_passages(room.tokenizer, data.passages, left - taken))


def _pack_facts(room: Room, relations: Sequence[RelationHit], left: int) -> tuple[tuple[RelationHit, ...], int]:
    """The first facts that fit, and what they take."""
    taken = 0
    for count, relation in enumerate(relations):
        words = fact_line(relation, (99,) * _CITED, dates_asked=_dates_asked(room))
        line = size(room.tokenizer, words) + SEAM
        if taken + line > left:
            return tuple(relations[:count]), taken
        taken += line
    return tuple(relations), taken


def _pack_passages(tokenizer: Tokenizer, hits: Sequence[PassageHit], left: int) -> tuple[Packed, ...]:
    """All that fit whole, in order; of the first that does not, the beginning in what room is left after them."""
    packed: dict[int, Packed] = {}
    too_long: int | None = None
    for place, hit in enumerate(hits):
        block = size(tokenizer, hit.text) + _frame(tokenizer, hit)
        if block <= left:
            packed[place], left = Packed(hit, hit.text), left - block
        elif too_long is None:
            too_long = place
    if too_long is not None and (piece := _piece(tokenizer, hits[too_long], left)):
        packed[too_long] = Packed(hits[too_long], piece)
    return tuple(packed[place] for place in sorted(packed))


def _frame(tokenizer: Tokenizer, hit: PassageHit) -> int:
    """Tokens round a passage's text: its header, the marks, a number of any length."""
    return size(tokenizer, passage_block(999, passage_header(hit), "")) + 2 * SEAM


def _piece(tokenizer: Tokenizer, hit: PassageHit, left: int) -> str:
    room = left - _frame(tokenizer, hit) - size(tokenizer, _CUT_MARK)
    text = tokenizer.cut(hit.text, room) if room >= _LEAST_PIECE else ""
    return f"{text.rstrip()}{_CUT_MARK}" if text else ""


def _compose(draft: Draft, data: QueryData, dates_asked: bool) -> tuple[str, tuple[Reference, ...]]:
    """The context and what its numbers stand for: the packed passages first, then those only facts rest on."""
    carriers = _carriers(data)
    numbers = _numbers(draft, carriers)
    cited = {fact.id: sorted(numbers[one] for one in _rests_on(fact, numbers, carriers)) for fact in draft.facts}
    lines = [fact_line(fact, cited[fact.id], dates_asked=dates_asked) for fact in draft.facts]
    blocks = [passage_block(numbers[one.hit.id], passage_header(one.hit), one.text) for one in draft.passages]
    parts = [*(["Facts:", *lines, ""] if lines else []), *(["Passages:", *blocks] if blocks else [])]
    hits = {hit.id: hit for hit in data.passages}
    return "\n".join(parts), tuple(_reference(number, hits[one]) for one, number in numbers.items())


def _carriers(data: QueryData) -> dict[int, int]:
    """Which passage is cited for one that was found: itself, or the one it was folded into."""
    return {one: hit.id for hit in data.passages for one in (hit.id, *hit.duplicates)}


def _numbers(draft: Draft, carriers: dict[int, int]) -> dict[int, int]:
    """Numbers from 1 for the passages that can be cited, by passage."""
    wanted = dict.fromkeys(packed.hit.id for packed in draft.passages)
    for fact in draft.facts:
        carried = [carriers[one] for one in fact.passages if one in carriers]
        if not any(one in wanted for one in carried):
            wanted.update(dict.fromkeys(carried[:1]))
    return {one: number for number, one in enumerate(wanted, 1)}


def _rests_on(fact: RelationHit, numbers: dict[int, int], carriers: dict[int, int]) -> list[int]:
    carried = dict.fromkeys(carriers[one] for one in fact.passages if one in carriers)
    return [one for one in carried if one in numbers][:_CITED]


def _reference(number: int, hit: PassageHit) -> Reference:
    source = hit.sources[0]
    return Reference(number=number, passage=hit.id, document=source.document, title=source.title, source=source.source)
