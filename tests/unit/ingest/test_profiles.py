"""Names, types and descriptions from what passages say."""

from __future__ import annotations

import json
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.ingest.profiles import Profile, profile
from post_graph_rag.profiles import DESCRIPTION_LIMIT

Saying = tuple[str, str, str, bool]


def row(*sample: Saying, **fields: Any) -> dict[str, Any]:
    before = {"entity": 1, "space": 2, "name": None, "type": None, "description": None, "stands": True, "live": True}
    return {
        **before,
        "current": False,
        "pending": None,
        "given": None,
        "sample": json.dumps(sample) if sample else None,
        **fields,
    }


def made(*sample: Saying, **fields: Any) -> Profile:
    found = profile(row(*sample, **fields))
    assert found is not None
    return found


def test_nothing_said_and_nothing_kept_is_no_profile() -> None:
    assert profile(row()) is None


def test_a_new_entity_needs_its_vector() -> None:
    found = made(("Acme", "company", "Makes kilns.", True))
    assert (found.name, found.type, found.description, found.current, found.pending) == (
        "Acme", "company", "Makes kilns.", True, True
    )  # fmt: skip
    assert found.text == "Acme: Makes kilns."


def test_the_same_words_again_need_no_vector() -> None:
    found = made(
        ("Acme", "company", "Makes kilns.", True), name="Acme", type="", description="Makes kilns.", pending=False
    )
    assert (found.type, found.pending) == ("company", False)


def test_the_entitys_own_names_come_before_those_merged_into_it() -> None:
    assert made(("Acme", "", "", True), ("Acme Works of Ohio", "", "", False)).name == "Acme"
    assert made(("Acme Works of Ohio", "", "", False)).name == "Acme Works of Ohio"


def test_the_fullest_own_name_is_taken() -> None:
    assert made(("Acme Corp", "", "", True), ("Acme Corporation", "", "", True)).name == "Acme Corporation"


def test_a_dormant_or_merged_entity_keeps_its_words() -> None:
    kept = {"name": "Acme", "type": "company", "description": "Makes kilns.", "pending": False}
    dormant = made(live=False, **kept)
    merged = made(("Acme", "", "Something else.", True), stands=False, **kept)
    assert dormant == merged == Profile(1, 2, "Acme", "company", "Makes kilns.", False, False)


def test_the_name_somebody_gave_is_borne_whatever_texts_say() -> None:
    found = made(("Acme Corporation", "", "", True), given="Kiln Works", name="Acme", description="", pending=False)
    assert (found.name, found.pending) == ("Kiln Works", True)


def test_a_dormant_entity_bears_the_name_it_was_given_and_needs_another_vector() -> None:
    kept = {"name": "Acme", "type": "company", "description": "Makes kilns.", "pending": False}
    assert made(given="Kiln Works", **kept) == Profile(1, 2, "Kiln Works", "company", "Makes kilns.", False, True)


def test_a_part_of_a_fuller_description_is_not_repeated() -> None:
    assert made(("A", "", "Makes kilns.", True), ("A", "", "Makes kilns. And ovens.", True)).description == (
        "Makes kilns. And ovens."
    )


def test_a_giant_description_is_cut() -> None:
    assert made(("A", "", "x" * 5000, True)).description == "x" * DESCRIPTION_LIMIT


SAYINGS = st.lists(
    st.tuples(
        st.sampled_from(["A", "Aa", "a"]), st.sampled_from(["", "person", "city"]), st.text(max_size=400), st.booleans()
    ),
    min_size=1,
    max_size=24,
)


@given(SAYINGS, st.randoms())
def test_the_order_in_which_it_is_said_does_not_matter(sample: list[Saying], chance: random.Random) -> None:
    assert made(*sample) == made(*chance.sample(sample, len(sample)))


@given(SAYINGS)
def test_a_description_is_bounded(sample: list[Saying]) -> None:
    assert len(made(*sample).description) <= DESCRIPTION_LIMIT
