"""Gates between what an extractor says and what is stored: each named, counted, and able to be switched off.

A gate drops an item or mends it; `impossible_date` only counts: what a passage states is kept as it stands, and
structure.py says what can be made of it. `unknown_type`, `unknown_predicate` and `unfit_type` hold what was found
against the user's schema, and only count unless it is strict. No gate turns a predicate into its inverse, none judges a
name by its length, and case counts: "it" is a pronoun, "IT" is not.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar, get_args

from post_graph_rag.errors import ImpossibleDate, InputError
from post_graph_rag.ingest.expected import Expected, Told, Types
from post_graph_rag.kinds import coarse_type
from post_graph_rag.moments import period
from post_graph_rag.names import name_key, predicate_key
from post_graph_rag.records import ExtractedEntity, ExtractedRelation, Extraction, Gate

DEFAULT_GATES: frozenset[Gate] = frozenset(get_args(Gate))
"""All gates."""
MIN_CONFIDENCE = 0.2
"""Relations of less confidence are dropped by the gate `low_confidence`."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PRONOUNS = _words(
    """i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself
    we us our ours ourselves they them their theirs themselves this that these those who whom whose which what
    someone somebody something anyone anybody anything everyone everybody everything nobody nothing
    one another others both"""
)
# Names that are pronouns too: a film "Her", a company "Them".
_NAMEABLE = frozenset(("work", "product", "organization", "event"))
# Words that state nothing, or that there is nothing to state. "Is" and "has" do state something of their object.
_VAGUE = _words(
    """and or the a an to not none null nil unknown unspecified n_a na not_applicable
    no_relation no_relationship no_relationship_with no_relation_to no_connection no_connection_to
    no_direct_relationship unrelated unrelated_to not_related not_related_to is_unrelated_to"""
)
# A bare connection: only what its description says makes a statement of it.
_BARE = _words(
    """related relates relation relationship related_to is_related_to relates_to has_relation has_relation_to
    has_relationship_with relationship_with"""
)
# A plain denial: "not owned by", "was never in", "doesn't own", "is not". Others ("may not own", "not yet in") stay.
_DENIAL = re.compile(
    r"(?P<verb>(?:is|are|was|were|be|been|do|does|did|has|have|had|will|would|can)(?=[\s_]|n['\u2019]t|not))?"
    r"(?:n['\u2019]t|[\s_]*(?:not|never))"
    r"(?:[\s_]+(?!(?:only|yet|to|always|necessarily|all|just|so)(?![^\W_]))|(?(verb)$|(?!)))",
    re.IGNORECASE,
)

Item = TypeVar("Item", ExtractedEntity, ExtractedRelation)
Named = frozenset[str]
"""Names of the entities that were kept: a relation may have them as ends whatever they look like."""
ANYTHING = Expected()
NOTHING = Told()


def apply_gates(
    extraction: Extraction,
    gates: Collection[Gate] = DEFAULT_GATES,
    min_confidence: float = MIN_CONFIDENCE,
    expected: Expected = ANYTHING,
    told: Told = NOTHING,
) -> tuple[Extraction, Counter[str]]:
    """Drop or mend what must not be stored.

    gates: names of the gates that are closed. min_confidence: bound of `low_confidence`, from 0 to 1.
    expected: what the user wants to find. told: what the model was given, for `prompt_name`.
    Returns what remains, in order, and how often each gate dropped or mended something.
    Raises InputError for an unknown gate.
    """
    warden = _Warden(known_gates(gates), min_confidence, expected, told, Counter())
    entities = warden.entities(extraction.entities)
    relations = warden.relations(extraction.relations, entities)
    return Extraction(entities=entities, relations=relations), warden.counts


def known_gates(gates: Collection[Gate]) -> frozenset[Gate]:
    """These gates, each of which there must be. Raises InputError."""
    if unknown := set(gates) - DEFAULT_GATES:
        raise InputError(f"Unknown gates {sorted(unknown)}; there are {sorted(DEFAULT_GATES)}.")
    return frozenset(gates)


