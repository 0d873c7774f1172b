"""Which names a text may hold, and which of them are wanted most."""

from __future__ import annotations

import pytest

from post_graph_rag.ingest.mentions import mentioned_keys


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("he said that Acme Corp hired her", ["acme corp"]),
        ("the Bank of America paid", ["bank of america"]),
        ("вчера Газпром купил завод у фирмы Юкос", ["газпром", "юкос"]),
        ("η εταιρεία Ελλάς αγόρασε την Αθήνα", ["ελλασ", "αθηνα"]),
        ("ça va, Élan Vital et ßeta Łódź", ["elan vital", "lodz"]),
        ("東京、大阪", ["東京", "大阪"]),
        ("nothing here", []),
    ],
)
def test_names_are_runs_of_capitalised_words_in_any_script(text: str, keys: list[str]) -> None:
    assert mentioned_keys(text) == keys


def test_a_capital_inside_a_word_begins_no_name() -> None:
    assert mentioned_keys("an iPhone or a вДНХ") == []


def test_a_run_has_at_most_four_words() -> None:
    assert mentioned_keys("One Two Three Four Five") == ["one two three four", "five"]


def test_what_stands_most_often_comes_first_then_what_stands_first() -> None:
    assert mentioned_keys("Zeta met Acme, then Birch met Acme, and Birch met Zeta, and Acme") == [
        "acme",
        "zeta",
        "birch",
    ]
