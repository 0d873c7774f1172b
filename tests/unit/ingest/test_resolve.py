"""Which entities aliases make one, as pure functions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.ingest.resolve import alias_merges, canonical
from post_graph_rag.kinds import types_compatible
from post_graph_rag.store.write import Claim, Member


def claim(
    source: int,
    target: int,
    source_types: Sequence[str] = (),
    target_types: Sequence[str] = (),
    stands: int | None = None,
) -> Claim:
    ends = (source, f"k{source:03}", target, f"k{target:03}")
    return Claim(*ends, stands or target, tuple(source_types), tuple(target_types))


def said(source: int, target: int) -> Claim:
    return replace(claim(source, target), said=True)


def member(id: int, target: int | None = None, key: str | None = None) -> Member:
    return Member(id, key or f"k{id:03}", 0, id, target)


def test_a_name_claimed_once_is_merged_into_its_claimant() -> None:
    assert alias_merges([claim(1, 2)]) == {1: 2}


def test_a_name_claimed_twice_binds_nobody() -> None:
    assert alias_merges([claim(1, 2), claim(1, 3), claim(4, 3)]) == {4: 3}


def test_claimants_that_are_one_make_no_name_ambiguous() -> None:
    # 1 "Big Blue", 2 "IBM", 3 "International Business Machines (IBM, Big Blue)"
    assert alias_merges([claim(2, 3), claim(1, 3), claim(1, 2)]) == {2: 3, 1: 2}


def test_claimants_that_are_not_one_any_more_do() -> None:
    assert alias_merges([claim(2, 3), claim(2, 4), claim(1, 3), claim(1, 2)]) == {}


def test_claimants_that_stand_for_one_by_claims_not_given_count_as_one() -> None:
    assert alias_merges([claim(1, 3, stands=5), claim(1, 2, stands=5)]) == {1: 2}
    assert alias_merges([claim(1, 3, stands=5), claim(1, 2, stands=6)]) == {}


def test_of_two_that_claim_each_other_one_goes_with_the_least_key() -> None:
    assert alias_merges([claim(1, 2), claim(2, 1)]) == {2: 1}


def test_a_circle_that_somebody_else_claims_goes_with_that_one() -> None:
    assert alias_merges([claim(1, 2), claim(2, 1), claim(2, 3)]) == {1: 2, 2: 3}


def test_kinds_that_exclude_each_other_are_not_merged() -> None:
    assert alias_merges([claim(1, 2, ["city"], ["person"])]) == {}
    assert alias_merges([claim(1, 2, ["city"], [""])]) == {1: 2}
    assert alias_merges([claim(1, 2, ["city"])]) == {1: 2}
    assert alias_merges([claim(1, 2, ["company"], ["organization"])]) == {1: 2}


def test_one_mistyped_observation_ends_no_merge() -> None:
    many = ["company", "", "firm", "city", "company"]
    assert alias_merges([claim(1, 2, many, ["organization", "person", "band"])]) == {1: 2}


@given(st.permutations(["city", "person", "", "thing", "city", "person"]))
def test_a_tie_of_kinds_is_broken_by_what_they_are(types: list[str]) -> None:
    assert alias_merges([claim(1, 2, types, ["city"])]) == {1: 2}
    assert alias_merges([claim(1, 2, types, ["actor"])]) == {}


def test_a_claimant_of_another_kind_still_makes_a_name_ambiguous() -> None:
    assert alias_merges([claim(1, 2, ["person"], ["person"]), claim(1, 3, ["person"], ["city"])]) == {}


def test_what_somebody_merged_makes_no_name_ambiguous() -> None:
    assert alias_merges([claim(1, 2), claim(1, 3), said(2, 3)]) == {1: 2}


def test_what_somebody_merged_is_merged_no_other_way_by_an_alias() -> None:
    assert alias_merges([said(1, 2), claim(2, 1)]) == {}
    assert alias_merges([claim(1, 2), said(2, 3), claim(3, 1)]) == {3: 1}


def test_what_is_apart_no_claim_makes_one() -> None:
    assert alias_merges([claim(1, 2)], {(1, 2)}) == {}
    assert alias_merges([claim(2, 1)], {(1, 2)}) == {}


def test_what_is_apart_does_not_become_one_through_a_third() -> None:
    assert alias_merges([claim(1, 2), claim(1, 3), claim(2, 3)], {(1, 2)}) == {2: 3}
    assert alias_merges([claim(1, 3), claim(2, 3)], {(1, 2)}) == {2: 3}
    assert alias_merges([claim(2, 3), claim(3, 1)], {(1, 2)}) == {2: 3}


def test_one_from_whom_it_is_apart_makes_no_name_ambiguous() -> None:
    assert alias_merges([claim(1, 2), claim(1, 3)], {(1, 2)}) == {1: 3}


def test_what_is_apart_stays_so_when_one_of_the_two_was_merged_by_somebody() -> None:
    assert alias_merges([said(1, 3), claim(3, 2)], {(1, 2)}) == {}


def test_an_entity_stands_for_itself_without_merges() -> None:
    assert canonical([member(1), member(2)]) == {1: 1, 2: 2}


def test_a_chain_leads_to_its_end() -> None:
    assert canonical([member(1, 2), member(2, 3), member(3)]) == {1: 3, 2: 3, 3: 3}


def test_a_circle_stands_for_its_least_key() -> None:
    circle = [member(1, 2, "zeta"), member(2, 3, "alpha"), member(3, 1, "mu"), member(4, 1, "beta")]
    assert canonical(circle) == dict.fromkeys((1, 2, 3, 4), 2)


ENTITIES = range(1, 9)
KINDS = st.fixed_dictionaries({n: st.sampled_from(["", "", "", "city", "person"]) for n in ENTITIES})
PAIRS = st.frozensets(st.tuples(st.sampled_from(ENTITIES), st.sampled_from(ENTITIES)), max_size=14).map(
    lambda pairs: sorted((source, target) for source, target in pairs if source != target)
)


def claims_of(pairs: list[tuple[int, int]], kinds: dict[int, str]) -> list[Claim]:
    return [claim(source, target, [kinds[source]], [kinds[target]]) for source, target in pairs]


def standing(merges: dict[int, int]) -> dict[int, int]:
    return canonical([member(n, merges.get(n)) for n in ENTITIES])


@st.composite
def people(draw: st.DrawFn) -> tuple[dict[int, int], frozenset[tuple[int, int]]]:
    """What people merged, never in a circle, and pairs of those that they took apart."""
    order = draw(st.permutations(ENTITIES))
    merges = {
        source: draw(st.sampled_from(order[n + 1 :]))
        for n, source in enumerate(order[:-1])
        if draw(st.integers(0, 4)) == 4
    }
    return merges, frozenset(draw(PAIRS)[: draw(st.integers(0, 4))])


NOBODY: tuple[dict[int, int], frozenset[tuple[int, int]]] = ({}, frozenset())
PEOPLE = st.one_of(st.just(NOBODY), people())


def told(claims: list[Claim], merges: dict[int, int]) -> list[Claim]:
    """The claims as they are read: of what somebody merged nothing but that."""
    return [c for c in claims if c.source not in merges] + [said(source, target) for source, target in merges.items()]


@given(PAIRS, KINDS, PEOPLE, st.permutations(ENTITIES), st.randoms())
def test_neither_order_nor_numbers_matter(
    pairs: list[tuple[int, int]],
    kinds: dict[int, str],
    people: tuple[dict[int, int], frozenset[tuple[int, int]]],
    numbers: list[int],
    chance: random.Random,
) -> None:
    """Numbers follow arrival; the keys of the entities stay theirs."""
    merges, apart = people
    claims = told(claims_of(pairs, kinds), merges)
    number = dict(zip(ENTITIES, numbers, strict=True))
    renumbered = [
        replace(c, source=number[c.source], target=number[c.target], stands=number[c.stands])
        for c in chance.sample(claims, len(claims))
    ]
    apart_renumbered = frozenset((number[a], number[b]) for a, b in apart)
    wanted = {number[s]: number[t] for s, t in alias_merges(claims, apart).items()}
    assert alias_merges(renumbered, apart_renumbered) == wanted


@given(PAIRS, KINDS, PEOPLE)
def test_merges_follow_claims_and_end_somewhere(
    pairs: list[tuple[int, int]], kinds: dict[int, str], people: tuple[dict[int, int], frozenset[tuple[int, int]]]
) -> None:
    merges, apart = people
    aliases = alias_merges(told(claims_of(pairs, kinds), merges), apart)
    assert aliases.items() <= set(pairs)
    assert aliases.keys().isdisjoint(merges)
    stands = standing(merges | aliases)
    assert set(stands.values()).isdisjoint(merges | aliases)
    one = standing(merges)
    assert all(one[a] == one[b] or stands[a] != stands[b] for a, b in apart)


@given(PAIRS, KINDS)
def test_who_is_left_apart_is_claimed_by_two_or_by_another_kind(
    pairs: list[tuple[int, int]], kinds: dict[int, str]
) -> None:
    stands = standing(alias_merges(claims_of(pairs, kinds)))
    for source in ENTITIES:
        others = {target for one, target in pairs if one == source and stands[target] != stands[source]}
        if len({stands[target] for target in others}) == 1:
            assert not any(types_compatible(kinds[source], kinds[target]) for target in others)


@given(PAIRS, KINDS, PEOPLE, st.sets(st.sampled_from(ENTITIES)))
def test_what_changed_can_be_decided_without_the_rest(
    pairs: list[tuple[int, int]],
    kinds: dict[int, str],
    people: tuple[dict[int, int], frozenset[tuple[int, int]]],
    touched: set[int],
) -> None:
    merges, apart = people
    claims = told(claims_of(pairs, kinds), merges)
    aliases = alias_merges(claims, apart)
    stands = standing(merges | aliases)
    leads = [*pairs, *merges.items(), *((t, s) for s, t in merges.items()), *apart, *((b, a) for a, b in apart)]
    affected = set(touched)
    while more := {source for source, target in leads if target in affected} - affected:
        affected |= more
    given_claims = [
        c if c.target in affected else replace(c, stands=stands[c.target]) for c in claims if c.source in affected
    ]
    given_apart = frozenset((a, b) for a, b in apart if a in affected)
    assert alias_merges(given_claims, given_apart) == {s: t for s, t in aliases.items() if s in affected}


@given(st.dictionaries(st.integers(1, 8), st.integers(1, 8)))
def test_every_component_has_one_that_stands_for_all(merges: dict[int, int]) -> None:
    members = [member(n, merges.get(n)) for n in range(1, 9)]
    stands = canonical(members)
    assert all(stands[stands[n]] == stands[n] for n in stands)
    assert all(stands[source] == stands[target] for source, target in merges.items())
