"""What a walk starts from, and what the channels count."""

from __future__ import annotations

import pytest

from post_graph_rag.records import Channel, QueryParam
from post_graph_rag.retrieve.channels import Found
from post_graph_rag.retrieve.walking import choose_seeds
from post_graph_rag.store.search import Hits


def hits(*ids: int) -> Hits:
    return Hits(list(ids), [1 / rank for rank in range(1, len(ids) + 1)])


@pytest.fixture
def found() -> Found:
    known = Found()
    known.add({"entity_vector": hits(*range(1, 31)), "relation_vector": hits(*range(1, 31))})
    known.add({"passage_vector": hits(1, 2, 3), "passage_text": hits(4, 5, 6), "entity_name": hits(40)})
    known.put("passage", "walk", hits(9, 8))
    return known


def test_a_walk_starts_from_eight_entities_and_four_relations(found: Found) -> None:
    seeds = choose_seeds(found, QueryParam())
    assert (len(seeds.entities), len(seeds.relations)) == (8, 4)


def test_a_name_in_the_question_is_a_start_beside_the_entity_that_is_most_alike(found: Found) -> None:
    assert {number for number, _ in choose_seeds(found, QueryParam()).entities[:2]} == {1, 40}


def test_the_first_passages_of_the_walk_come_before_those_of_single_channels(found: Found) -> None:
    assert [number for number, _ in found.best("passage", QueryParam(), 3)] == [9, 8, 4]


def test_a_weight_that_is_given_counts_instead_of_the_usual_one(found: Found) -> None:
    assert [number for number, _ in found.best("passage", QueryParam(weights={"passage_text": 3.0}), 2)] == [4, 5]


@pytest.mark.parametrize(("channel", "weight"), [("walk", 1.0), ("passage_vector", 0.2), ("evidence", 0.02)])
def test_a_channel_that_is_not_named_has_its_usual_weight(channel: Channel, weight: float) -> None:
    assert QueryParam(weights={"relation_text": 2.0}).weight(channel) == weight


def test_what_is_not_alike_at_all_only_fills_places_that_are_left() -> None:
    known = Found()
    known.add({"entity_vector": Hits([1, 2, 3], [0.5, 0.0, -0.1]), "entity_name": hits(3)})
    best = known.best("entity", QueryParam(), 3)
    assert [(number, round(score, 3)) for number, score in best] == [(1, 0.333), (3, 0.333), (2, 0.0)]


def test_a_walk_does_not_start_from_what_is_not_alike_at_all() -> None:
    known = Found()
    known.add({"entity_vector": Hits([1, 2], [0.5, 0.0]), "passage_vector": Hits([7], [0.0])})
    seeds = choose_seeds(known, QueryParam())
    assert ([number for number, _ in seeds.entities], list(seeds.passages)) == ([1], [])
