"""What counts as found, and what as a right answer."""

from __future__ import annotations

from typing import Any

import pytest

from post_graph_rag.errors import EmbeddingError, InputError
from post_graph_rag.records import Answer, EvalQuestion, Outcome, QueryData
from post_graph_rag.retrieve.evaluate import is_contained, is_exact, ranks, report, texts_of
from tests.unit.retrieve.making import a_passage, found


def data(*documents: str) -> QueryData:
    return found([a_passage(number, "…", document=name) for number, name in enumerate(documents, 1)])


def asked(*documents: str, answers: tuple[str, ...] = ()) -> EvalQuestion:
    return EvalQuestion(question="who?", documents=documents, answers=answers)


def of(*documents: str) -> Outcome[QueryData]:
    return Outcome[QueryData](question="who?", result=data(*documents))


def answer(text: str) -> Outcome[Answer]:
    return Outcome[Answer](question="who?", result=Answer(text=text, data=data("a")))


FAILED = Outcome[QueryData](question="who?", error=EmbeddingError("down"))


def test_a_document_comes_where_its_first_passage_comes_and_counts_once() -> None:
    assert ranks(["a", "b", "c"], data("b", "b", "b", "a")) == {"a": 2, "b": 1, "c": None}


def test_a_document_may_be_named_by_its_source() -> None:
    hit = a_passage(1, "…", document="key")
    hit = hit.model_copy(update={"sources": (hit.sources[0].model_copy(update={"source": "a.md"}),)})
    assert ranks(["a.md", "key"], found([hit])) == {"a.md": 1, "key": 1}


def test_recall_is_the_part_of_a_questions_documents_on_the_average() -> None:
    told = report("mix", [asked("a", "b"), asked("c")], [of("a", "x", "b"), of("y", "z")], 1.5)
    assert told.recall == {2: 0.25, 5: 0.5, 10: 0.5}
    assert told.complete == {2: 0.0, 5: 0.5, 10: 0.5}
    assert (told.questions, told.searched, told.failed, told.seconds) == (2, 2, 0, 1.5)


def test_questions_without_documents_say_nothing_of_recall() -> None:
    told = report("mix", [asked(), asked("a")], [of("x"), of("a")], 0)
    assert (told.searched, told.recall[2]) == (1, 1.0)
    assert report("mix", [asked()], [of("x")], 0).recall == {}


def test_a_question_that_failed_has_found_nothing() -> None:
    told = report("mix", [asked("a"), asked("a")], [FAILED, of("a")], 0)
    assert (told.failed, told.recall[10]) == (1, 0.5)
    assert told.results[0].error == "EmbeddingError: down"


def test_answers_are_compared_where_right_ones_are_known() -> None:
    questions = [asked(answers=("Ada",)), asked(answers=("Ada",)), asked()]
    told = report("mix", questions, [answer("Ada [1]."), answer("It was Ada."), answer("Bo")], 0)
    assert (told.answered, told.exact, told.contained) == (2, 0.5, 1.0)


def test_without_answers_none_is_right_or_wrong() -> None:
    told = report("mix", [asked("a", answers=("Ada",))], [of("a")], 0)
    assert (told.answered, told.exact, told.results[0].exact) == (0, None, None)


@pytest.mark.parametrize("text", ["the Beatles [1][2].", "Beatles", "THE BEATLES [1, 2]", "a 'Beatles'"])
def test_case_articles_punctuation_and_citations_do_not_matter(text: str) -> None:
    assert is_exact(text, ["The Beatles"])


@pytest.mark.parametrize(
    ("text", "held"), [("It was Ada Lane [1].", True), ("It was Ada.", False), ("Ada Lanes", False), ("", False)]
)
def test_an_answer_is_held_as_whole_words(text: str, held: bool) -> None:
    assert is_contained(text, ["Ada Lane", ""]) is held


def test_one_text_may_stand_for_a_list() -> None:
    question = EvalQuestion.model_validate({"question": "who?", "documents": "a", "answers": ["b", "c"]})
    assert (question.documents, question.answers) == (("a",), ("b", "c"))


@pytest.mark.parametrize("given", ["who?", ["who?"]])
def test_bare_texts_are_refused(given: Any) -> None:
    with pytest.raises(InputError, match="list of EvalQuestion"):
        texts_of(given)
