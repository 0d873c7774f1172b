"""Which entities aliases make one, as pure functions."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.ingest.resolve import alias_merges, canonical
from post_graph_rag.store.write import Claim, Member


def claim(source: int, target: int, source_type: str = "", target_type: str = "") -> Claim:
    return Claim(source, target, (source_type,), (target_type,))


def member(id: int, target: int | None = None, key: str | None = None) -> Member:
    return Member(id, key or f"k{id:03}", 0, id, target)


def test_a_name_claimed_once_is_merged_into_its_claimant() -> None:
    assert alias_merges([claim(1, 2)]) == {1: 2}


def test_a_name_claimed_twice_binds_nobody() -> None:
    assert alias_merges([claim(1, 2), claim(1, 3), claim(4, 3)]) == {4: 3}


def test_types_that_exclude_each_other_are_not_merged() -> None:
    assert alias_merges([claim(1, 2, "city", "person")]) == {}
    assert alias_merges([claim(1, 2, "city", "")]) == {1: 2}
    assert alias_merges([claim(1, 2, "company", "organization")]) == {1: 2}


def test_a_claimant_that_types_exclude_still_makes_a_name_ambiguous() -> None:
    assert alias_merges([claim(1, 2, "person", "person"), claim(1, 3, "person", "city")]) == {}


def test_an_entity_stands_for_itself_without_merges() -> None:
    assert canonical([member(1), member(2)]) == {1: 1, 2: 2}


def test_a_chain_leads_to_its_end() -> None:
    assert canonical([member(1, 2), member(2, 3), member(3)]) == {1: 3, 2: 3, 3: 3}


def test_a_circle_stands_for_its_least_key() -> None:
    circle = [member(1, 2, "zeta"), member(2, 3, "alpha"), member(3, 1, "mu"), member(4, 1, "beta")]
    assert canonical(circle) == dict.fromkeys((1, 2, 3, 4), 2)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), max_size=12), st.randoms())
def test_the_order_of_claims_does_not_matter(pairs: list[tuple[int, int]], chance: random.Random) -> None:
    claims = [claim(source, target) for source, target in set(pairs) if source != target]
    shuffled = chance.sample(claims, len(claims))
    assert alias_merges(claims) == alias_merges(shuffled)


@given(st.dictionaries(st.integers(1, 8), st.integers(1, 8)))
def test_every_component_has_one_that_stands_for_all(merges: dict[int, int]) -> None:
    members = [member(n, merges.get(n)) for n in range(1, 9)]
    stands = canonical(members)
    assert all(stands[stands[n]] == stands[n] for n in stands)
    assert all(stands[source] == stands[target] for source, target in merges.items())