@dataclass(frozen=True, slots=True)
class _Warden:
    """Sends items through the gates that are closed and counts what each does."""

    gates: frozenset[Gate]
    min_confidence: float
    expected: Expected
    told: Told
    counts: Counter[str]

    def entities(self, entities: Iterable[ExtractedEntity]) -> tuple[ExtractedEntity, ...]:
        kept = [self._with_real_aliases(entity) for entity in entities if not self._drops_entity(entity)]
        if "unknown_type" in self.gates:
            kept = [self.expected.spelled(entity) for entity in kept]
        return self._unique(kept, _entity_identity, _merge_entities)

    def relations(
        self, relations: Iterable[ExtractedRelation], entities: Collection[ExtractedEntity]
    ) -> tuple[ExtractedRelation, ...]:
        named = frozenset(entity.name for entity in entities)
        types = self.expected.types_among(entities) if self.expected.types else {}
        said = (self._mend("negated_predicate", _without_negation, relation) for relation in relations)
        mended = (self._mend("predicate_alias", self.expected.named, relation) for relation in said)
        kept = [
            relation
            for relation in mended
            if not self._drops_relation(relation, named) and not self._unexpected(relation, types)
        ]
        for relation in kept:
            self._count_impossible_dates(relation)
        return self._unique(kept, _relation_identity, _merge_relations)

    def _drops_entity(self, entity: ExtractedEntity) -> bool:
        return (
            self._shut("empty_name", is_empty_name(entity.name))
            or self._shut("pronoun", is_pronoun(entity.name) and coarse_type(entity.type) not in _NAMEABLE)
            or self._shut("prompt_name", self.told.leaked(entity.name))
            or self._beyond("unknown_type", not self.expected.lists(entity.type))
        )

    def _drops_relation(self, relation: ExtractedRelation, named: Named) -> bool:
        ends = (relation.subject, relation.object)
        key = predicate_key(relation.predicate)
        return (
            self._shut("empty_name", any(map(is_empty_name, ends)))
            or self._shut("pronoun", any(is_pronoun(end) and end not in named for end in ends))
            or self._shut("prompt_name", any(map(self.told.leaked, ends)))
            or self._shut("empty_predicate", is_empty_name(relation.predicate))
            or self._shut("vague_predicate", key in _VAGUE or (key in _BARE and not relation.description))
            or self._shut("self_loop", name_key(ends[0]) == name_key(ends[1]))
            or self._shut("low_confidence", not relation.confidence >= self.min_confidence)
        )

    def _unexpected(self, relation: ExtractedRelation, types: Types) -> bool:
        # An end that is not among the entities was dropped for its type, or never had one.
        typeless = self.expected.strict and bool(self.expected.types) and not self._ends_among(relation, types)
        return (
            self._beyond("unknown_type", typeless)
            or self._beyond("unknown_predicate", not self.expected.makes(relation.predicate))
            or self._beyond("unfit_type", not self.expected.fits(relation, types))
        )

    @staticmethod
    def _ends_among(relation: ExtractedRelation, types: Types) -> bool:
        return all(name_key(end) in types for end in (relation.subject, relation.object))

    def _beyond(self, gate: Gate, faulty: bool) -> bool:
        """As `_shut`, but only a strict schema stops what is beyond it."""
        return self._shut(gate, faulty) and self.expected.strict

    def _shut(self, gate: Gate, faulty: bool) -> bool:
        """Whether a faulty item stops at this gate."""
        stops = faulty and gate in self.gates
        if stops:
            self.counts[gate] += 1
        return stops

    def _mend(self, gate: Gate, mend: Callable[[Item], Item], item: Item) -> Item:
        mended = mend(item)
        return mended if mended is not item and self._shut(gate, True) else item

    def _with_real_aliases(self, entity: ExtractedEntity) -> ExtractedEntity:
        aliases = tuple(
            alias
            for alias in entity.aliases
            if not self._shut("empty_name", is_empty_name(alias))
            and not self._shut("pronoun", is_pronoun(alias))
            and not self._shut("prompt_name", self.told.leaked(alias))
        )
        return entity if aliases == entity.aliases else entity.model_copy(update={"aliases": aliases})

    def _count_impossible_dates(self, relation: ExtractedRelation) -> None:
        start, end = relation.valid_from, relation.valid_to
        if readable_dates(start, end):
            return
        # Each date that cannot be read, or else the two that contradict each other.
        for _ in range((not readable_dates(start, None)) + (not readable_dates(None, end)) or 1):
            self._shut("impossible_date", True)

    def _unique(
        self, items: Iterable[Item], identity: Callable[[Item], Hashable], merge: Callable[[Item, Item], Item]
    ) -> tuple[Item, ...]:
        if "duplicate" not in self.gates:
            return tuple(items)
        unique: dict[Hashable, Item] = {}
        for item in items:
            known = unique.get(identity(item))
            self._shut("duplicate", known is not None)
            unique[identity(item)] = item if known is None else merge(known, item)
        return tuple(unique.values())


def is_empty_name(name: str) -> bool:
    """Whether a name has no letter, digit or symbol: only blanks, punctuation, invisible characters."""
    return all(unicodedata.category(char)[0] in "PZC" for char in name)


def is_pronoun(name: str) -> bool:
    """Whether a name is only a pronoun; written in capitals ("IT", "WHO", "US") it is a name, save "I"."""
    word = name.strip()
    return word.casefold() in _PRONOUNS and (word == "I" or not word.isupper())


def _without_negation(relation: ExtractedRelation) -> ExtractedRelation:
    """A relation whose predicate begins with a plain denial says it by `negated` instead."""
    predicate = relation.predicate.strip()
    denial = _DENIAL.match(predicate)
    if not denial:
        return relation
    affirmed = f"{denial['verb'] or ''} {predicate[denial.end() :]}".strip()
    return relation.model_copy(update={"predicate": affirmed, "negated": True})


def readable_dates(valid_from: str | None, valid_to: str | None) -> bool:
    """Whether a period can be made of two stated dates."""
    try:
        period(valid_from, valid_to)
    except ImpossibleDate:
        return False
    return True


def _entity_identity(entity: ExtractedEntity) -> Hashable:
    return name_key(entity.name), coarse_type(entity.type) or entity.type.casefold()


def _merge_entities(first: ExtractedEntity, second: ExtractedEntity) -> ExtractedEntity:
    descriptions = dict.fromkeys(text for text in (first.description, second.description) if text)
    aliases = tuple(dict.fromkeys((*first.aliases, *second.aliases)))
    return first.model_copy(update={"description": " ".join(descriptions), "aliases": aliases})


def _relation_identity(relation: ExtractedRelation) -> Hashable:
    ends = name_key(relation.subject), name_key(relation.object)
    return (*ends, predicate_key(relation.predicate), relation.negated, relation.valid_from, relation.valid_to)


def _merge_relations(first: ExtractedRelation, second: ExtractedRelation) -> ExtractedRelation:
    confidence = max(first.confidence, second.confidence)
    description = first.description or second.description
    evidence = first.evidence or second.evidence
    return first.model_copy(update={"confidence": confidence, "description": description, "evidence": evidence})
