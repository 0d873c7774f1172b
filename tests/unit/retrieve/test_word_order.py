"""A question in English tells by its order which end of a relation it asks for."""

from __future__ import annotations

import pytest

from post_graph_rag.retrieve.word_order import WordOrder


def agrees(question: str, fact: str) -> bool:
    subject, predicate, target = fact.split(" | ")
    return WordOrder.of(question).agrees({"subject": subject, "predicate": predicate, "object": target})


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("What did Alder Steel acquire?", "Alder Steel | acquired | Birch Labs"),
        ("Who acquired Birch Labs?", "Alder Steel | acquired | Birch Labs"),
        ("Which firms supply parts to Birch Labs?", "Alder Steel | supplies_parts_to | Birch Labs"),
        ("To whom did Alder Steel supply parts?", "Alder Steel | supplies_parts_to | Birch Labs"),
        ("What was acquired by Alder Steel?", "Alder Steel | acquired | Birch Labs"),
        ("Did Alder Steel sue Birch Labs?", "Alder Steel | sued | Birch Labs"),
        ("Was Birch Labs acquired by Alder Steel?", "Alder Steel | acquired | Birch Labs"),
        ("Which firms acquired by Alder Steel make ink?", "Alder Steel | acquired | Birch Labs"),
        ("What was acquired by the Alder Group?", "Alder Group | acquired | Birch Labs"),
        ("Who owned Birch Labs?", "Birch Labs | owned_by | Alder Steel"),
        ("What does Alder Steel own?", "Birch Labs | owned_by | Alder Steel"),
        ("What is owned by Alder Steel?", "Birch Labs | owned_by | Alder Steel"),
    ],
)
def test_a_relation_is_asked_for_the_way_round_it_is(question: str, fact: str) -> None:
    assert agrees(question, fact)


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("What did Alder Steel acquire?", "Birch Labs | acquired | Alder Steel"),
        ("Who acquired Birch Labs?", "Birch Labs | acquired | Alder Steel"),
        ("Did Alder Steel sue Birch Labs?", "Birch Labs | sued | Alder Steel"),
        ("What was acquired by Alder Steel?", "Birch Labs | acquired | Alder Steel"),
        ("Which firms acquired by Alder Steel make ink?", "Birch Labs | acquired | Alder Steel"),
        ("Who owned Birch Labs?", "Alder Steel | owned_by | Birch Labs"),
        ("What does Alder Steel own?", "Alder Steel | owned_by | Birch Labs"),
        ("What is owned by Alder Steel?", "Alder Steel | owned_by | Birch Labs"),
        ("What parent does Alder Steel have?", "Birch Labs | has_parent | Alder Steel"),
    ],
)
def test_the_other_way_round_is_not_asked_for(question: str, fact: str) -> None:
    assert not agrees(question, fact)


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("When was Birch Labs acquired?", "Birch Labs | acquired | Cedar Inks"),
        ("What did Alder Steel acquire?", "Alder Steel | sued | Birch Labs"),
        ("What did Alder Steel acquire?", "Cedar Inks | acquired | Birch Labs"),
    ],
)
def test_a_passive_without_by_another_predicate_and_other_ends_tell_nothing(question: str, fact: str) -> None:
    assert not agrees(question, fact)


@pytest.mark.parametrize(
    "question",
    ["Wen übernahm Alder Steel?", "Was kaufte Alder Steel?", "Alder Steel acquired", "東京タワーはどこですか", ""],
)
def test_only_a_question_in_english_tells(question: str) -> None:
    assert not WordOrder.of(question).words
