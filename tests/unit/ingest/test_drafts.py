"""Documents before anything is known of them."""

from __future__ import annotations

import pytest

from post_graph_rag.errors import EmptyText, InputError
from post_graph_rag.ingest.chunks import Chunk
from post_graph_rag.ingest.drafts import PassageDraft, draft, waves
from post_graph_rag.records import Document, DocumentContext


def test_a_document_without_key_is_known_by_its_source_then_by_its_text() -> None:
    assert draft(0, Document(text="x", key="k", source="s"), "default").key == "k"
    assert draft(0, Document(text="x", source="s"), "default").key == "s"
    assert draft(0, Document(text="x"), "default").key == draft(1, Document(text="x", title="t"), "default").key


def test_a_lone_surrogate_is_another_text_than_its_replacement() -> None:
    one, two = (draft(0, Document(text=text), "default") for text in ("a\ud800", "a\ufffd"))
    assert (one.text, one.replaced) == (two.text, 1)
    assert one.text_hash != two.text_hash


def test_replaced_characters_are_counted_in_chunks_too() -> None:
    assert draft(0, Document(chunks=("a\0", "b\ud800\0")), "default").replaced == 3
    assert draft(0, Document(text="a\0b", chunks=("a\0", "b")), "default").replaced == 1


def test_other_chunks_are_another_text() -> None:
    whole, cut = Document(text="a b", key="k"), Document(text="a b", key="k", chunks=("a", "b"))
    assert draft(0, whole, "default").text_hash != draft(0, cut, "default").text_hash


@pytest.mark.parametrize("document", [Document(), Document(text=" \n\t"), Document(chunks=("", " "))])
def test_nothing_to_index_is_refused(document: Document) -> None:
    with pytest.raises(EmptyText):
        draft(0, document, "default")


def test_metadata_that_is_no_json_is_refused() -> None:
    with pytest.raises(InputError):
        draft(0, Document(text="x", metadata={"n": float("nan")}), "default")


def test_of_one_document_twice_the_later_comes_in_a_later_wave() -> None:
    keys = ["a", "b", "a", "c", "a", "b"]
    made = waves(draft(n, Document(text=f"{n}", key=key), "default") for n, key in enumerate(keys))
    assert [[item.number for item in wave] for wave in made] == [[0, 1, 3], [2, 5], [4]]


def test_one_key_in_two_spaces_is_two_documents() -> None:
    made = waves(draft(n, Document(text="x", key="a", space=f"s{n}"), "default") for n in range(2))
    assert [len(wave) for wave in made] == [2]


def test_the_terms_of_a_passage_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    passage = PassageDraft(Chunk("Acme sued Acme", 0, 14), b"hash", 3)
    assert passage.terms() == {"acme": 2, "sued": 1}
    monkeypatch.setattr("post_graph_rag.ingest.drafts.term_counts", None)
    assert passage.terms() == {"acme": 2, "sued": 1}


def test_a_title_is_part_of_the_context() -> None:
    bare, titled, given = (
        draft(0, document, "default")
        for document in (
            Document(text="x"),
            Document(text="x", title="t"),
            Document(text="x", context=DocumentContext(title="t")),
        )
    )
    assert bare.context_hash != titled.context_hash
    assert titled.context_hash == given.context_hash
