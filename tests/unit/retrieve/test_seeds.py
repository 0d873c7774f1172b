"""What a walk starts from, and what the channels count."""

from __future__ import annotations

import pytest

from post_graph_rag.records import Channel, QueryParam
from post_graph_rag.retrieve.channels import Found
from post_graph_rag.retrieve.walking import choose_seeds, counted
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


@pytest.mark.parametrize(("relations", "weight"), [(1_000, 1.0), (300, 1.0), (150, 0.5), (10, 0.1), (0, 0.1)])
def test_the_walk_counts_by_how_many_relations_a_passage_has(relations: int, weight: float) -> None:
    assert counted(QueryParam(), relations, 100).weight("walk") == weight


def test_a_weight_of_the_walk_that_is_asked_for_is_kept_however_few_relations_there_are() -> None:
    assert counted(QueryParam(weights={"walk": 3.0}), 1, 100).weight("walk") == 3.0


def test_other_weights_are_kept_where_there_are_few_relations() -> None:
    assert counted(QueryParam(weights={"passage_text": 1.0}), 1, 100).weight("passage_text") == 1.0


def test_an_empty_realm_has_a_walk_that_counts_least() -> None:
    assert counted(QueryParam(), 0, 0).weight("walk") == 0.1
