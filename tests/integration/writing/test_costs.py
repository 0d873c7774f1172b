"""What writing costs in statements: the same for few facts and for many, little for what is unchanged."""

from __future__ import annotations

import pytest

from benchmarks.sqlcount import Count, counting
from post_graph_rag.engine import GraphRAG
from post_graph_rag.records import Document
from tests.integration.writing.support import Place, document


def of_facts(facts: int, word: str = "acquired", **fields: object) -> Document:
    """A document of one passage with so many facts."""
    text = "\n".join(f"Acme{n} Corp {word} Birch{n} Labs." for n in range(facts))
    return Document(key="a", text=text, chunks=(text,), **fields)  # type: ignore[arg-type]


async def cost(rag: GraphRAG, *documents: Document, **options: bool) -> Count:
    with counting() as count:
        await rag.index_documents(documents, **options)
    return count


@pytest.fixture
async def warm(place: Place) -> GraphRAG:
    """An engine whose realm is there and open."""
    rag = place.engine()
    await rag.index_document(document("first", "Zenith hired Cora Doe."))
    return rag


async def test_a_new_document_costs_the_same_for_few_and_many_facts(warm: GraphRAG, place: Place) -> None:
    few = await cost(warm, of_facts(10))
    other = Place(place.dsn)
    rag = other.engine()
    await rag.index_document(document("first", "Zenith hired Cora Doe."))
    many = await cost(rag, of_facts(100))
    await other.close()
    assert few.statements == many.statements
    assert few.statements <= 41


@pytest.mark.parametrize("reindex", [False, True], ids=["changed", "reindex"])
async def test_a_document_that_comes_again_costs_the_same_for_few_and_many_facts(
    warm: GraphRAG, place: Place, reindex: bool
) -> None:
    other = Place(place.dsn)
    rag = other.engine()
    await rag.index_documents([document("first", "Zenith hired Cora Doe."), of_facts(100)])
    await warm.index_document(of_facts(10))
    word = "acquired" if reindex else "sold"
    few = await cost(warm, of_facts(10, word), reindex=reindex)
    many = await cost(rag, of_facts(100, word), reindex=reindex)
    await other.close()
    assert few.statements == many.statements


async def test_documents_written_together_share_their_statements(warm: GraphRAG) -> None:
    one = await cost(warm, document("one", "Delta Inc hired Eve Fox."))
    many = await cost(warm, *(document(f"d{n}", f"Delta{n} Inc hired Eve{n} Fox.") for n in range(32)))
    # each passage has its reply to store; all else is shared by groups
    assert many.statements <= 32 + 3 * one.statements


async def test_unchanged_documents_cost_a_few_statements_a_slice(warm: GraphRAG) -> None:
    documents = [document(f"d{n}", f"Delta{n} Inc hired Eve{n} Fox.") for n in range(64)]
    await warm.index_documents(documents)
    few = await cost(warm, *documents[:4])
    all_of_them = await cost(warm, *documents)
    assert few.statements == all_of_them.statements <= 6


async def test_changed_metadata_alone_is_written_without_a_model(warm: GraphRAG) -> None:
    await warm.index_document(of_facts(10))
    count = await cost(warm, of_facts(10, metadata={"page": 2}))
    assert count.matching("INSERT INTO reply") == 0
    assert count.statements <= 40
